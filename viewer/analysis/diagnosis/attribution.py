"""A diagnosis as JSON, ``tv.attribution/1``, validated whenever it is written or read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from viewer.analysis.diagnosis import Diagnosis
from viewer.analysis.diagnosis.categories import CATEGORIES, Category
from viewer.analysis.diagnosis.hits import Hit
from viewer.analysis.diagnosis.ranking import Candidate
from viewer.analysis.diagnosis.reliability import accuracy
from viewer.analysis.diagnosis.rules import TITLES
from viewer.errors import ViewerError
from viewer.model import Json

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

SCHEMA_NAME: Final = "tv.attribution/1"
TOP: Final = 3
"""How many candidates are shown with their windows."""
WINDOW: Final = 3
"""Steps around a candidate."""
_FIXES: Final[dict[Category, str]] = {
    "planning_error": "State the plan and the stopping condition in the prompt; look at the decision in the window.",
    "memory_context_error": "Give the agent the file or fact it believed to know; make it read before it edits.",
    "retrieval_error": "Look at the queries: other words, another source, or a tool that can find it.",
    "tool_selection_error": "Compare the declared tools with the one called; rename, describe or remove tools.",
    "tool_invocation_error": "Show the tool's schema with an example; return errors that say what was expected.",
    "tool_response_handling_error": "Make the tool's failure louder, or require the agent to speak of each error.",
    "verification_error": "Require a passing check after the last change, before the final message.",
    "safety_policy_error": "Compare the request with the policy that stopped it.",
    "multi_agent_routing_error": "Check what the sub-agent was asked and what of its report reached the main agent.",
    "loop_no_progress": "Stop or change course on the second equal result; the Loops tab shows which rule would have.",
    "system_infra_error": "Fix the environment (packages, network, rights, time limit) before judging the agent.",
    "instruction_following_error": "Compare the task's literal words with what was written.",
    "unknown": "",
}
_STEP: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["step_id", "role", "category", "rule", "symptom_step", "summary", "evidence", "evidence_rows"],
    "additionalProperties": False,
    "properties": {
        "step_id": {"type": "integer", "minimum": 0},
        "span_id": {"type": ["string", "null"]},
        "raw_rows": {"type": "array", "items": {"type": "integer"}},
        "role": {"enum": ["root", "contributing", "downstream"]},
        "category": {"enum": list(CATEGORIES)},
        "rule": {"enum": [*TITLES, "judge"]},
        "symptom_step": {"type": "integer", "minimum": 0},
        "summary": {"type": "string"},
        "evidence": {"type": "string", "maxLength": 200},
        "evidence_rows": {"type": "array", "items": {"type": "integer"}},
        "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
    },
}
SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["schema", "run_id", "label", "failure_type", "outcome_source", "root_cause_category", "engine",
                 "critical_steps", "ranked_candidates", "warnings"],
    "additionalProperties": False,
    "properties": {
        "schema": {"const": SCHEMA_NAME},
        "run_id": {"type": "string"},
        "label": {"enum": ["success", "failed_with_attribution", "failed_unknown", "n_a"]},
        "failure_type": {"enum": ["soft_failure", "hard_failure", "ambiguous", None]},
        "outcome_source": {"enum": ["verifier", "human", "evaluator", "terminal", "none"]},
        "root_cause_category": {"enum": list(CATEGORIES)},
        "score": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "confidence_level": {"enum": ["likely", "possible", "weak", None]},
        "reasons": {"type": "array", "items": {"type": "string"}},
        "engine": {"enum": ["rules", "judge", "rules+judge"]},
        "critical_steps": {"type": "array", "items": _STEP},
        "ranked_candidates": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["step_id", "score"],
                "properties": {
                    "step_id": {"type": "integer", "minimum": 0},
                    "score": {"type": "number", "minimum": 0, "maximum": 1},
                    "rule": {"type": "string"},
                    "window": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
                },
            },
        },
        "process_notes": {"type": "array", "items": {"type": "object"}},
        "downstream_effects": {"type": "array", "items": {"type": "string"}},
        "suggested_fix": {"type": "string"},
        "is_skill_attributable": {"type": "boolean"},
        "judge": {
            "type": ["object", "null"],
            "required": ["model", "step_id", "category", "summary", "evidence", "evidence_rows"],
            "additionalProperties": False,
            "properties": {
                "model": {"type": "string"},
                "step_id": {"type": ["integer", "null"], "minimum": 0},
                "category": {"enum": list(CATEGORIES)},
                "summary": {"type": "string"},
                "evidence": {"type": "string", "maxLength": 200},
                "evidence_rows": {"type": "array", "items": {"type": "integer"}},
                "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
                "agrees": {"type": ["boolean", "null"]},
            },
        },
        "coverage": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
}  # fmt: skip


@cache
def _validator() -> Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to load, and pages only draw

    return Draft202012Validator(SCHEMA)


class InvalidAttribution(ViewerError):
    """A document that is no ``tv.attribution/1``; the message says where and why."""


def attribution(diagnosis: Diagnosis, steps: int, coverage: float | None = None) -> dict[str, Json]:
    """The diagnosis as a JSON object. ``steps`` is the number of steps, ``coverage`` the share of rows read."""
    shown = [candidate for candidate in diagnosis.candidates if candidate.role is not None]
    document: dict[str, Json] = {
        "schema": SCHEMA_NAME,
        "run_id": diagnosis.run_id,
        "label": diagnosis.label,
        "failure_type": diagnosis.gate.failure_type,
        "outcome_source": diagnosis.gate.source,
        "root_cause_category": diagnosis.category,
        "score": diagnosis.root.score if diagnosis.root else None,
        "confidence": accuracy(diagnosis.level),
        "confidence_level": diagnosis.level,
        "reasons": list(diagnosis.reasons),
        "engine": "rules+judge" if diagnosis.opinion else "rules",
        "critical_steps": [_step(candidate, diagnosis) for candidate in shown],
        "ranked_candidates": [
            {
                "step_id": candidate.hit.step,
                "score": candidate.score,
                "rule": candidate.hit.rule,
                "window": [max(0, candidate.hit.step - WINDOW), min(steps - 1, candidate.hit.step + WINDOW)],
            }
            for candidate in diagnosis.candidates[:TOP]
        ],
        "process_notes": [_note(hit) for hit in diagnosis.hits if hit.note or not diagnosis.candidates],
        "downstream_effects": [candidate.hit.summary for candidate in shown if candidate.role == "downstream"],
        "suggested_fix": _FIXES[diagnosis.category],
        "is_skill_attributable": diagnosis.category not in ("system_infra_error", "unknown"),
        "judge": _opinion(diagnosis),
        "coverage": coverage,
        "warnings": list(diagnosis.warnings),
    }
    return read(document)


def fix(category: Category) -> str:
    """What to try against failures of a category; "" where there is no general advice."""
    return _FIXES[category]


def read(document: Json) -> dict[str, Json]:
    """``document`` if it is a valid attribution. Raises ``InvalidAttribution``."""
    error = next(iter(sorted(_validator().iter_errors(document), key=lambda e: list(e.absolute_path))), None)
    if error is not None:
        place = "/".join(map(str, error.absolute_path)) or "the document"
        raise InvalidAttribution(
            f"This is no {SCHEMA_NAME}: {place}: {error.message}. Write it again with report --json."
        )
    found: dict[str, Json] = document
    return found


def _step(candidate: Candidate, diagnosis: Diagnosis) -> dict[str, Json]:
    hit = candidate.hit
    return {
        "step_id": hit.step,
        "span_id": None,
        "raw_rows": [hit.where.row] if hit.where else [],
        "role": candidate.role,
        "category": hit.category,
        "rule": hit.rule,
        "symptom_step": hit.symptom,
        "summary": hit.summary,
        "evidence": hit.evidence,
        "evidence_rows": [hit.where.row] if hit.where and hit.evidence else [],
        "confidence": accuracy(diagnosis.level) if candidate.role == "root" else None,
    }


def _opinion(diagnosis: Diagnosis) -> dict[str, Json] | None:
    said = diagnosis.opinion
    if said is None:
        return None
    return {
        "model": said.model,
        "step_id": said.step,
        "category": said.category,
        "summary": said.summary,
        "evidence": said.evidence,
        "evidence_rows": [said.where.row] if said.where else [],
        "confidence": said.confidence,
        "agrees": diagnosis.agreement,
    }


def _note(hit: Hit) -> dict[str, Json]:
    return {"rule": hit.rule, "step_id": hit.step, "summary": hit.summary, "evidence": hit.evidence}
