"""The only CSS of the app: what the theme cannot say."""

from __future__ import annotations

from typing import Final

import streamlit as st

_STYLE: Final = """<style>
.stMainBlockContainer {{ padding-left: 20px; padding-right: 20px; }}
/* Streamlit's own diff colours have a contrast of 3.0 on a light page, unchanged lines one below 4.5 in both themes. */
[data-testid="stCode"] .token.deleted {{ color: {deleted} !important; }}
[data-testid="stCode"] .token.inserted {{ color: {inserted} !important; }}
[data-testid="stCode"] .token.unchanged {{ color: inherit !important; }}
[data-testid="stCode"] .token.coord {{ color: inherit !important; opacity: .8; }}
/* The table's own CSV leaves formulas of a trace as they are; our downloads don't (components/downloads.py). */
[data-testid="stElementToolbarButton"]:has([aria-label="Download as CSV"]) {{ display: none; }}
[aria-label="Download as CSV"] {{ display: none; }}
/* Streamlit draws no ring around a focused link. */
[data-testid="stTopNavLink"]:focus-visible, [data-testid="stPageLink-NavLink"]:focus-visible {{
  outline: 2px solid {focus}; outline-offset: -2px;
}}
</style>"""


def draw_page_style(theme: str | None) -> None:
    """Constant text for each theme; never trace text."""
    dark = theme == "dark"
    st.html(
        _STYLE.format(
            deleted="#FF9488" if dark else "#B0221A",
            inserted="#74D3A6" if dark else "#146C40",
            focus="#7AB0FF" if dark else "#1F5FBF",
        )
    )
