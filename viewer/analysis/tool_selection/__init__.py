"""Tool selection over a whole run: decision points, what rules object to, and both outputs.

Rules can only object: a decision nobody objects to is "correct" at confidence 0.5, and without a judge there is no
score, only "k objections in n decisions". ``annotations`` go on steps, ``aggregate`` on the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from viewer.analysis import refuse_blocked
from viewer.analysis.diagnosis.facts import Facts
from viewer.analysis.tool_selection.decisions import WEIGHTS, Decision, decisions
from viewer.analysis.tool_selection.objections import Objection, objections
from viewer.model import Outcome, Trajectory

Verdict: TypeAlias = Literal["correct", "partial", "incorrect", "n_a"]
SCORES: Final[dict[Verdict, float | None]] = {"correct": 1.0, "partial": 0.5, "incorrect": 0.0, "n_a": None}
UNWEIGHED: Final = frozenset({"wrong_tool_order", "redundant_tool_choice"})
"""Flagged, but without weight in the score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one judge (the rules, or a model) says of a decision. ``score`` None means it was not judged."""

    decision: str
    label: Verdict
    error_type: str
    severity: Literal["low", "medium", "high", "none"]
    explanation: str
    expected: tuple[str, ...] = ()
    confidence: float = 0.5
    hard_fail: bool = False

    @property
    def score(self) -> float | None:
        """correct 1, partial 0.5, incorrect 0."""
        return SCORES[self.label]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """The run's numbers from a judge's labels. None: no valid decision, which is not 0."""

    trace_score: float | None
    average: float | None
    critical: float | None
    hard_fail: bool
    trace_pass: bool | None
    label: Verdict
    valid: int
    decisions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSelection:
    """Decision points with the rules' word on each, and a judge's where one was asked.

    ``agreement`` is the share of decisions where both say the same, None without a judge.
    """

    decisions: tuple[Decision, ...]
    rules: tuple[Judged, ...]
    judge: tuple[Judged, ...] | None = None
    aggregate: Aggregate | None = None
    agreement: float | None = None

    @property
    def objections(self) -> tuple[Judged, ...]:
        """What the rules object to."""
        return tuple(judged for judged in self.rules if judged.label != "correct")


def tool_selection(trajectory: Trajectory, outcome: Outcome | None = None) -> ToolSelection:
    """Decision points and the rules' objections. ``outcome`` beats the file's. Raises ``Blocked``."""
    refuse_blocked(trajectory)
    facts = Facts(trajectory)
    points = decisions(facts)
    failed = (outcome or trajectory.outcome) == "failed"
    by_decision: dict[str, list[Objection]] = {}
    for objection in objections(facts, points):
        by_decision.setdefault(objection.decision, []).append(objection)
    return ToolSelection(
        decisions=points, rules=tuple(_by_rules(point, by_decision.get(point.id, []), failed) for point in points)
    )


def with_judge(selection: ToolSelection, judged: Sequence[Judged]) -> ToolSelection:
    """The selection with a judge's labels beside the rules', and the score that only a judge gives.

    Decisions the judge left out are n_a. The rules' labels don't change.
    """
    by_decision = {one.decision: one for one in judged}
    column = tuple(
        by_decision.get(point.id)
        or Judged(
            decision=point.id, label="n_a", error_type="n_a", severity="none", explanation="the judge left it out"
        )
        for point in selection.decisions
    )
    both = [rule.label == one.label for rule, one in zip(selection.rules, column, strict=True) if one.label != "n_a"]
    return replace(
        selection,
        judge=column,
        aggregate=aggregate(selection.decisions, column),
        agreement=sum(both) / len(both) if both else None,
    )


def aggregate(points: Sequence[Decision], judged: Sequence[Judged]) -> Aggregate:
    """Weighted mean of scores: critical decisions count 2, normal 1, low 0.5; flags without weight stay out."""
    weighed = [
        (WEIGHTS[point.weight], one.score, point.weight == "critical")
        for point, one in zip(points, judged, strict=True)
        if one.score is not None and one.error_type not in UNWEIGHED
    ]
    scores = [score for _, score, _ in weighed]
    critical = [score for _, score, is_critical in weighed if is_critical]
    total = sum(weight for weight, _, _ in weighed)
    trace = sum(weight * score for weight, score, _ in weighed) / total if total else None
    hard = any(one.hard_fail for one in judged)
    passed = None if trace is None else not hard and all(score == 1 for score in critical)
    label: Verdict = "n_a"
    if trace is not None:
        label = "incorrect" if hard or trace < 0.5 else "partial" if trace < 0.9 or not passed else "correct"
    return Aggregate(
        trace_score=trace,
        average=sum(scores) / len(scores) if scores else None,
        critical=sum(critical) / len(critical) if critical else None,
        hard_fail=hard,
        trace_pass=passed,
        label=label,
        valid=len(scores),
        decisions=len(points),
    )


def _by_rules(point: Decision, found: Sequence[Objection], failed: bool) -> Judged:
    if not found:
        return Judged(
            decision=point.id, label="correct", error_type="n_a", severity="none", explanation="no rule objects"
        )
    worst = min(found, key=lambda objection: (SCORES[objection.label] or 0, -objection.confidence))
    return Judged(
        decision=point.id,
        label=worst.label,
        error_type=worst.error_type,
        severity=worst.severity,
        explanation=worst.explanation,
        expected=worst.expected,
        confidence=worst.confidence,
        hard_fail=worst.hard_fail or (worst.error_type == "missing_required_tool" and failed),
    )
