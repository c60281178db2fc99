"""Action log: what a judge model would read of the run, one line a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from viewer.analysis.action_log import ActionLog, Cuts, UnusableSetting, matching
from viewer.analysis.search import UnusablePattern

SHOWN: Final = 300
"""Lines on screen: a code block of thousands of lines takes seconds. The download has all."""


def draw_action_log(make: Callable[[Cuts], ActionLog], name: str) -> None:
    """The log with its cuts, a search over the full text, copy (in the block's corner) and download."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        arguments = st.number_input("Argument characters", 1, value=110, key="log arguments", width=150)
        results = st.number_input("Result characters", 1, value=160, key="log results", width=150)
        lines = st.number_input(
            "Lines", 1, value=None, key="log lines", width=120, placeholder="all",
            help="With a limit, the first and last halves and every error line stay.",
        )  # fmt: skip
        pattern = st.text_input("Find in the full text (regex)", key="log search", width=260)
    try:
        log = make(Cuts(max_args_chars=int(arguments), max_result_chars=int(results), max_lines=lines))
    except UnusableSetting as error:
        st.text(str(error))
        return
    rows = range(len(log.lines))
    if pattern:
        try:
            rows = matching(log, pattern)  # type: ignore[assignment]
        except UnusablePattern as error:
            st.text(str(error))
            return
        if not rows:
            st.text(f"Nothing matches {pattern!r}. Clear the search.")
            return
    shown = [log.lines[row].text for row in rows]
    errors = sum(line.error for line in log.lines)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"{len(shown):,} of {len(log.lines):,} lines · {errors:,} errors · {log.left_out:,} left out")
        st.download_button("Download", log.text, f"{name}.actions.txt", "text/plain", icon=":material/download:")
    st.code("\n".join(shown[:SHOWN]) or "No calls.", language=None, wrap_lines=True)
    if len(shown) > SHOWN:
        st.caption(f"The first {SHOWN:,} lines; the download has all.")
