"""Why did it fail? Rules first: deterministic, without a model, with evidence for every word.

``diagnose`` goes from the outcome gate over the rules to one root, what contributed, and what only followed.
Sources: the rules and their thresholds come from OpenHands, OpenCode, Gemini CLI, Graphectory (arXiv 2512.02393) and
AgentRx (arXiv 2602.02475); the thirteen categories map to AgentDebug, MAST and AgentRx (``categories``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from viewer.analysis import refuse_blocked
from viewer.analysis.diagnosis.categories import Category
from viewer.analysis.diagnosis.facts import Facts
from viewer.analysis.diagnosis.gate import Gate, gate
from viewer.analysis.diagnosis.hits import Hit
from viewer.analysis.diagnosis.ranking import Candidate, rank
from viewer.analysis.diagnosis.rules import hits
from viewer.model import Outcome, Trajectory

Label: TypeAlias = Literal["success", "failed_with_attribution", "failed_unknown", "n_a"]
Level: TypeAlias = Literal["likely", "possible", "weak"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The answer, with everything it rests on.

    ``label`` is n_a for a run that nobody judged: then the candidates are unconfirmed. ``root`` is None where no hit
    is strong enough. ``hits`` are all findings, notes and recovered ones too, for the table. ``reasons`` are what
    speaks for the root, counted into ``level``.
    """

    run_id: str
    gate: Gate
    label: Label
    root: Candidate | None
    candidates: tuple[Candidate, ...]
    hits: tuple[Hit, ...]
    level: Level | None
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def category(self) -> Category:
        """The root's category; unknown without one."""
        return self.root.hit.category if self.root else "unknown"

    @property
    def confirmed(self) -> bool:
        """Somebody or something says that the run failed."""
        return self.gate.failure_type in ("soft_failure", "hard_failure")


def diagnose(
    trajectory: Trajectory, label: Outcome | None = None, passing: Mapping[str, float] | None = None
) -> Diagnosis:
    """Diagnoses one run. ``label`` is a person's verdict, ``passing`` the share of passing runs a rule fires in.

    Raises ``Blocked`` for a run whose read is blocked.
    """
    refuse_blocked(trajectory)
    verdict = gate(trajectory, label)
    facts = Facts(trajectory)
    failed = verdict.failure_type is not None and verdict.source not in ("none", "terminal")
    found = hits(facts, failed=failed)
    ranked = () if verdict.passed else rank(facts, found, passing)
    root = next((candidate for candidate in ranked if candidate.role == "root"), None)
    reasons = _reasons(trajectory, root, ranked) if root else ()
    return Diagnosis(
        run_id=trajectory.run_id,
        gate=verdict,
        label=_label(verdict, root),
        root=root,
        candidates=ranked,
        hits=found,
        level=None if root is None else "likely" if len(reasons) >= 3 else "possible" if len(reasons) == 2 else "weak",
        reasons=reasons,
        warnings=_warnings(trajectory),
    )


def _label(verdict: Gate, root: Candidate | None) -> Label:
    if verdict.passed:
        return "success"
    if verdict.failure_type == "ambiguous":
        return "n_a"
    return "failed_with_attribution" if root else "failed_unknown"


def _reasons(trajectory: Trajectory, root: Candidate, ranked: Sequence[Candidate]) -> tuple[str, ...]:
    """What speaks for the root; how many of them there are is the level of confidence (decisions.md 7)."""
    hit = root.hit
    found = []
    call = trajectory.calls[hit.call] if hit.call is not None else None
    if call is not None and call.state in ("error", "denied", "timeout"):
        found.append("the step has an explicit error")
    if not hit.recovered and hit.call is not None:
        found.append("nothing made it good later")
    near = {other.hit.rule for other in ranked if abs(other.hit.step - hit.step) <= 1}
    if len(near) >= 2:
        found.append(f"{len(near)} rules agree on it")
    if root.explains and len(root.explains) >= (len(ranked) - 1) / 2:
        found.append(f"it explains {len(root.explains)} of {len(ranked) - 1} other findings")
    return tuple(found)


def _warnings(trajectory: Trajectory) -> tuple[str, ...]:
    coverage = trajectory.coverage
    found = []
    if coverage.not_understood:
        found.append(f"{coverage.not_understood:,} of {coverage.rows:,} rows were not understood")
    if coverage.evidence and coverage.calls < 0.98 * coverage.evidence:
        found.append(f"{coverage.calls:,} of {coverage.evidence:,} call-like objects were read")
    if any(note.code == "exit_codes_not_recorded" for note in trajectory.notes):
        found.append("this format states no exit codes: failing commands look like successes")
    return tuple(found)
