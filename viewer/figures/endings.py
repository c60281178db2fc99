"""How calls ended, as bars are drawn: a colour and a pattern for each state, failed checks apart from other errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from viewer.figures.theme import CHECK_GLYPH, CHECK_SYMBOL, GLYPHS, STATE_WORDS, SYMBOLS, Theme
from viewer.model import STATES, State, ToolCall

End: TypeAlias = State | Literal["check"]
"""A state, or a failed check: an error that answers a question."""
ENDS: Final[tuple[End, ...]] = (
    *("ok", "ok_empty", "check"),
    *(state for state in STATES if state not in ("ok", "ok_empty", "superseded")),
)
"""In the order of a bar. Superseded calls stand in no count, so they have no part in one."""
_PATTERNS: Final[dict[End, str]] = {
    "ok": "",
    "ok_empty": "",
    "check": "/",
    "error": "x",
    "denied": "-",
    "timeout": "|",
    "interrupted": "+",
    "running": "\\",
    "unanswered": ".",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How one ending looks: in a bar, as a mark, as a sign in a text, in words."""

    colour: str
    marker: dict[str, Any]
    symbol: str
    glyph: str
    words: str


def look(end: End, theme: Theme) -> Look:
    """Colour and shape say it twice, so that nothing hangs on the colour alone."""
    state: State = "error" if end == "check" else end
    colour = theme.state(state)
    marker: dict[str, Any] = {"color": colour, "line": {"width": 0}}
    if end == "ok_empty":  # as its circle: an outline
        marker = {"color": theme.chip, "line": {"width": 1, "color": colour}}
    pattern = {"shape": _PATTERNS[end], "fgcolor": theme.background, "bgcolor": colour, "size": 5, "solidity": 0.28}
    check = end == "check"
    return Look(
        colour=colour,
        marker={**marker, "pattern": pattern} if _PATTERNS[end] else marker,
        symbol=CHECK_SYMBOL if check else SYMBOLS[state],
        glyph=CHECK_GLYPH if check else GLYPHS[state],
        words="failed check" if check else STATE_WORDS[state],
    )


def ended(call: ToolCall, checks: frozenset[int]) -> End:
    """How a call ended."""
    return "check" if call.index in checks else call.state


def ending_words(ends: Sequence[End]) -> str:
    """``● ok 3 · ✖ error 5 · ✕ failed check 6``: a legend that counts."""
    return " · ".join(
        f"{CHECK_GLYPH if end == 'check' else GLYPHS[end]} "
        f"{'failed check' if end == 'check' else STATE_WORDS[end]} {ends.count(end):,}"
        for end in ENDS
        if end in ends
    )
