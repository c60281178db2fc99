"""Asking a judge: first exactly what would leave this machine, then a button that sends it. Nothing is sent before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

SHOWN: Final = 20_000
"""Characters of the preview on screen; the download has all of it."""


def draw_judge(
    *, model: str, host: str, preview: str, ask: Callable[[], None], problems: Sequence[str], asked: bool, key: str
) -> None:
    """A closed box until somebody opens it. ``problems`` are the last answer's, as sentences."""
    title = f"A judge has been asked: {model}" if asked else f"Ask a judge: {model} at {host}"
    with st.expander(title.replace("[", "(").replace("]", ")"), expanded=bool(problems), icon=":material/gavel:"):
        for problem in problems:
            st.text(problem)
        st.caption(
            f"This text would leave for {host}: {len(preview):,} characters. What looks like a secret is masked; "
            "read it all the same."
        )
        st.code(preview[:SHOWN], language=None, wrap_lines=True, height=260)
        if len(preview) > SHOWN:
            st.caption(f"The first {SHOWN:,} characters.")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if st.button("Send it again" if asked else "Send it", key=f"{key} send", icon=":material/send:"):
                with st.spinner("Waiting for the judge …", show_time=True):
                    ask()
                st.rerun()
            st.download_button("Download what would leave", preview, f"{key}.txt", "text/plain", key=f"{key} download")
