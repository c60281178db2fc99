"""What two calls of two harnesses have in common: three keys, and whether they say the same.

Names differ between harnesses (``Bash``, ``shell``, ``exec_command``), what a call does to what does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from viewer.analysis.results import masked
from viewer.model import State, ToolCall, Trajectory
from viewer.tool_calls import command, effects, head
from viewer.tool_calls.changes import changes

PairKind: TypeAlias = Literal["same", "changed_arguments", "changed_result"]
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
    script: str = ""
    """The command of an edit whose lines cannot be told from it (a heredoc of Python): its text still holds them."""
    result: str | None
    """The result's text without digests, times, durations and process ids; None for no result."""


def keys(trajectory: Trajectory) -> tuple[Keys, ...]:
    """The keys of the main line's calls, in file order."""
    found = effects(trajectory)
    return tuple(_keys(call, *found[call.index]) for call in trajectory.main_line)


def _keys(call: ToolCall, effect: str, target: str) -> Keys:
    text = command(call)
    said = _said(call, text, effect)
    return Keys(
        index=call.index,
        signature=call.signature,
        effect="mcp" if effect == "other" else effect,  # whether a file declares its servers is no difference of runs
        target=target,
        head=head(text) if text is not None else call.name if effect in ("mcp", "other") else "",
        state="ok" if call.state in _FINE else call.state,
        said=said,
        script=text if text and not said and effect in ("edit", "write") else "",
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

    A side that says nothing (a Codex ``file_change`` has no diff, a ``Read`` no command) does not contradict. A script
    that edits contradicts when a line that the other edit adds is nowhere in it.
    """
    if left.signature == right.signature:
        return True
    if (left.effect, left.target) != (right.effect, right.target):
        return False
    if left.effect in ("read", "search", "web"):  # how it is fetched does not matter, what is fetched does
        return True
    if left.said and right.said:
        return left.said == right.said
    if left.script and right.script:
        return left.script == right.script
    return _holds(left.script, right.said) and _holds(right.script, left.said)


def _holds(script: str, said: str) -> bool:
    """Every line that an edit adds stands in the script, quoting aside; true when either says nothing."""
    text = script.replace("\\", "")
    added = (line[1:].strip().replace("\\", "") for line in said.splitlines() if line.startswith("+"))
    return not script or all(line in text for line in added)


def pair_kind(left: Keys, right: Keys, *, same_harness: bool) -> PairKind:
    """How two calls of one row relate.

    Within one harness a different result counts; across harnesses, which word their results differently, only a
    different state does.
    """
    if not (left.signature == right.signature if same_harness else says_the_same(left, right)):
        return "changed_arguments"
    if left.state != right.state or (same_harness and left.result != right.result):
        return "changed_result"
    return "same"
