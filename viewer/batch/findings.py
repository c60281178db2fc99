"""What many runs share: rules that tell failed from passed, error clusters, habits, objections, common patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from viewer.analysis.diagnosis.rules import TITLES
from viewer.batch.groups import NOT_RECORDED, Dimension, keys
from viewer.batch.proportions import Difference, Share, difference, share
from viewer.batch.run_facts import RunFacts
from viewer.batch.traits import Tally
from viewer.model import Kind

TOP_ERRORS: Final = 10
TOP_TOOLS: Final = 8
TOP_TRANSITIONS: Final = 6
CIRCULAR: Final = frozenset({"R17"})
"""Rules that look at the verdict itself: their lift says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLift:
    """In which share of failing and of passed attempts a rule fired, and the difference; ``runs`` are those it did."""

    rule: str
    title: str
    failed: Share
    passed: Share
    lift: Difference
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCluster:
    """Errors with the same text but for what changes from run to run. ``text`` is the first one's, verbatim.

    ``times`` are calls, ``runs`` ids with the index of the first such call; ``failing`` of the runs are failing ones.
    """

    text: str
    kind: Kind
    check: bool
    times: int
    runs: tuple[tuple[str, int], ...]
    share: Share
    failing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What a group does. Shares are over its ``calls``: ``effects`` and ``tools`` with counts, errors and run ids.

    ``transitions`` are ``before``, ``after``, count, and the share of what follows ``before``.
    """

    group: str
    runs: tuple[str, ...]
    calls: int
    effects: tuple[Habit, ...]
    tools: tuple[Habit, ...]
    transitions: tuple[tuple[str, str, int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """One effect or tool of a group."""

    name: str
    calls: int
    errors: int
    share: float
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Objections:
    """Objections of tool selection of one error type in one group, over its decisions."""

    group: str
    error_type: str
    share: Share
    runs: tuple[str, ...]


def rule_lift(facts: Sequence[RunFacts]) -> tuple[RuleLift, ...]:
    """P(rule | failing) - P(rule | passed), the largest first; over attempts that count, R17 left out."""
    counted = [one for one in facts if one.counts and one.read]
    failing = [one for one in counted if one.failing]
    passed = [one for one in counted if not one.failing]
    fired: dict[str, list[RunFacts]] = {}
    for one in counted:
        for rule, _ in one.rules:
            if rule not in CIRCULAR:
                fired.setdefault(rule, []).append(one)
    found = []
    for rule, members in fired.items():
        bad = share(sum(one.failing for one in members), len(failing))
        good = share(sum(not one.failing for one in members), len(passed))
        found.append(
            RuleLift(
                rule=rule,
                title=TITLES.get(rule, rule),
                failed=bad,
                passed=good,
                lift=difference(bad, good),
                runs=tuple(one.run_id for one in members),
            )
        )
    return tuple(sorted(found, key=lambda one: (-(one.lift.value if one.lift.value is not None else -2), one.rule)))


def error_clusters(facts: Sequence[RunFacts], top: int = TOP_ERRORS) -> tuple[ErrorCluster, ...]:
    """The clusters in most runs, then with most calls."""
    read = read_runs(facts)
    members: dict[tuple[str, Kind, bool], list[tuple[RunFacts, int, int, str]]] = {}
    for one in read:
        for error in one.errors:
            key = (error.key, error.kind, error.check)
            members.setdefault(key, []).append((one, error.count, error.first, error.text))
    found = [
        ErrorCluster(
            text=seen[0][3],
            kind=kind,
            check=check,
            times=sum(count for _, count, _, _ in seen),
            runs=tuple((one.run_id, first) for one, _, first, _ in seen),
            share=share(len(seen), len(read)),
            failing=sum(one.failing for one, _, _, _ in seen),
        )
        for (_, kind, check), seen in members.items()
    ]
    return tuple(sorted(found, key=lambda one: (-len(one.runs), -one.times, one.text))[:top])


def habits(facts: Sequence[RunFacts], by: Dimension) -> tuple[Habits, ...]:
    """Which tools and which transitions, one a group."""
    key = keys(facts, by)
    members: dict[str, list[RunFacts]] = {}
    for one in read_runs(facts):
        if one.row.calls:
            members.setdefault(key(one), []).append(one)
    found = []
    for name in sorted(members, key=lambda name: (name == NOT_RECORDED, name)):
        runs = members[name]
        calls = sum(one.row.calls or 0 for one in runs)
        moves: Counter[tuple[str, str]] = Counter()
        for one in runs:
            for move in one.transitions:
                moves[move.before, move.after] += move.count
        leaving: Counter[str] = Counter()
        for (before, _), count in moves.items():
            leaving[before] += count
        found.append(
            Habits(
                group=name,
                runs=tuple(one.run_id for one in runs),
                calls=calls,
                effects=_pooled(runs, lambda one: one.effects, calls),
                tools=_pooled(runs, lambda one: one.habits, calls)[:TOP_TOOLS],
                transitions=tuple(
                    (before, after, count, count / leaving[before])
                    for (before, after), count in moves.most_common(TOP_TRANSITIONS)
                ),
            )
        )
    return tuple(found)


def _pooled(runs: Iterable[RunFacts], which: Callable[[RunFacts], tuple[Tally, ...]], calls: int) -> tuple[Habit, ...]:
    total: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    where: dict[str, list[str]] = {}
    for one in runs:
        for tally in which(one):
            total[tally.name] += tally.calls
            errors[tally.name] += tally.errors
            where.setdefault(tally.name, []).append(one.run_id)
    return tuple(
        Habit(name=name, calls=count, errors=errors[name], share=count / calls, runs=tuple(where[name]))
        for name, count in total.most_common()
    )


def objections(facts: Sequence[RunFacts], by: Dimension) -> tuple[Objections, ...]:
    """Error type by group, over the group's decisions: rules can only object, so this is no score."""
    key = keys(facts, by)
    decisions: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    where: dict[tuple[str, str], list[str]] = {}
    for one in read_runs(facts):
        name = key(one)
        decisions[name] += one.decisions
        for error_type, count in one.objections:
            counts[name, error_type] += count
            where.setdefault((name, error_type), []).append(one.run_id)
    return tuple(
        Objections(
            group=name,
            error_type=error_type,
            share=share(min(count, decisions[name]), decisions[name]),
            runs=tuple(where[name, error_type]),
        )
        for (name, error_type), count in sorted(counts.items())
    )


def read_runs(facts: Sequence[RunFacts]) -> list[RunFacts]:
    """The runs whose numbers may be shown, each attempt once."""
    return [one for one in facts if one.read and one.standing not in ("superseded", "part")]
