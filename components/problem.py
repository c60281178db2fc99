"""What cannot be shown, and why: found, expected, what to do. Plain text, since all of it may quote a file."""

from __future__ import annotations

import streamlit as st

from components.labels import label
from viewer.errors import AmbiguousFormat, BrokenRun, RunError, UnknownFormat, ViewerError
from viewer.model import Trajectory

_TITLES = {UnknownFormat: "Not recognised", AmbiguousFormat: "Ambiguous", BrokenRun: "Cannot be read"}


def draw_problem(error: ViewerError) -> None:
    """A box with the reason."""
    with st.container(border=True):
        st.badge(_TITLES.get(type(error), "Cannot be opened"), icon=":material/block:", color="orange")
        if not isinstance(error, RunError):
            st.text(str(error))
            return
        st.text(error.path)
        for title, words in (("Found", error.found), ("Expected", error.expected), ("What to do", error.do)):
            if words:
                st.caption(title)
                st.text(words)
        if isinstance(error, BrokenRun) and error.line is not None:
            st.caption(f"Line {error.line:,}")


def draw_uncomparable(letter: str, error: ViewerError) -> None:
    """One of the runs of a comparison that cannot take part, and why: ``B cannot be compared: line 41 is cut off.``"""
    why = error.found if isinstance(error, RunError) else str(error)
    with st.container(border=True):
        st.badge(f"{letter} cannot be compared", icon=":material/block:", color="orange")
        st.text(f"{error.path}: {why}" if isinstance(error, RunError) else why)
        if isinstance(error, RunError) and error.do:
            st.caption("What to do")
            st.text(error.do)


def draw_blocked(trajectory: Trajectory) -> None:
    """Silent loss: no number of the run may be shown."""
    coverage = trajectory.coverage
    with st.container(border=True):
        st.badge("No numbers", icon=":material/block:", color="red")
        st.text(
            f"{coverage.evidence:,} call-like objects stand in the file and {coverage.calls:,} were read. Graph and "
            "metrics are not available, since every number would be wrong. Coverage opens the rows."
        )


def draw_nothing(found: str, do: str, page: str, name: str) -> None:
    """An empty page that says what to do next."""
    with st.container(border=True):
        st.text(found)
        st.caption(do)
        st.page_link(page, label=label(name), icon=":material/arrow_forward:")
