"""Looking over many runs: an entry to facts (pure, in parallel, cached on disk), facts to what the batch shows.

``facts(entry)`` is the work; ``collect`` does it for many entries; ``batch(facts)`` only counts. Every share comes
with its ``n`` and a 95 % interval, every number with the ids of its runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from viewer.batch.common_patterns import Common, common
from viewer.batch.findings import (
    ErrorCluster,
    Habits,
    Objections,
    RuleLift,
    error_clusters,
    habits,
    objections,
    rule_lift,
)
from viewer.batch.groups import DIMENSIONS, NOT_RECORDED, Dimension, Group, Matrix, group, groups, matrix, runs_of
from viewer.batch.pairs import Paired, paired
from viewer.batch.run_facts import RunFacts, facts
from viewer.collector import no_collector

__all__ = ["DIMENSIONS", "Batch", "Dimension", "Paired", "RunFacts", "batch", "comparisons", "facts", "paired"]

SCHEMA: Final = "tv.batch/1"
MOST_PAIRS: Final = 28
"""Pairs of groups compared by default: all of eight groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Everything the page and the JSON hold, over the given facts.

    ``whole`` is one group of all runs; ``groups`` are by harness, model, task, date, folder; ``matrix`` and what is
    called "by group" follow ``by``. ``unreadable`` are ids of files that cannot be read, ``no_run`` counts files that
    hold none. ``notes`` say what the numbers leave out.
    """

    by: Dimension
    whole: Group
    groups: Mapping[Dimension, tuple[Group, ...]]
    matrix: Matrix
    rules: tuple[RuleLift, ...]
    errors: tuple[ErrorCluster, ...]
    habits: tuple[Habits, ...]
    objections: tuple[Objections, ...]
    common: tuple[Common, ...]
    unreadable: tuple[str, ...]
    no_run: int
    notes: tuple[str, ...]
    schema: str = SCHEMA


def batch(facts: Sequence[RunFacts], by: Dimension = "harness", dimensions: Sequence[Dimension] = DIMENSIONS) -> Batch:
    """Counts; linear in the runs. ``by`` chooses matrix, habits and objections, ``dimensions`` the groups."""
    columns: Dimension = "harness" if by == "task" else by
    with no_collector():
        return Batch(
            by=by,
            whole=group("all", runs_of(facts)),
            groups={dimension: groups(facts, dimension) for dimension in dimensions},
            matrix=matrix(facts, by),
            rules=rule_lift(facts),
            errors=error_clusters(facts),
            habits=habits(facts, columns),
            objections=objections(facts, columns),
            common=common(facts),
            unreadable=tuple(one.run_id for one in facts if one.standing == "unreadable"),
            no_run=sum(one.standing == "no_run" for one in facts),
            notes=_notes(facts),
        )


def comparisons(found: Batch, facts: Sequence[RunFacts], by: Dimension) -> tuple[Paired, ...]:
    """Every two groups of a dimension that share a task, at most 28 pairs, in the order of their names."""
    names = [one.name for one in found.groups[by] if one.name != NOT_RECORDED and one.passed.n]
    pairs = list(combinations(names, 2))[:MOST_PAIRS]
    return tuple(made for one, other in pairs if (made := paired(facts, by, one, other)).tasks)


def _notes(facts: Sequence[RunFacts]) -> tuple[str, ...]:
    read = [one for one in facts if one.read]
    silent = sum(not one.states_exit_codes for one in read)
    return (
        (f"{silent:,} of {len(read):,} runs state no exit codes: there, failing commands look like successes.",)
        if silent
        else ()
    )
