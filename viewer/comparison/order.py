"""How far two runs make their shared calls in the same order."""

from __future__ import annotations


def order_agreement(order: list[int]) -> float | None:
    """1 minus the share of inverted pairs among calls that both runs have; None for fewer than two. Merge sort counts.

    ``order`` has the second run's call indexes in the order of the first run.
    """
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
