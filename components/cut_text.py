"""Long text: its first lines, then "Show all" and a download. Nothing is dropped, and no page has to draw it all."""

from __future__ import annotations

import re
from typing import Final

import streamlit as st

LINES: Final = 30
CHARACTERS: Final = 6_000
WHOLE_LINES: Final = 2_000
"""Even "Show all" stops here: the browser needs 6 s for 20,000 lines. The download has every line."""
WHOLE_CHARACTERS: Final = 200_000
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


def readable(text: str) -> str:
    """Without terminal colours and cursor moves; other control and direction signs become visible."""
    plain = _ANSI.sub("", text).replace("\r\n", "\n")
    return _UNPRINTABLE.sub(lambda sign: _visible(sign[0]), plain)


def _visible(sign: str) -> str:
    code = ord(sign)
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def cut(text: str, lines: int = LINES, characters: int = CHARACTERS) -> tuple[str, bool]:
    """(the first lines of a text, whether something is missing)."""
    head = text[: characters + 1]
    kept = "\n".join(head.split("\n")[:lines])[:characters]
    return kept, len(kept) < len(text.rstrip("\n"))


def draw_text(text: str, *, name: str, key: str, language: str | None = None) -> None:
    """``text`` in a box that wraps. ``name`` is the download's file name, ``key`` keeps "Show all" apart."""
    plain = readable(text)
    short, more = cut(plain)
    if not more:
        st.code(plain.rstrip("\n") or " ", language=language, wrap_lines=True)
        return
    lines = plain.count("\n") + 1
    everything = st.session_state.get(f"{key} all", False)
    whole, too_long = cut(plain, WHOLE_LINES, WHOLE_CHARACTERS) if everything else (short, True)
    st.code(whole, language=language, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.toggle(f"Show all {lines:,} lines" if lines > 1 else f"Show all {len(plain):,} characters", key=f"{key} all")
        st.download_button(
            "Download", text.encode("utf-8", "surrogatepass"), name, "text/plain", key=f"{key} save",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip
        if everything and too_long:
            st.caption(f"The first {WHOLE_LINES:,} lines; the download has all.", width="content")
