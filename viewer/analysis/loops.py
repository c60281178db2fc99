"""Loops: where a run went round in circles. The one home of the rules that header, strip, bands and diagnosis read.

All within one agent, main line. Not loops: the same tool on different targets, incremental edits, a retry with changed
arguments. A label never claims more than its rule saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from viewer.analysis import refuse_blocked
from viewer.analysis.loop_rules import DEFINITIONS, Kind, Loop, hits
from viewer.analysis.remembered import remembered
from viewer.analysis.stops import Stop, stops
from viewer.model import Trajectory

__all__ = ["DEFINITIONS", "Kind", "Loop", "Stop", "in_loops", "loops", "stops"]


@remembered
def loops(trajectory: Trajectory) -> tuple[Loop, ...]:
    """All loops: those of equal calls first, then stretches without progress; each longest first, then earliest.

    One that lies within another of a stricter rule is not told twice. Raises ``Blocked``.
    """
    refuse_blocked(trajectory)
    found = [loop for agent in hits(trajectory) for loop in _distinct(agent)]
    return tuple(sorted(found, key=lambda loop: (loop.kind == "no_progress", -len(loop.calls), loop.first)))


def in_loops(trajectory: Trajectory) -> frozenset[int]:
    """Indexes of all calls that lie in a loop. Raises ``Blocked``."""
    return frozenset(call for loop in loops(trajectory) for call in loop.calls)


def _distinct(found: Iterable[Loop]) -> Iterator[Loop]:
    """Drops a loop all of whose calls lie in one that was found by an earlier, stricter rule."""
    member: dict[int, list[set[int]]] = {}
    for loop in found:
        if any(own.issuperset(loop.calls) for own in member.get(loop.first, ())):
            continue
        own = set(loop.calls)
        for call in loop.calls:
            member.setdefault(call, []).append(own)
        yield loop
