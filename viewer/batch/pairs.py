"""Two groups on the tasks both tried: does one pass, or fail in a certain way, more often? McNemar's exact test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viewer.analysis.diagnosis.categories import CATEGORIES, Category
from viewer.batch.groups import NOT_RECORDED, Dimension, keys
from viewer.batch.proportions import holm, mcnemar
from viewer.batch.run_facts import RunFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Pairs of one question. ``p`` is exact and two-sided; ``corrected`` is Holm's over all questions asked at once.

    ``runs_one`` and ``runs_other`` are the run ids of the pairs in which only that side says yes, both sides of each.
    """

    what: str
    both: int
    only_one: int
    only_other: int
    neither: int
    p: float
    corrected: float
    runs_one: tuple[str, ...]
    runs_other: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """One pair a task: the first attempt that counts of each group, since attempts of one task are not independent.

    ``questions`` are "passed" and then each failure category that occurs.
    """

    by: Dimension
    one: str
    other: str
    tasks: tuple[str, ...]
    questions: tuple[Pairs, ...]


def paired(facts: Sequence[RunFacts], by: Dimension, one: str, other: str) -> Paired:
    """Compares the groups ``one`` and ``other`` of a dimension on the tasks both tried. No task, no questions."""
    task, key = keys(facts, "task"), keys(facts, by)
    first: dict[tuple[str, str], RunFacts] = {}
    for run in sorted(facts, key=lambda run: (run.row.attempt or 0, run.row.started or 0, run.run_id)):
        if run.counts and key(run) in (one, other) and task(run) != NOT_RECORDED:
            first.setdefault((key(run), task(run)), run)
    shared = sorted({name for side, name in first if side == one} & {name for side, name in first if side == other})
    pairs = [(first[one, name], first[other, name]) for name in shared]
    if not pairs:
        return Paired(by=by, one=one, other=other, tasks=(), questions=())
    asked: list[tuple[str, list[tuple[bool, bool]]]] = [
        ("passed", [(not left.failing, not right.failing) for left, right in pairs])
    ]
    for category in CATEGORIES:
        answers = [(_has(left, category), _has(right, category)) for left, right in pairs]
        if any(any(answer) for answer in answers):
            asked.append((category, answers))
    tests = [mcnemar(answers.count((True, False)), answers.count((False, True))) for _, answers in asked]
    return Paired(
        by=by,
        one=one,
        other=other,
        tasks=tuple(shared),
        questions=tuple(
            Pairs(
                what=what,
                both=answers.count((True, True)),
                only_one=answers.count((True, False)),
                only_other=answers.count((False, True)),
                neither=answers.count((False, False)),
                p=p,
                corrected=corrected,
                runs_one=_runs(pairs, answers, (True, False)),
                runs_other=_runs(pairs, answers, (False, True)),
            )
            for (what, answers), p, corrected in zip(asked, tests, holm(tests), strict=True)
        ),
    )


def _has(run: RunFacts, category: Category) -> bool:
    return run.failing and (run.category or "unknown") == category


def _runs(
    pairs: Sequence[tuple[RunFacts, RunFacts]], answers: Sequence[tuple[bool, bool]], wanted: tuple[bool, bool]
) -> tuple[str, ...]:
    return tuple(side.run_id for pair, answer in zip(pairs, answers, strict=True) if answer == wanted for side in pair)
