"""Two texts as one: what is gone struck out, what is new underlined. Trace text goes in by textContent alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from components.cut_text import readable
from viewer.comparison.difference import Piece

SHOWN: Final = 12_000
"""Characters on screen."""
_NEAR: Final = 160
"""Characters of an unchanged stretch that stay on either side of a change."""
_HTML: Final = '<pre role="group"></pre>'
_CSS: Final = """
pre { margin: 0; padding: 10px 12px; border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 12.5px/1.5 var(--st-code-font); color: var(--st-text-color); background: var(--st-code-background-color); }
del { color: var(--st-red-text-color); background: var(--st-red-background-color); text-decoration: line-through; }
ins { color: var(--st-green-text-color); background: var(--st-green-background-color); text-decoration: underline; }
"""
_JS: Final = """
export default function ({ parentElement, data }) {
  const box = parentElement.querySelector('pre');
  box.setAttribute('aria-label', data.label);
  box.replaceChildren();
  for (const [kind, text] of data.pieces) {
    const piece = document.createElement(kind === 'gone' ? 'del' : kind === 'new' ? 'ins' : 'span');
    piece.textContent = text;
    box.append(piece);
  }
}
"""
_element = st.components.v2.component("trajectory_viewer.word_difference", html=_HTML, css=_CSS, js=_JS)


def draw_word_difference(pieces: Sequence[Piece], label: str, *, key: str) -> None:
    """``label`` says to those who cannot see it what is compared; only our own words."""
    shown, left_out = shortened_pieces(pieces)
    _element(key=key, data={"pieces": [[kind, readable(text)] for kind, text in shown], "label": label})
    if left_out:
        st.caption(f"{left_out:,} characters behind these are not shown.")


def shortened_pieces(pieces: Sequence[Piece]) -> tuple[list[Piece], int]:
    """Long unchanged stretches lose their middle; what exceeds the room is counted, not drawn."""
    found: list[Piece] = []
    used = 0
    for at, (kind, whole) in enumerate(pieces):
        text = whole
        if kind == "same" and len(whole) > 3 * _NEAR:
            head = whole[:_NEAR] if at else ""
            tail = whole[-_NEAR:] if at < len(pieces) - 1 else ""
            text = f"{head} … {tail}"
        if used + len(text) > SHOWN:
            room = max(0, SHOWN - used)
            found += [(kind, text[:room])] if room else []
            return found, sum(len(other) for _, other in pieces[at:]) - room
        used += len(text)
        found.append((kind, text))
    return found, 0
