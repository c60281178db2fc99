"""Asks a judge which tools were well chosen. Criteria as in Phoenix's tool selection evaluator (Arize Phoenix)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from viewer.analysis.tool_selection import Judged, ToolSelection, with_judge
from viewer.analysis.tool_selection.decisions import Decision
from viewer.judge.client import Client, NoAnswer
from viewer.judge.configuration import Configuration
from viewer.judge.prompts import Prompt, prompt, told
from viewer.model import Json, Outcome, Step, Trajectory

BATCH: Final = 15
TASK: Final = 2_000
CONTEXT: Final = 600
PART: Final = 160
"""Characters of the task, of a decision's context, and of each of its three parts."""
ERROR_TYPES: Final = (
    "wrong_tool", "hallucinated_tool", "missing_required_tool", "unnecessary_tool_use", "incomplete_tool_set",
    "wrong_tool_order", "unsafe_tool_choice", "redundant_tool_choice", "n_a",
)  # fmt: skip
_INSTRUCTION: Final = (
    "You judge which tools an agent chose, not the arguments it gave them. For each decision say: correct, if the best "
    "available tool was chosen, it is on the list, and it is allowed and safe, or if rightly none was called; partial, "
    "if another tool would have served better or one is redundant; incorrect, if a tool was made up, was not needed, "
    "was missing though required, or is unsafe; n_a, if the context does not let you tell. expected_tools are names "
    "from the list, empty where none is better. Judge only what the context shows at that moment."
)
_RESULT: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["decision_id", "label", "expected_tools", "error_type", "severity", "explanation", "confidence"],
    "additionalProperties": False,
    "properties": {
        "decision_id": {"type": "string"},
        "label": {"enum": ["correct", "partial", "incorrect", "n_a"]},
        "expected_tools": {"type": "array", "items": {"type": "string"}},
        "error_type": {"enum": list(ERROR_TYPES)},
        "severity": {"enum": ["low", "medium", "high", "none"]},
        "explanation": {"type": "string"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["decision_results"],
    "additionalProperties": False,
    "properties": {"decision_results": {"type": "array", "items": _RESULT}},
}
_HARD: Final = frozenset({"hallucinated_tool", "unsafe_tool_choice"})


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSelection:
    """``selection`` has the judge's column where any answer came. ``problems`` are sentences for a person.

    ``cached`` of the ``asked`` prompts were answered from disk.
    """

    selection: ToolSelection
    problems: tuple[str, ...] = ()
    asked: int = 0
    cached: int = 0


def prompts(run: Trajectory, selection: ToolSelection, configuration: Configuration) -> tuple[Prompt, ...]:
    """At most ``max_decisions`` decisions, critical ones first, in batches of 15, each in the order of the run."""
    chosen = _chosen(selection.decisions, configuration.max_decisions)
    return tuple(_batch(run, chosen[at : at + BATCH]) for at in range(0, len(chosen), BATCH))


def judge_tool_selection(
    run: Trajectory, selection: ToolSelection, configuration: Configuration, outcome: Outcome | None = None
) -> JudgedSelection:
    """The selection with the judge's labels beside the rules'. Never raises for what a judge does or fails to do.

    Answers about unknown decisions are dropped; decisions without an answer are n_a. ``outcome`` beats the file's.
    """
    client, problems = Client(configuration), []
    asked = prompts(run, selection, configuration)
    points = {point.id: point for point in selection.decisions}
    failed = (outcome or run.outcome) == "failed"
    judged: dict[str, Judged] = {}
    for number, one in enumerate(asked):
        try:
            results = client.ask(one)["decision_results"]
        except NoAnswer as error:
            problems.append(str(error))
            if error.final:
                if len(asked) > number + 1:
                    problems.append(f"{len(asked) - number - 1} more batches were not sent.")
                break
            continue
        for result in results:
            if result["decision_id"] in one.ids:
                judged.setdefault(result["decision_id"], _judged(result, points[result["decision_id"]], failed))
        missing = sum(id not in judged for id in one.ids)
        if missing:
            problems.append(f"The judge left out {missing} of {len(one.ids)} decisions of batch {number + 1}.")
    left_out = len(points) - sum(len(one.ids) for one in asked)
    if left_out:
        limit = configuration.max_decisions
        problems.append(f"{left_out} decisions were not sent (TV_JUDGE_MAX_DECISIONS is {limit}).")
    return JudgedSelection(
        selection=with_judge(selection, tuple(judged.values())) if judged else selection,
        problems=tuple(problems),
        asked=len(asked),
        cached=client.cached,
    )


def _chosen(decisions: Sequence[Decision], limit: int) -> list[Decision]:
    order = ("critical", "normal", "low")
    first = sorted(range(len(decisions)), key=lambda at: (order.index(decisions[at].weight), at))[:limit]
    return [decisions[at] for at in sorted(first)]


def _batch(run: Trajectory, batch: Sequence[Decision]) -> Prompt:
    tools = [told(name, 160) for name in run.declared_tools] if run.declared_tools is not None else "not recorded"
    document = {
        "task": told(run.task, TASK),
        "available_tools": tools,
        "decisions": [
            {
                "decision_id": point.id,
                "step_index": point.step,
                "type": point.type,
                "context_before_decision": _context(run, point),
                "selected_tools": [told(name, 160) for name in point.selected] or "No tools called",
            }
            for point in batch
        ],
    }
    return prompt("tool_selection", _INSTRUCTION, document, SCHEMA, [point.id for point in batch])


def _context(run: Trajectory, point: Decision) -> str:
    """The last user text, the last result and the agent's own text, each cut: what the agent knew."""
    step = run.steps[point.step]
    parts = [
        ("user", next(_before(run, step), "")),
        ("last result", next(_results(run, step), "")),
        ("agent", step.text or step.reasoning),
    ]
    return "\n".join(f"{name}: {told(text, PART)}" for name, text in parts if text)[:CONTEXT]


def _before(run: Trajectory, step: Step) -> Iterator[str]:
    return (other.text for other in reversed(run.steps[: step.index]) if other.role == "user" and other.text)


def _results(run: Trajectory, step: Step) -> Iterator[str]:
    for other in reversed(run.steps[: step.index]):
        if other.agent == step.agent:
            for index in reversed(other.calls):
                call = run.calls[index]
                text = call.result.text if call.result else ""
                yield f"{call.name} ({call.state}) {text}"


def _judged(result: dict[str, Json], point: Decision, failed: bool) -> Judged:
    label, error_type = result["label"], result["error_type"]
    explanation, expected = result["explanation"], tuple(result["expected_tools"])
    known = {name.lower() for name in point.available or ()}
    if point.available is not None and error_type != "hallucinated_tool":
        unknown = [name for name in expected if name.lower() not in known]
        if unknown:
            label, error_type = "n_a", "n_a"
            explanation = f"the judge expects {unknown[0]!r}, which is not on offer: {explanation}"
    hard = error_type in _HARD or (error_type == "missing_required_tool" and failed)
    return Judged(
        decision=point.id,
        label=label,
        error_type=error_type,
        severity=result["severity"],
        explanation=explanation[:2_000],
        expected=expected,
        confidence=result["confidence"],
        hard_fail=label == "incorrect" and hard,
    )
