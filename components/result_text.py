"""What a call returned: how much, how long it took, the text, its images."""

from __future__ import annotations

import json
from typing import Final

import streamlit as st

from components import amounts
from components.cut_text import draw_text
from components.images import draw_image
from viewer.model import ToolCall
from viewer.source import Source
from viewer.tool_calls import decoded

_MISSING: Final = {
    "unanswered": "No result in the file: the run ended before it, or it was not recorded.",
    "running": "No result yet: the file says the call was still running.",
    "interrupted": "Interrupted: there is no result.",
    "denied": "Denied: the call never ran.",
}


def draw_result(call: ToolCall, source: Source, *, key: str) -> None:
    """The result, cut after 30 lines; JSON is laid out, terminal colours are taken off. Raw has the bytes."""
    result = call.result
    if result is None:
        st.caption(_MISSING.get(call.state, "No result in the file."))
        return
    text = result.text
    lines = text.count("\n") + bool(text) - text.endswith("\n")
    facts = ["Result", amounts.count(lines, "line"), amounts.count(len(text), "character")]
    if call.duration is not None:
        facts.append(amounts.seconds(call.duration))
    st.caption(" · ".join(facts))
    if text.strip():
        draw_text(_laid_out(text), name=f"call-{call.index + 1}-result.txt", key=f"{key} result {call.index}")
    elif not result.images:
        st.caption("Empty.")
    for image in result.images:
        draw_image(image, source)


def _laid_out(text: str) -> str:
    """JSON with line breaks, JSON inside its texts unpacked; any other text as it is."""
    value = decoded(text) if text.lstrip()[:1] in ("{", "[") and "\n" not in text.strip() else text
    return text if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
