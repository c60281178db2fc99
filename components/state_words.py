"""What the state of a call is called, and its sign; a colour never stands alone."""

from __future__ import annotations

from typing import Final, Literal

from viewer.figures.theme import STATE_WORDS
from viewer.model import Kind, State, ToolCall

Colour = Literal["red", "orange", "blue", "green", "violet", "gray"]

COLOURS: Final[dict[State, Colour]] = {
    "ok": "gray",
    "ok_empty": "gray",
    "error": "red",
    "denied": "orange",
    "timeout": "orange",
    "interrupted": "orange",
    "running": "blue",
    "unanswered": "gray",
    "superseded": "gray",
}
ICONS: Final[dict[Kind, str]] = {
    "shell": ":material/terminal:",
    "read": ":material/description:",
    "edit": ":material/edit:",
    "write": ":material/note_add:",
    "search": ":material/search:",
    "web": ":material/public:",
    "plan": ":material/checklist:",
    "agent": ":material/smart_toy:",
    "mcp": ":material/extension:",
    "finish": ":material/flag:",
    "other": ":material/help:",
}


def state_words(call: ToolCall, *, check: bool = False) -> str:
    """``error · exit 1``, ``ok``: the state and, where the file states one, the exit code that is not 0.

    ``check``: the error is a failed check, which is no error of the agent's and so is not called one.
    """
    word = "failed check" if check else STATE_WORDS[call.state]
    code = call.result.exit_code if call.result else None
    return f"{word} · exit {code}" if code else word
