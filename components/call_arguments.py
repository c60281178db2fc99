"""The arguments of a call: commands and code as text, edits as diffs, everything else as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

import streamlit as st

from components.cut_text import draw_text
from components.labels import label
from viewer.model import Json, ToolCall
from viewer.tool_calls import command, decoded
from viewer.tool_calls.changes import changes, unified

LONG: Final = 160
"""A value of more characters, or of several lines, stands below the table as text."""


def draw_arguments(call: ToolCall, *, key: str) -> None:
    """Everything the call was given; nothing is left out, though repeated values may be folded."""
    text = command(call)
    if text is not None and not isinstance(call.arguments, str):
        draw_text(text, name=f"call-{call.index + 1}-command.txt", key=f"{key} command {call.index}")
        _draw_rest(call, text, key)
        return
    made = changes(call) if call.kind in ("edit", "write") else ()
    if made:
        for number, change in enumerate(made):
            if change.path:
                st.text(change.path)
            if change.old is None and change.new is not None:  # the whole file: its text says more than plus signs
                draw_text(change.new, name=f"call-{call.index + 1}-file.txt", key=f"{key} write {call.index} {number}")
            else:
                draw_text(
                    unified(change),
                    name=f"call-{call.index + 1}.diff",
                    key=f"{key} edit {call.index} {number}",
                    language="diff",
                )
        return
    if isinstance(call.arguments, str):
        draw_text(call.arguments, name=f"call-{call.index + 1}-arguments.txt", key=f"{key} arguments {call.index}")
    elif call.arguments is None:
        st.caption("The file records no arguments.")
    elif not call.arguments:
        st.caption("Called without arguments.")
    else:
        _draw_table(call.arguments, call, key)


def _draw_rest(call: ToolCall, shown: str, key: str) -> None:
    """What a command was given besides itself: a description, a timeout, a directory."""
    if isinstance(call.arguments, Mapping):
        rest = {name: value for name, value in call.arguments.items() if not _says(value, shown)}
        if rest:
            st.caption("also: " + ", ".join(f"{_plain(name)} = {_plain(_one_line(rest[name]))}" for name in rest))


def _says(value: Json, shown: str) -> bool:
    """The value is the command that was already shown, wrapped in a shell or not."""
    if isinstance(value, list):
        value = value[-1] if value and isinstance(value[-1], str) else None
    return isinstance(value, str) and (value == shown or (len(shown) > 3 and shown in value))


def _draw_table(arguments: Mapping[str, Json], call: ToolCall, key: str) -> None:
    short = {name: _one_line(value) for name, value in arguments.items() if not _is_long(value)}
    if short:
        st.dataframe(
            {"argument": list(short), "value": list(short.values())},
            hide_index=True,
            row_height=28,
            height="content",
            key=f"{key} table {call.index}",
            column_config={"argument": st.column_config.TextColumn(width="small")},
        )
    for number, (name, value) in enumerate(item for item in arguments.items() if _is_long(item[1])):
        st.text(name)
        body = value if isinstance(value, str) else json.dumps(decoded(value), indent=2, ensure_ascii=False)
        draw_text(body, name=f"call-{call.index + 1}-argument.txt", key=f"{key} long {call.index} {number}")


def _is_long(value: Json) -> bool:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return len(text) > LONG or (isinstance(value, str) and "\n" in value.strip())


def _one_line(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _plain(text: str) -> str:
    return label(text, 100)
