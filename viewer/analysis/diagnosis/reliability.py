"""What a level of confidence is worth: how often the root was right on runs with human-labelled steps.

Measured by ``tests/benchmarks/localization.py``, which prints this table and is tested to agree with it; never set by
hand. The labelled runs are conversations (half of Who&When, arXiv 2505.00212) and customer service chats (half of
AgentRx's tau-bench, where the rules name no root): nobody has labelled coding agents' runs this way yet, so for those
a level says how the reasons count, and its number is borrowed. The rules were chosen on the same runs.
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


MEASURED: Final[dict[str, Measured]] = {
    "likely": Measured(exact=14, runs=24, low=0.3883, high=0.7553),
    "possible": Measured(exact=20, runs=41, low=0.3425, high=0.6352),
    "weak": Measured(exact=5, runs=24, low=0.0924, high=0.4047),
}
"""Level -> measured."""


def accuracy(level: str | None) -> float | None:
    """The measured accuracy of a level, 0 to 1; None where it was not measured."""
    found = MEASURED.get(level or "")
    return round(found.exact / found.runs, 4) if found and found.runs else None
