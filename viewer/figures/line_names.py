"""Names at the left of a figure's lines: cut to a length, with the margin that they need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

LONGEST: Final = 32
_LETTER: Final = 6.4
"""Pixels of a letter at 12 px, on average."""


def short(text: str, limit: int = LONGEST) -> str:
    """One line of at most ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def room(names: Iterable[str], limit: int = LONGEST) -> int:
    """The margin in pixels that the longest of these needs."""
    return int(20 + _LETTER * max((len(short(name, limit)) for name in names), default=0))
