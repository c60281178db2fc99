"""The tabs of the run page. Only the open one computes and draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

from components.conversation import draw_conversation
from components.coverage_panel import draw_coverage
from viewer import session
from viewer.session import OpenRun

Panel = Callable[[OpenRun], None]


def _conversation(run: OpenRun) -> None:
    draw_conversation(run.trajectory, session.current("call", run.run_id), lambda call: _go(run, call))


def _coverage(run: OpenRun) -> None:
    draw_coverage(run.trajectory, run.source)


def _go(run: OpenRun, call: int) -> None:
    """A callback: the graph and the inspector live in another fragment, so the whole page has to follow."""
    session.choose("call", call, run.run_id)
    st.session_state["moved below"] = True


PANELS: Final[dict[str, Panel]] = {"Conversation": _conversation, "Coverage": _coverage}


@st.fragment
def draw(run: OpenRun, only: Sequence[str] = tuple(PANELS)) -> None:
    """Names are the words in the URL."""
    if st.session_state.pop("moved below", False):
        st.rerun()
    names = [name for name in PANELS if name in only]
    for name, tab in zip(names, st.tabs(names, key="tab", bind="query-params"), strict=True):
        if tab.open:
            with tab:
                PANELS[name](run)
