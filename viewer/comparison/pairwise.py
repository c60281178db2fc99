"""Two runs compared: aligned rows with their kind, the first divergence, the decisive row, and numbers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from viewer.comparison.alignment import Pair, align
from viewer.comparison.keys import Keys, keys, says_the_same
from viewer.errors import ViewerError
from viewer.model import Trajectory

RowKind: TypeAlias = Literal["same", "changed_arguments", "changed_result", "only_left", "only_right", "moved"]
TOGETHER: Final[frozenset[RowKind]] = frozenset({"same", "changed_arguments", "changed_result"})
_WINDOW: Final = 5
_ENOUGH: Final = 2


class CannotCompare(ViewerError):
    """A run that cannot be compared, and why."""


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

    ``first_divergence``: the first row that is neither same nor changed result. ``first_sustained``: from there fewer
    than 2 of the next 5 rows hold the same call. ``recovery``: the first row behind it from which 2 of 5 do again.
    ``decisive``: the first edit or write that is not the same in both. ``recall``, ``precision`` and ``f1`` count the
    left run's calls found in the right one; ``order_agreement`` is the share of shared pairs in the same order;
    ``overhead`` right calls per left call.
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
    for name, run in (("left", left), ("right", right)):
        if run.coverage.blocked:
            raise CannotCompare(
                f"The {name} run cannot be compared: {run.coverage.evidence:,} call-like objects stand in it and none "
                "was read. Open its Coverage tab."
            )
    left_keys, right_keys = keys(left), keys(right)
    same_harness = left.harness is not None and left.harness == right.harness
    rows = _moved(_rows(align(left_keys, right_keys), left_keys, right_keys, same_harness), left_keys, right_keys)
    divergence = next((n for n, row in enumerate(rows) if row.kind not in ("same", "changed_result")), None)
    sustained = _sustained(rows, divergence)
    shared = sum(row.left is not None and row.right is not None for row in rows)
    recall = shared / len(left_keys) if left_keys else None
    precision = shared / len(right_keys) if right_keys else None
    return Comparison(
        rows=rows,
        first_divergence=divergence,
        first_sustained_divergence=sustained,
        recovery=_recovery(rows, sustained),
        decisive=next(
            (n for n, row in enumerate(rows) if row.kind != "same" and row.effect in ("edit", "write")), None
        ),
        recall=recall,
        precision=precision,
        f1=2 * recall * precision / (recall + precision) if recall and precision else 0.0 if recall == 0.0 else None,
        order_agreement=_order(rows),
        overhead=len(right_keys) / len(left_keys) if left_keys else None,
    )


def row_kind(left: Keys, right: Keys, same_harness: bool) -> RowKind:
    """The kind of a row that holds two calls.

    Within one harness a different result counts; across harnesses, which word their results differently, only a
    different state does.
    """
    if not (left.signature == right.signature if same_harness else says_the_same(left, right)):
        return "changed_arguments"
    if left.state != right.state or (same_harness and left.result != right.result):
        return "changed_result"
    return "same"


def _rows(pairs: list[Pair], left: tuple[Keys, ...], right: tuple[Keys, ...], same_harness: bool) -> list[Row]:
    rows = []
    for i, j in pairs:
        a = left[i] if i is not None else None
        b = right[j] if j is not None else None
        shown = a or b
        kind: RowKind = row_kind(a, b, same_harness) if a and b else "only_left" if a else "only_right"
        rows.append(
            Row(
                kind=kind,
                left=a.index if a else None,
                right=b.index if b else None,
                effect=shown.effect if shown else "",
                target=shown.target if shown else "",
            )
        )
    return rows


def _moved(rows: list[Row], left: tuple[Keys, ...], right: tuple[Keys, ...]) -> tuple[Row, ...]:
    """Calls that both runs made at different places: an only-left and an only-right row of one key become one row."""
    left_by = {key.index: key for key in left}
    right_by = {key.index: key for key in right}
    waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        if row.kind == "only_right" and row.right is not None:
            waiting[row.effect, row.target].append(number)
    merged: dict[int, int] = {}
    taken: set[int] = set()
    for number, row in enumerate(rows):
        if row.kind != "only_left" or row.left is None:
            continue
        for candidate in waiting[row.effect, row.target]:
            other = rows[candidate].right
            if candidate not in taken and other is not None and says_the_same(left_by[row.left], right_by[other]):
                merged[number] = other
                taken.add(candidate)
                break
    return tuple(
        Row(kind="moved", left=row.left, right=merged[number], effect=row.effect, target=row.target)
        if number in merged
        else row
        for number, row in enumerate(rows)
        if number not in taken
    )


def _sustained(rows: tuple[Row, ...], first: int | None) -> int | None:
    if first is None:
        return None
    for number in range(first, len(rows)):
        window = rows[number : number + _WINDOW]
        if rows[number].kind in ("same", "changed_result") or len(window) < _ENOUGH:
            continue
        if sum(row.kind in TOGETHER for row in window) < _ENOUGH:
            return number
    return None


def _recovery(rows: tuple[Row, ...], sustained: int | None) -> int | None:
    if sustained is None:
        return None
    for number in range(sustained + 1, len(rows)):
        window = rows[number : number + _WINDOW]
        if rows[number].kind in TOGETHER and sum(row.kind in TOGETHER for row in window) >= _ENOUGH:
            return number
    return None


def _order(rows: tuple[Row, ...]) -> float | None:
    """1 minus the share of inverted pairs among calls that both runs have. Merge sort counts them."""
    order = [row.right for row in rows if row.left is not None and row.right is not None]
    if len(order) < 2:
        return None
    pairs = len(order) * (len(order) - 1) / 2
    return 1 - _inversions(order)[1] / pairs


def _inversions(values: list[int]) -> tuple[list[int], int]:
    if len(values) < 2:
        return values, 0
    middle = len(values) // 2
    left, a = _inversions(values[:middle])
    right, b = _inversions(values[middle:])
    merged: list[int] = []
    count, i = a + b, 0
    for value in right:
        while i < len(left) and left[i] <= value:
            merged.append(left[i])
            i += 1
        count += len(left) - i
        merged.append(value)
    return merged + left[i:], count
