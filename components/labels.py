"""Trace text inside a label: Streamlit renders labels as markdown, which fetches images and knows directives."""

from __future__ import annotations

from string import punctuation
from typing import Final

_ENTITIES: Final = str.maketrans({sign: f"&#{ord(sign)};" for sign in punctuation})


def label(text: str, limit: int = 80) -> str:
    """``text`` as a markdown label that shows these very characters and does nothing else.

    Every ASCII punctuation sign becomes a numeric entity (a backslash would be shown by badges), white space folds to
    single blanks, and what is longer than ``limit`` characters ends in an ellipsis. Labels only: ``st.text``,
    ``st.code`` and table cells take trace text as it is.
    """
    return shortened(text, limit).translate(_ENTITIES)


def shortened(text: str, limit: int = 80) -> str:
    """One line of at most ``limit`` characters, white space folded."""
    line = " ".join(text[: 4 * limit + 200].split())
    return line if len(line) <= limit and len(text) <= 4 * limit + 200 else line[: limit - 1].rstrip() + "…"


def path_tail(path: str, limit: int = 40) -> str:
    """A path that loses its head, not its file name."""
    return path if len(path) <= limit else "…" + path[-(limit - 1) :]
