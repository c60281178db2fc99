"""The runs of a comparison: which they are, the base, others of the same task, and the ways to take it away."""

from __future__ import annotations

import streamlit as st

from components.comparison_panels import run_label
from viewer import session
from viewer.session import Compared


def draw(found: Compared) -> None:
    """Two popovers at the right end of the first line."""
    with st.popover("Runs", icon=":material/edit:"):
        for at, run in enumerate(found.runs):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.page_link("views/run.py", label=run_label(at, run.name), query_params={"run": run.run_id})
                if at:
                    st.button("Make it the base", key=f"base {at}", on_click=_base, args=(found, at), type="tertiary")
                else:
                    st.caption("the base", width="content")
                if len(found.runs) > 2:
                    st.button("Leave out", key=f"without {at}", on_click=_without, args=(found, at), type="tertiary")
        st.page_link("views/runs.py", label="Choose other runs", icon=":material/list:")


def _base(found: Compared, at: int) -> None:
    ids = [run.run_id for run in found.runs]
    st.query_params["run"] = [ids[at], *ids[:at], *ids[at + 1 :]]


def _without(found: Compared, at: int) -> None:
    st.query_params["run"] = [run.run_id for place, run in enumerate(found.runs) if place != at]


_ = session
