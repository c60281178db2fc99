"""Aligned rows on one axis, so that every run's calls come in its own order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viewer.comparison.star import Star


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One place of the axis: the row it belongs to, and the calls that stand here, one a run or None."""

    row: int
    calls: tuple[int | None, ...]


def columns(found: Star) -> tuple[Column, ...]:
    """One column a row; a row of a moved call has one more at every other place where a run made it. Linear."""
    rows = found.rows
    width = len(rows[0].calls) if rows else 0
    # position in rows -> calls that go right behind it; -1 for the beginning
    late: dict[int, dict[int, dict[int, int]]] = {}
    for run in range(width):
        place = _places(found, run)
        for number, row in enumerate(rows):
            call = row.calls[run]
            if row.cells[run] == "moved" and call is not None:
                late.setdefault(place[call], {}).setdefault(number, {})[run] = call
    columns = _behind(late, -1, width)
    for number, row in enumerate(rows):
        here = tuple(None if cell == "moved" else call for call, cell in zip(row.calls, row.cells, strict=True))
        columns.append(Column(row=number, calls=here))
        columns += _behind(late, number, width)
    return tuple(columns)


def _places(found: Star, run: int) -> dict[int, int]:
    """Moved call of a run -> the row behind which it stands: that of the last call before it that did not move."""
    entries = [
        (call, number, row.cells[run] == "moved")
        for number, row in enumerate(found.rows)
        if (call := row.calls[run]) is not None
    ]
    place: dict[int, int] = {}
    last = -1
    for call, number, moved in sorted(entries):
        if moved:
            place[call] = last
        else:
            last = number
    return place


def _behind(late: dict[int, dict[int, dict[int, int]]], number: int, width: int) -> list[Column]:
    """Columns of moved calls behind a row: those of one row share a column, unless a run's order forbids it."""
    columns: list[Column] = []
    for row, calls in sorted(late.get(number, {}).items(), key=lambda entry: min(entry[1].values())):
        columns.append(Column(row=row, calls=tuple(calls.get(run) for run in range(width))))
    return _ordered(columns)


def _ordered(columns: Sequence[Column]) -> list[Column]:
    """Splits columns into single calls where together they would put a run's calls out of order."""
    last: dict[int, int] = {}
    for column in columns:
        for run, call in enumerate(column.calls):
            if call is not None and last.get(run, -1) > call:
                return _single(columns)
            if call is not None:
                last[run] = call
    return list(columns)


def _single(columns: Sequence[Column]) -> list[Column]:
    entries = sorted(
        (run, call, column.row) for column in columns for run, call in enumerate(column.calls) if call is not None
    )
    width = len(columns[0].calls)
    return [
        Column(row=row, calls=tuple(call if other == run else None for other in range(width)))
        for run, call, row in entries
    ]
