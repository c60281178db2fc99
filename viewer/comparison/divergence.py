"""Where aligned runs part, for good or for a while, and the row that matters most (decisions.md 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

TOGETHER: Final = frozenset({"same", "changed_arguments", "changed_result"})
"""Kinds of rows in which all runs made the call."""
AGREEING: Final = frozenset({"same", "changed_result"})
"""Kinds of rows in which all runs asked for the same."""
_DECISIVE: Final = frozenset({"edit", "write"})
_WINDOW: Final = 5
_ENOUGH: Final = 2

DEFINITIONS: Final = {
    "first_divergence": "The first row that is neither the same nor the same call with another result.",
    "decisive": "The first edit or write whose arguments or result differ, or that some runs lack.",
    "first_sustained_divergence": "From this row on fewer than 2 of the next 5 rows hold a call of every run.",
    "recovery": "The first row behind a sustained divergence from which 2 of the next 5 rows are shared again.",
}


def first_divergence(kinds: Sequence[str]) -> int | None:
    """The first row that is neither same nor changed result."""
    return next((number for number, kind in enumerate(kinds) if kind not in AGREEING), None)


def sustained_divergence(kinds: Sequence[str]) -> int | None:
    """The first diverging row from which fewer than 2 of the next 5 rows hold a call of every run."""
    for number, kind in enumerate(kinds):
        window = kinds[number : number + _WINDOW]
        if kind in AGREEING or len(window) < _ENOUGH:
            continue
        if sum(other in TOGETHER for other in window) < _ENOUGH:
            return number
    return None


def recovery(kinds: Sequence[str], sustained: int | None) -> int | None:
    """The first shared row behind a sustained divergence from which 2 of the next 5 rows are shared."""
    if sustained is None:
        return None
    for number in range(sustained + 1, len(kinds)):
        window = kinds[number : number + _WINDOW]
        if kinds[number] in TOGETHER and sum(other in TOGETHER for other in window) >= _ENOUGH:
            return number
    return None


def decisive_row(kinds: Sequence[str], effects: Sequence[str]) -> int | None:
    """The first edit or write that is not the same in all runs. One that only moved is none."""
    for number, (kind, effect) in enumerate(zip(kinds, effects, strict=True)):
        if effect in _DECISIVE and kind not in ("same", "moved"):
            return number
    return None
