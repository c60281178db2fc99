"""How a call ended (calls.md 8). ``error`` needs a stated error; text that looks like one is only ``suspect``."""

from __future__ import annotations

import re
from typing import Final

from viewer.model import State
from viewer.tool_calls.found import FoundResult, Status

_PHRASES: Final = ("traceback (most recent call last)", "command not found", "no such file or directory")
_LINE: Final = re.compile(
    r"\n\s*+(?=[<ef{])(?:(?:<[\w-]+>\s*+)?(?:error|exception|failed|fatal)[:\s]|\{\s*\"error\"\s*:)"
)  # without going back and with a look at one letter first it takes a third of the time
_EXIT: Final = re.compile(r"\bexit(?:ed with)? code:? [1-9]\d*\b")
_STRONGER: Final[tuple[State, ...]] = ("denied", "timeout", "interrupted")
_LOOKS: Final = 4_000


def looks_like_error(text: str) -> bool:
    """The text reads like an error message, in its first or last 2,000 characters. Never counted as an error."""
    if len(text) > _LOOKS:
        text = text[: _LOOKS // 2] + "\n" + text[-_LOOKS // 2 :]
    # plain finds and patterns that begin with a literal: this looks at every result of every run
    text = "\n" + text.lower()
    for phrase in _PHRASES:
        if phrase in text:
            return True
    return bool(_LINE.search(text) or ("exit" in text and _EXIT.search(text)))


def state_of(result: FoundResult | None, status: Status | None = None) -> State:
    """The state of a call by its result and by what its own object states.

    Precedence (calls.md 8): denied, timeout, interrupted, error, ok or ok_empty, running, unanswered.
    """
    statuses = (status, result.status if result is not None else None)
    if statuses != (None, None):
        for stated in _STRONGER:
            if stated in statuses:
                return stated
    if result is not None:
        if result.synthetic:
            return "interrupted"
        if result.is_error is True or result.exit_code not in (None, 0) or "error" in statuses:
            return "error"
        return "ok" if result.text or result.images else "ok_empty"
    if status == "error":
        return "error"
    if status == "completed":
        return "ok"  # no result by design, and the file says it finished
    return "running" if status == "running" else "unanswered"
