"""What a level of confidence is worth: how often the root was right on runs with human-labelled steps.

Measured by ``tests/benchmarks/localization.py``, which prints this table; never set by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Exact hits of the labelled step among ``runs`` runs of one level, with the Wilson 95 % interval."""

    exact: int
    runs: int
    low: float
    high: float


MEASURED: Final[dict[str, Measured]] = {}
"""Level -> measured; empty until the benchmark has been run."""


def accuracy(level: str | None) -> float | None:
    """The measured accuracy of a level, 0 to 1; None where it was not measured."""
    found = MEASURED.get(level or "")
    return round(found.exact / found.runs, 4) if found and found.runs else None
