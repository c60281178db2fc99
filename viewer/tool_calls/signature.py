"""When two calls are equal: canonical JSON of name and arguments (calls.md 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import orjson

from viewer.messages import spelled
from viewer.model import Json, Kind
from viewer.tool_calls.arguments import PATH_KEYS, command_of

VOLATILE: Final = frozenset(
    "description summary security_risk thought timeout timeout_ms yield_time_ms max_output_tokens max_tokens login "
    "is_input blocking hidden confirmation_state riskLevel riskLevelReason instruction toolCallId tool_call_id "
    "receiver_thread_ids sender_thread_id".split()
)
_FOLDED: Final = frozenset({"shell", "read", "edit", "write", "search", "web", "agent"})
_DEFAULTS: Final = frozenset({"replace_all", "is_background"})
_WORKDIR: Final = frozenset({"workdir", "cwd"})
_DROPPED_IF: Final = _DEFAULTS | _WORKDIR
_COMMAND_KEYS: Final = frozenset({"command", "cmd", "script", "keystrokes", "code", "chars", "commands"})
_OPTIONS: Final = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS


def signature(name: str, kind: Kind, arguments: Mapping[str, Json] | str | None, directory: str | None = None) -> str:
    """Compact JSON ``[name, arguments]``, keys sorted, without volatile keys (top level, kinds with known tools only).

    Paths at path keys become relative to ``directory``. White space, case and number spelling count.
    """
    value: Json = arguments
    if kind in _FOLDED:
        if kind == "shell" and (command := command_of(arguments, shell=True)) is not None:
            rest = arguments if isinstance(arguments, Mapping) else {}
            value = {"command": command}
            for key, item in rest.items():
                if key not in _COMMAND_KEYS and key not in VOLATILE and not _drops(key, item, directory):
                    value[key] = item
        elif isinstance(arguments, Mapping):
            value = {
                key: _relative(item, directory) if directory and key in PATH_KEYS else item
                for key, item in arguments.items()
                if key not in VOLATILE and not (key in _DROPPED_IF and _drops(key, item, directory))
            }
            if directory and isinstance(changes := value.get("changes"), list):
                value["changes"] = [
                    {**change, "path": _relative(change["path"], directory)}
                    if isinstance(change, dict) and "path" in change
                    else change
                    for change in changes
                ]
    return dumped([name, value])


def dumped(value: Json) -> str:
    """Canonical JSON. A text that UTF-8 cannot hold, or nesting too deep, falls back to its Python spelling."""
    try:
        return orjson.dumps(value, option=_OPTIONS).decode()
    except orjson.JSONEncodeError:
        return spelled(value)


def _drops(key: str, item: Json, directory: str | None) -> bool:
    if key in _DEFAULTS:
        return item is False
    return (
        key in _WORKDIR and directory is not None and item in (directory, directory.rstrip("/"), directory + "/", ".")
    )


def _relative(item: Json, directory: str | None) -> Json:
    if not isinstance(item, str) or not directory:
        return item
    folder = directory.rstrip("/")
    if item.rstrip("/") == folder:
        return "."
    return item[len(folder) + 1 :] if item.startswith(folder + "/") else item
