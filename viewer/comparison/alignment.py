"""Global alignment of two call sequences (Needleman-Wunsch), vectorised over anti-diagonals.

Scores: equal signature +3, equal (effect, target) +2, equal (effect, head) +1, differing states -1 on top; unlike calls
never share a row; a gap costs 1. Among equal scores the diagonal wins, then a gap in the left run, and the earliest
pairing. Exact while the matrix has at most 16 million cells; above, unique equal calls anchor it first (patience).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from viewer.comparison.keys import Keys

Pair: TypeAlias = tuple[int | None, int | None]
_CELLS: Final = 16_000_000
_UNLIKE: Final = -3
_GAP: Final = -1
_DIAGONAL, _LEFT_GAP, _RIGHT_GAP = 0, 1, 2


def align(left: Sequence[Keys], right: Sequence[Keys]) -> list[Pair]:
    """Rows of positions into ``left`` and ``right``; None is a gap. Every position occurs once, in order."""
    pairs: list[Pair] = []
    at_left = at_right = 0
    for anchor_left, anchor_right in (*_anchors(left, right), (len(left), len(right))):
        block = _exact(left[at_left:anchor_left], right[at_right:anchor_right])
        pairs += [(None if i is None else i + at_left, None if j is None else j + at_right) for i, j in block]
        if anchor_left < len(left):
            pairs.append((anchor_left, anchor_right))
        at_left, at_right = anchor_left + 1, anchor_right + 1
    return pairs


def _anchors(left: Sequence[Keys], right: Sequence[Keys]) -> list[tuple[int, int]]:
    """Pairs of calls whose signature, or effect and target, occurs once in each run, in increasing order."""
    if len(left) * len(right) <= _CELLS:
        return []
    candidates: dict[int, int] = {}
    for key in (_signature, _effect):
        left_counts, right_counts = Counter(map(key, left)), Counter(map(key, right))
        position = {key(item): j for j, item in enumerate(right) if right_counts[key(item)] == 1}
        for i, item in enumerate(left):
            if left_counts[key(item)] == 1 and (j := position.get(key(item))) is not None:
                candidates.setdefault(i, j)
    anchors = _increasing(sorted(candidates.items()))
    return _filled(left, right, anchors)


def _filled(left: Sequence[Keys], right: Sequence[Keys], anchors: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Splits blocks that are still too large at the equal call nearest to their middle, or at the middle itself."""
    found: list[tuple[int, int]] = []
    low = (-1, -1)
    for high in (*anchors, (len(left), len(right))):
        found += _split(left, right, low, high)
        if high[0] < len(left):
            found.append(high)
        low = high
    return found


def _split(
    left: Sequence[Keys], right: Sequence[Keys], low: tuple[int, int], high: tuple[int, int]
) -> list[tuple[int, int]]:
    rows, columns = high[0] - low[0] - 1, high[1] - low[1] - 1
    if rows * columns <= _CELLS:
        return []
    middle = low[0] + 1 + rows // 2
    share = low[1] + 1 + columns // 2
    for offset in range(min(rows // 2, 500)):
        for i in (middle + offset, middle - offset):
            wanted = _effect(left[i])
            near = [
                j for j in range(max(low[1] + 1, share - 500), min(high[1], share + 500)) if _effect(right[j]) == wanted
            ]
            if near:
                anchor = (i, min(near, key=lambda j: abs(j - share)))
                return [*_split(left, right, low, anchor), anchor, *_split(left, right, anchor, high)]
    return []


def _signature(item: Keys) -> Hashable:
    return item.signature


def _effect(item: Keys) -> Hashable:
    return item.effect, item.target


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second members increase."""
    tails: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        place = bisect_left(tails, j)
        if place == len(tails):
            tails.append(j)
            at.append(number)
        else:
            tails[place] = j
            at[place] = number
        before.append(at[place - 1] if place else -1)
    chain = []
    number = at[-1] if at else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _codes(left: Sequence[Hashable], right: Sequence[Hashable]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    numbers: dict[Hashable, int] = {}
    coded = [
        np.array([numbers.setdefault(key, len(numbers)) for key in side], dtype=np.int32) for side in (left, right)
    ]
    return coded[0], coded[1]


def _exact(left: Sequence[Keys], right: Sequence[Keys]) -> list[Pair]:
    """The best alignment. Scores run from the end, so that the walk from the start meets the earliest pairing first."""
    n, m = len(left), len(right)
    if not n or not m:
        return [(i, None) for i in range(n)] + [(None, j) for j in range(m)]
    signatures = _codes([k.signature for k in left], [k.signature for k in right])
    targets = _codes([(k.effect, k.target) for k in left], [(k.effect, k.target) for k in right])
    heads = _codes([(k.effect, k.head) for k in left], [(k.effect, k.head) for k in right])
    states = _codes([k.state for k in left], [k.state for k in right])
    moves: list[NDArray[np.int8]] = [np.empty(0, np.int8)] * (n + m - 1)
    # best[i] of the diagonals d+1 and d+2, where i + j = d; cells beyond the edge cost their gaps
    one = np.full(n + 1, 0, np.int32)
    two = np.full(n + 1, 0, np.int32)
    one[n] = 0  # diagonal n + m: the corner
    for d in range(n + m - 1, -1, -1):
        here = np.empty(n + 1, np.int32)
        low, high = max(0, d - m + 1), min(n - 1, d)
        if d - m >= 0 and d - m <= n:  # j == m: only left calls remain
            here[d - m] = _GAP * (n - (d - m))
        if d - n >= 0:  # i == n: only right calls remain
            here[n] = _GAP * (m - (d - n))
        if low <= high:
            i = np.arange(low, high + 1)
            j = d - i
            like = np.where(
                signatures[0][i] == signatures[1][j],
                3,
                np.where(targets[0][i] == targets[1][j], 2, np.where(heads[0][i] == heads[1][j], 1, _UNLIKE)),
            )
            like = like - ((states[0][i] != states[1][j]) & (like > 0))
            pair = two[low + 1 : high + 2] + like
            pair[like == _UNLIKE] = np.iinfo(np.int32).min // 2
            left_gap = one[low : high + 1] + _GAP  # a right call alone: i stays, j grows
            right_gap = one[low + 1 : high + 2] + _GAP
            best = np.maximum(np.maximum(pair, left_gap), right_gap)
            here[low : high + 1] = best
            if d < n + m - 1:
                moves[d] = np.where(pair == best, _DIAGONAL, np.where(left_gap == best, _LEFT_GAP, _RIGHT_GAP)).astype(
                    np.int8
                )
        two, one = one, here
    return _walk(moves, n, m)


def _walk(moves: list[NDArray[np.int8]], n: int, m: int) -> list[Pair]:
    pairs: list[Pair] = []
    i = j = 0
    while i < n or j < m:
        if i == n:
            move = _LEFT_GAP
        elif j == m:
            move = _RIGHT_GAP
        else:
            move = int(moves[i + j][i - max(0, i + j - m + 1)])
        pairs.append((i if move != _LEFT_GAP else None, j if move != _RIGHT_GAP else None))
        i += move != _LEFT_GAP
        j += move != _RIGHT_GAP
    return pairs
