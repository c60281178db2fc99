"""Calls that runs made at different places: two rows of one call become one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from viewer.comparison.keys import Keys, says_the_same

Cells: TypeAlias = list[Keys | None]
_ANYTHING: Final = frozenset({"read", "search", "web"})
"""Effects of which the target says all: how it is fetched does not matter."""


def first_of(row: Sequence[Keys | None]) -> tuple[int, Keys]:
    """(run, keys) of the first run that made the call."""
    return next((run, cell) for run, cell in enumerate(row) if cell is not None)


def join_moved(rows: Sequence[Cells]) -> tuple[list[Cells], list[frozenset[int]]]:
    """Joins rows that say the same and have no run in common; the second list says which cells came from elsewhere.

    The joined row stands where the run with the lowest letter has the call, and takes the earliest that fits.
    """
    waiting = _Waiting(rows)
    merged = [list(row) for row in rows]
    moved: list[set[int]] = [set() for _ in rows]
    # rows of the lowest run first: what they take is then still one row, that took nothing itself
    for number in sorted(range(len(rows)), key=lambda at: (first_of(rows[at])[0], at)):
        row = merged[number]
        if number in waiting.gone or None not in row:
            continue
        while (other := waiting.take(number, row)) is not None:
            for run, cell in enumerate(merged[other]):
                if cell is not None:
                    row[run] = cell
                    moved[number].add(run)
    kept = [number for number in range(len(rows)) if number not in waiting.gone]
    return [merged[number] for number in kept], [frozenset(moved[number]) for number in kept]


class _Waiting:
    """Rows that some runs lack, found by what they say and by who has them, so that no row is looked at twice."""

    def __init__(self, rows: Sequence[Cells]) -> None:
        self.gone: set[int] = set()
        self._rows = rows
        self._pools: dict[tuple[str, str], dict[str, dict[frozenset[int], deque[int]]]] = {}
        for number, row in enumerate(rows):
            if None in row:
                key = first_of(row)[1]
                said = self._pools.setdefault((key.effect, key.target), {}).setdefault(_said(key), {})
                said.setdefault(_present(row), deque()).append(number)

    def take(self, number: int, row: Cells) -> int | None:
        """The earliest waiting row that says the same as ``row`` and was made by other, later runs only."""
        lowest, key = first_of(row)
        own, pools = _said(key), self._pools[key.effect, key.target]
        wanted: Iterable[str] = pools if not own else (own, "")
        present = _present(row)
        best: deque[int] | None = None
        for said in wanted:
            for runs, queue in pools.get(said, {}).items():
                while queue and queue[0] in self.gone:
                    queue.popleft()
                if not queue or min(runs) < lowest or runs & present or (best is not None and best[0] < queue[0]):
                    continue
                if says_the_same(key, first_of(self._rows[queue[0]])[1]):
                    best = queue
        if best is None:
            return None
        other = best.popleft()
        self.gone.add(other)
        return other


def _said(key: Keys) -> str:
    return "" if key.effect in _ANYTHING else key.said


def _present(row: Sequence[Keys | None]) -> frozenset[int]:
    return frozenset(run for run, cell in enumerate(row) if cell is not None)
