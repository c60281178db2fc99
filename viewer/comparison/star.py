"""Two to four runs on a base: one column a run, one row a call that some of them made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from viewer.comparison.alignment import align
from viewer.comparison.keys import Keys, keys
from viewer.comparison.pairwise import CannotCompare, RowKind, row_kind
from viewer.model import Trajectory

Cell: TypeAlias = Literal["base", "same", "changed_arguments", "changed_result", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StarRow:
    """One row: a call index a run (None: the run has no such call) and, a run, how it relates to the row's first call.

    ``kind`` is "same" when every run made the same call with the same end, "partial" when one or more lack it,
    else the strongest difference.
    """

    calls: tuple[int | None, ...]
    cells: tuple[Cell, ...]
    kind: Literal["same", "changed_arguments", "changed_result", "partial"]
    effect: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Star:
    """Several runs, aligned. ``similarity`` is F1 over shared rows for each pair of runs; numbers are row positions."""

    rows: tuple[StarRow, ...]
    first_divergence: int | None
    decisive: int | None
    similarity: tuple[tuple[float, ...], ...]


def star(runs: Sequence[Trajectory]) -> Star:
    """Aligns runs progressively: each next one against the rows so far. The first run is the base.

    Raises ``CannotCompare`` for a run whose read is blocked, or for fewer than two runs.
    """
    if len(runs) < 2:
        raise CannotCompare("Two to four runs can be compared; choose at least two.")
    for number, run in enumerate(runs):
        if run.coverage.blocked:
            raise CannotCompare(
                f"{'ABCDEFGH'[number]} cannot be compared: {run.coverage.evidence:,} call-like objects stand in it and "
                "none was read."
            )
    columns = [keys(run) for run in runs]
    rows: list[list[Keys | None]] = [[key] for key in columns[0]]
    for column in columns[1:]:
        shown = [next(cell for cell in row if cell is not None) for row in rows]
        width = len(rows[0]) if rows else columns.index(column)
        merged: list[list[Keys | None]] = []
        for i, j in align(shown, column):
            cells = rows[i] if i is not None else [None] * width
            merged.append([*cells, column[j] if j is not None else None])
        rows = merged
    harnesses = [run.harness for run in runs]
    star_rows = tuple(_row(row, harnesses) for row in rows)
    return Star(
        rows=star_rows,
        first_divergence=next(
            (n for n, row in enumerate(star_rows) if row.kind not in ("same", "changed_result")), None
        ),
        decisive=next(
            (n for n, row in enumerate(star_rows) if row.kind != "same" and row.effect in ("edit", "write")), None
        ),
        similarity=tuple(
            tuple(_similarity(star_rows, a, b, len(columns[a]), len(columns[b])) for b in range(len(runs)))
            for a in range(len(runs))
        ),
    )


def _row(row: Sequence[Keys | None], harnesses: Sequence[str | None]) -> StarRow:
    first = next(n for n, cell in enumerate(row) if cell is not None)
    reference = row[first]
    assert reference is not None
    cells: list[Cell] = []
    for n, cell in enumerate(row):
        if cell is None:
            cells.append("absent")
        elif n == first:
            cells.append("base")
        else:
            cells.append(_cell(row_kind(reference, cell, _same(harnesses[first], harnesses[n]))))
    kind: Literal["same", "changed_arguments", "changed_result", "partial"] = "same"
    for wanted in ("absent", "changed_arguments", "changed_result"):
        if wanted in cells:
            kind = "partial" if wanted == "absent" else wanted
            break
    return StarRow(
        calls=tuple(cell.index if cell else None for cell in row),
        cells=tuple(cells),
        kind=kind,
        effect=reference.effect,
        target=reference.target,
    )


def _same(left: str | None, right: str | None) -> bool:
    return left is not None and left == right


def _cell(kind: RowKind) -> Cell:
    return (
        "changed_arguments" if kind == "changed_arguments" else "changed_result" if kind == "changed_result" else "same"
    )


def _similarity(rows: Sequence[StarRow], a: int, b: int, size_a: int, size_b: int) -> float:
    shared = sum(row.calls[a] is not None and row.calls[b] is not None for row in rows)
    return 2 * shared / (size_a + size_b) if size_a + size_b else 1.0
