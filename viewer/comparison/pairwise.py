"""Two runs compared: aligned rows with their kind, the first divergence, the decisive row, and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from viewer.comparison.star import Star, StarRow, star
from viewer.model import Trajectory

RowKind: TypeAlias = Literal["same", "changed_arguments", "changed_result", "only_left", "only_right", "moved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: indexes into the calls of either run (None is a gap). A moved call stands at its left place."""

    kind: RowKind
    left: int | None
    right: int | None
    effect: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs, aligned. The numbers of rows are positions in ``rows``, None where there is no such row.

    ``first_divergence``: the first row that is neither same nor changed result. ``first_sustained_divergence``: from
    there fewer than 2 of the next 5 rows hold the same call. ``recovery``: the first row behind it from which 2 of 5 do
    again. ``decisive``: see ``divergence.decisive_row``. ``recall``, ``precision`` and ``f1``
    count the left run's calls found in the right one; ``order_agreement`` is the share of shared pairs in the same
    order; ``overhead`` right calls per left call.
    """

    rows: tuple[Row, ...]
    first_divergence: int | None
    first_sustained_divergence: int | None
    recovery: int | None
    decisive: int | None
    recall: float | None
    precision: float | None
    f1: float | None
    order_agreement: float | None
    overhead: float | None


def compare(left: Trajectory, right: Trajectory) -> Comparison:
    """Aligns the main lines of two runs. Raises ``CannotCompare`` for a run whose read is blocked."""
    return of_two(star((left, right), reference=0))


def of_two(found: Star) -> Comparison:
    """A star of two runs in the words of a comparison; its reference must be the left run."""
    against = found.against[1]
    return Comparison(
        rows=tuple(_row(row) for row in found.rows),
        first_divergence=found.first_divergence,
        first_sustained_divergence=found.first_sustained_divergence,
        recovery=found.recovery,
        decisive=found.decisive,
        recall=against.recall,
        precision=against.precision,
        f1=against.f1,
        order_agreement=against.order_agreement,
        overhead=against.overhead,
    )


def _row(row: StarRow) -> Row:
    left, right = row.calls
    return Row(kind=row_kind(row), left=left, right=right, effect=row.effect, target=row.target)


def row_kind(row: StarRow) -> RowKind:
    """The kind of a row of two runs, as the command line says it."""
    if row.kind == "partial":
        return "only_right" if row.calls[0] is None else "only_left"
    return row.kind
