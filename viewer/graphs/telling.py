"""The one argument that tells a person what a call did, and how it is cut to the room there is (VISUAL 7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from viewer.analysis.remembered import remembered
from viewer.model import ToolCall, Trajectory
from viewer.tool_calls import command, delegation, head, paths, query, url
from viewer.tool_calls.effect import relative, shared_directory

_LONGEST: Final = 400
ELLIPSIS: Final = "…"
_GO_TO: Final = re.compile(r"^\s*cd\s+[^\s;&|]+\s*(?:&&|;)\s*")
_SCHEME: Final = re.compile(r"\bhttps?://")
_FLAGS: Final = re.compile(r"^(?:-\S+(?:\s+|$))+")
_NUMBER: Final = re.compile(r"^[\d.]+[smhkMG]?$")


@remembered
def run_directory(trajectory: Trajectory) -> str | None:
    """The run's directory, or where the file records none the one that all absolute paths of its files share."""
    return trajectory.directory or shared_directory(trajectory.calls)


def telling(call: ToolCall, directory: str | None = None) -> str:
    """The telling argument of a call, on one line, at most 400 characters; "" when it has none.

    Shell: the command. Read, edit, write: the path (a patch: its first file). Search: pattern and place. Web: address
    or query. Agent: what it is asked. Otherwise the first two arguments as key=value. ``directory`` is the run's:
    it is taken off the paths.
    """
    text = _argument(call, directory)
    if directory and len(directory) > 1:
        text = text.replace(directory.rstrip("/") + "/", "")
    return " ".join(text[: 2 * _LONGEST].split())[:_LONGEST]


def _argument(call: ToolCall, directory: str | None) -> str:
    if call.kind == "shell" and (text := command(call)) is not None:
        return _GO_TO.sub("", text)
    if call.kind in ("read", "edit", "write") and (named := paths(call)):
        more = f" +{len(named) - 1}" if len(named) > 1 else ""
        return relative(named[0], directory) + more
    if call.kind == "search" and (sought := query(call)):
        place = next(iter(paths(call)), "")
        return f"{sought} in {relative(place, directory)}" if place and place != sought else sought
    if call.kind == "web" and (address := url(call) or query(call)):
        return address
    if call.kind == "agent" and (task := delegation(call)):
        return task
    return _pairs(call.arguments)


def _pairs(arguments: object) -> str:
    """The first two arguments, by the file's own order; a lone one, or one that is long, stands without its key."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Mapping):
        return ""
    shown = [(key, value) for key, value in arguments.items() if value not in (None, "", [], {})][:2]
    if len(shown) == 1 and isinstance(shown[0][1], str):
        return shown[0][1]
    return " ".join(f"{key}={str(value)[:_LONGEST]}" for key, value in shown)


def behind(text: str, lane_head: str) -> str:
    """What a command says beyond the head that its lane already names."""
    if not lane_head:
        return text
    before, found, after = text.partition(lane_head)
    if not found or (before and not before[-1].isspace() and before[-1] not in "/;&|("):
        return text
    rest = after.strip()
    return _FLAGS.sub("", rest) or rest


def command_head(call: ToolCall) -> str:
    """Program and subcommand of a shell call, "" for others (and for a shell call without a command)."""
    text = command(call) if call.kind == "shell" else None
    return head(text) if text else ""


def shortened(text: str, characters: int, *, path: bool = False) -> str:
    """``text`` in at most ``characters``: a path loses its head, a command first its flags, then its tail."""
    text = _SCHEME.sub("", text)
    if len(text) <= characters:
        return text
    if characters < 2:
        return ELLIPSIS[:characters]
    if path and " " not in text:
        return _without_head(text, characters)
    text = _without_flags(text)
    if text.startswith(("python -m ", "python3 -m ")) and len(text) > characters:
        text = text.split(" -m ", 1)[1]
    if len(text) <= characters:
        return text
    return text[: characters - 1].rstrip(" …/.,;:") + ELLIPSIS


def _without_head(path: str, characters: int) -> str:
    tail = path[-(characters - 1) :]
    slash = tail.find("/")
    if 0 <= slash < len(tail) - 4:
        tail = tail[slash + 1 :]
    return ELLIPSIS + tail


def _without_flags(text: str) -> str:
    """Flags and their numbers become one ellipsis; ``-m module`` of Python stays, since it says what runs."""
    words = text.split(" ")
    kept: list[str] = []
    flag = False
    for at, word in enumerate(words):
        module = word == "-m" and at == 1 and words[0].startswith("python")
        if at and word.startswith("-") and len(word) > 1 and not module:
            flag = True
            if kept[-1] != ELLIPSIS:
                kept.append(ELLIPSIS)
        elif flag and _NUMBER.match(word):
            continue
        else:
            flag = False
            kept.append(word)
    return " ".join(kept)
