"""The text a judge model would read: one line a call, cut to size; the full text is what searches run over.

``step. name(arguments) -> result``. Cuts are by characters, ``…(+N)`` says how many are missing (analysis.md 5).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Final

from viewer.analysis import refuse_blocked
from viewer.analysis.scope import main_calls
from viewer.analysis.search import compiled
from viewer.errors import ViewerError
from viewer.model import Json, Step, ToolCall, Trajectory
from viewer.tool_calls import decoded

_FENCED: Final = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)
_NEWLINE: Final = "⏎"
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode


class UnusableSetting(ViewerError):
    """A cut that is no whole number of at least 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """How much of a log is told: whole numbers of at least 1, None for all. Raises ``UnusableSetting`` for others."""

    max_args_chars: int | None = 110
    max_result_chars: int | None = 160
    max_lines: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and (type(value) is not int or value < 1):
                raise UnusableSetting(f"{field.name} is {value!r}; it must be a whole number of at least 1, or empty.")

    def as_mapping(self) -> dict[str, int | None]:
        """The settings as they stand in a link or a file; ``from_mapping`` reads them back."""
        return asdict(self)

    @classmethod
    def from_mapping(cls, settings: Mapping[str, Json]) -> Cuts:
        """Raises ``UnusableSetting`` for values that are none, and for names that are not known."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(settings) - known):
            raise UnusableSetting(f"Unknown: {', '.join(unknown)}; known are {', '.join(sorted(known))}.")
        return cls(**settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One call's line. ``call`` and ``step`` are None on the one line that says what is left out."""

    text: str
    full: str
    call: int | None
    step: int | None
    error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionLog:
    """The lines shown, and how many calls ``left_out`` have none."""

    lines: tuple[LogLine, ...]
    left_out: int
    cuts: Cuts

    @property
    def text(self) -> str:
        """The whole log, for copying."""
        return "\n".join(line.text for line in self.lines)


def action_log(trajectory: Trajectory, cuts: Cuts | None = None) -> ActionLog:
    """The main line's calls, sub-agents included, in file order. Raises ``Blocked``."""
    refuse_blocked(trajectory)
    cuts = cuts or Cuts()
    lines = [log_line(call, cuts) for call in main_calls(trajectory)]
    kept, left_out = _shortened(lines, cuts.max_lines)
    return ActionLog(lines=tuple(kept), left_out=left_out, cuts=cuts)


def log_line(call: ToolCall, cuts: Cuts) -> LogLine:
    """One call's line; steps count from 1 for people."""
    arguments, result = _arguments(call), _result(call)
    head = f"{call.step + 1}. {call.name}"
    return LogLine(
        text=f"{head}({cut(arguments, cuts.max_args_chars)}) -> {cut(result, cuts.max_result_chars)}",
        full=f"{head}({arguments}) -> {result}",
        call=call.index,
        step=call.step,
        error=call.state == "error",
    )


def cut(text: str, limit: int | None) -> str:
    """The first ``limit`` characters and how many are missing; a surrogate pair is never torn."""
    if limit is None or len(text) <= limit:
        return text
    if "\ud800" <= text[limit - 1] <= "\udbff" and "\udc00" <= text[limit] <= "\udfff":
        limit -= 1
    return f"{text[:limit]}…(+{len(text) - limit})"


def matching(log: ActionLog, pattern: str) -> tuple[int, ...]:
    """Positions of the lines whose full text matches. Raises ``search.UnusablePattern``."""
    found = compiled(pattern)
    return tuple(position for position, line in enumerate(log.lines) if found.search(line.full))


def action_text(trajectory: Trajectory, step: Step) -> str:
    """``name: arguments`` of a step's calls, one a line; without calls its last fenced block, else ""."""
    if step.calls:
        calls = (trajectory.calls[index] for index in step.calls)
        return "\n".join(f"{call.name}: {_arguments(call)}" for call in calls)
    blocks = _FENCED.findall(step.text)
    return str(blocks[-1]).strip() if blocks else ""


def _arguments(call: ToolCall) -> str:
    if call.arguments is None:
        return ""
    return _line(decoded(call.arguments))


def _result(call: ToolCall) -> str:
    if call.result is None:
        return f"[{call.state}]"
    if call.state == "error":
        return _line({"error": decoded(call.result.text)})
    text = call.result.text or ("[image]" if call.result.images else "[empty]")
    return _line(decoded(text)) if call.state in ("ok", "ok_empty") else f"[{call.state}] {_line(decoded(text))}"


def _line(value: Json) -> str:
    if not isinstance(value, str):
        try:
            value = _JSON(value)
        except (TypeError, ValueError, RecursionError):
            value = str(value)
    return _NEWLINE.join(value.strip().splitlines())


def _shortened(lines: Sequence[LogLine], limit: int | None) -> tuple[list[LogLine], int]:
    """First and last halves and every line with an error; one line, where the first gap is, says what is missing."""
    if limit is None or len(lines) <= limit:
        return list(lines), 0
    first, last = limit - limit // 2, limit // 2
    middle = lines[first : len(lines) - last]
    errors = [line for line in middle if line.error]
    missing = len(middle) - len(errors)
    if not missing:
        return list(lines), 0
    words = f"… {missing:,} of {len(lines):,} calls left out" + (
        f"; the {len(errors):,} with an error among them are kept" if errors else ""
    )
    gap = LogLine(text=words, full=words, call=None, step=None, error=False)
    return [*lines[:first], gap, *errors, *lines[len(lines) - last :]], missing
