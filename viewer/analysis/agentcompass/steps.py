"""A run as AgentCompass's analyzers look at it: its steps with their ids, and calls as name and JSON of arguments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from viewer.analysis.scope import model_steps, replies
from viewer.model import Step, ToolCall, Trajectory

Details: TypeAlias = dict[str, Any]

FORMAT: Final = "actf"
"""The format that AgentCompass writes and its analyzers read."""
READ: Final = ("function", "name")
"""Where the release looks for a call's name: how the model says a call was found, no guess at a payload."""
_SORTED: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
_PLAIN: Final = json.JSONEncoder(ensure_ascii=False).encode
_LONGEST_ID: Final = 18


class SeenCall(NamedTuple):
    """A call as the analyzers see it: name, and arguments as JSON with sorted keys."""

    name: str
    key: str
    call: ToolCall


@dataclass(frozen=True, slots=True)
class SeenStep:
    """A step as the analyzers see it. ``id`` is the file's own where AgentCompass wrote it, else counted from 1."""

    step: Step
    id: int | str
    calls: tuple[SeenCall, ...]
    entries: int
    """Calls with or without a name."""
    reply: bool


def seen_steps(trajectory: Trajectory, *, shipped: bool) -> list[SeenStep]:
    """The main line's steps of role model. ``shipped``: with those calls only that the release itself reads."""
    steps = model_steps(trajectory)
    replied = {step.index for step in replies(steps)}
    found = []
    for place, step in enumerate(steps, 1):
        calls = [trajectory.calls[index] for index in step.calls]
        label = step.label if trajectory.format == FORMAT else None
        found.append(
            SeenStep(
                step,
                int(label) if label and label.isdecimal() and len(label) <= _LONGEST_ID else label or place,
                tuple(
                    SeenCall(call.raw_name or "" if shipped else call.name, arguments_key(call), call)
                    for call in calls
                    if (call.name_at == READ if shipped else True) and (call.raw_name or call.name != "unknown")
                ),
                len(calls),
                step.index in replied,
            )
        )
    return found


def arguments_key(call: ToolCall) -> str:
    """A call's arguments as JSON with sorted keys: what makes two calls equal for AgentCompass."""
    return dumped(call.arguments, sort_keys=True)


def dumped(value: Any, *, sort_keys: bool = False) -> str:
    """JSON as AgentCompass writes it."""
    try:
        return (_SORTED if sort_keys else _PLAIN)(value)
    except (TypeError, ValueError, RecursionError):
        return str(value)
