"""Shares with their uncertainty, exact: nothing here knows what is counted.

Wilson's score interval (Wilson 1927), Newcombe's hybrid interval of a difference (Newcombe 1998, method 10), McNemar's
exact test (McNemar 1947, binomial), Holm's correction (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import quantiles
from typing import Final

Z: Final = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """``count`` of ``n``. ``value`` and the 95 % interval ``low`` to ``high`` are None over nothing."""

    count: int
    n: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One share minus another, with a 95 % interval; all None when either is over nothing."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Numbers of ``n`` runs that recorded one; the quartiles by linear interpolation, None without any."""

    n: int
    least: float | None
    lower: float | None
    median: float | None
    upper: float | None
    most: float | None
    total: float | None


def share(count: int, n: int) -> Share:
    """Wilson's 95 % interval, without continuity correction. 0 <= count <= n."""
    if not n:
        return Share(count=0, n=0, value=None, low=None, high=None)
    value = count / n
    width = 1 + Z * Z / n
    middle = (value + Z * Z / (2 * n)) / width
    half = Z * sqrt(value * (1 - value) / n + Z * Z / (4 * n * n)) / width
    # at the ends the formula is exactly 0 and 1; floating point is not
    low = 0.0 if count == 0 else max(0.0, middle - half)
    high = 1.0 if count == n else min(1.0, middle + half)
    return Share(count=count, n=n, value=value, low=low, high=high)


def difference(one: Share, other: Share) -> Difference:
    """``one`` minus ``other``, independent samples."""
    if one.value is None or one.low is None or one.high is None:
        return Difference(value=None, low=None, high=None)
    if other.value is None or other.low is None or other.high is None:
        return Difference(value=None, low=None, high=None)
    value = one.value - other.value
    down = sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    up = sqrt((one.high - one.value) ** 2 + (other.value - other.low) ** 2)
    return Difference(value=value, low=max(-1.0, value - down), high=min(1.0, value + up))


def mcnemar(only_one: int, only_other: int) -> float:
    """Two-sided exact p of McNemar's test from the discordant pairs; 1.0 without any.

    Twice the smaller tail of the binomial with p = 0.5, at most 1.
    """
    n = only_one + only_other
    tail = sum(comb(n, k) for k in range(min(only_one, only_other) + 1))
    return float(min(1.0, 2 * tail / (1 << n)))


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """The p values, corrected for there being several, in the given order."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[at]))
        corrected[at] = highest
    return tuple(corrected)


def spread(values: Iterable[float | None]) -> Spread:
    """Quartiles of what is recorded; None is left out."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return Spread(n=0, least=None, lower=None, median=None, upper=None, most=None, total=None)
    lower, median, upper = quantiles(known, n=4, method="inclusive") if len(known) > 1 else (known[0],) * 3
    return Spread(
        n=len(known), least=known[0], lower=lower, median=median, upper=upper, most=known[-1], total=sum(known)
    )
