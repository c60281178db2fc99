"""What two calls of two harnesses have in common: three keys, and whether they say the same.

Names differ between harnesses (``Bash``, ``shell``, ``exec_command``), what a call does to what does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from viewer.analysis.results import masked
from viewer.model import State, ToolCall, Trajectory
from viewer.tool_calls import command, effects, head
from viewer.tool_calls.changes import changes

_FINE: Final[frozenset[State]] = frozenset({"ok", "ok_empty"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """A call as alignment sees it. Equal ``signature`` beats equal (effect, target) beats equal (effect, head)."""

    index: int
    signature: str
    effect: str
    target: str
    head: str
    state: State
    said: str
    """The command, or the lines an edit removes and adds; "" where the call does not say."""
    result: str | None
    """The result's text without digests, times, durations and process ids; None for no result."""


def keys(trajectory: Trajectory) -> tuple[Keys, ...]:
    """The keys of the main line's calls, in file order."""
    found = effects(trajectory)
    return tuple(_keys(call, *found[call.index]) for call in trajectory.main_line)


def _keys(call: ToolCall, effect: str, target: str) -> Keys:
    text = command(call)
    return Keys(
        index=call.index,
        signature=call.signature,
        effect="mcp" if effect == "other" else effect,  # whether a file declares its servers is no difference of runs
        target=target,
        head=head(text) if text is not None else call.name if effect in ("mcp", "other") else "",
        state="ok" if call.state in _FINE else call.state,
        said=_said(call, text, effect),
        result=None if call.result is None else masked(call.result.text),
    )


def _said(call: ToolCall, text: str | None, effect: str) -> str:
    if text is not None and effect not in ("edit", "write"):
        return re.sub(r"^\s*cd\s+\S+\s*(?:&&|;)\s*", "", text).strip()
    effects = [change.effect for change in changes(call)]
    removed = ["-" + line for lines, _ in effects for line in lines]
    added = ["+" + line for _, lines in effects for line in lines]
    return "\n".join(removed + added)


def says_the_same(left: Keys, right: Keys) -> bool:
    """Two calls of equal effect and target ask for the same: nothing that both say differs.

    A side that says nothing (a Codex ``file_change`` has no diff, a ``Read`` no command) does not contradict.
    """
    if left.signature == right.signature:
        return True
    if (left.effect, left.target) != (right.effect, right.target):
        return False
    if left.effect in ("read", "search", "web"):  # how it is fetched does not matter, what is fetched does
        return True
    return not left.said or not right.said or left.said == right.said
