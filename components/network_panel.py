"""Network: which calls reached for the network, by what they run, not by what they mention."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.linked_table import draw_linked_table
from components.state_words import state_words
from viewer.analysis.network import DEFINITION, THRESHOLD, Network
from viewer.figures.theme import GLYPHS
from viewer.model import Trajectory


def draw_network(
    trajectory: Trajectory, found: Network, words: Callable[[int], str], go: Callable[[int], None]
) -> None:
    """The share, the kinds, and every call."""
    left, right = st.columns([1, 1.9], gap="medium")
    with left:
        with st.container(border=True, gap="small"):
            shown = "no calls" if found.ratio is None else f"{found.ratio:.4f}"
            st.metric("Steps that reach the network", shown, help=f"{DEFINITION} AgentCompass: network_op_ratio.")
            st.badge(f"above {THRESHOLD:g}" if found.above else "in range", color="red" if found.above else "gray")
        st.caption(f"{len(found.network_steps):,} of {found.tool_steps:,} steps with calls.")
        if found.types:
            st.dataframe(
                {"what": [name for name, _ in found.types], "calls": [count for _, count in found.types]},
                hide_index=True,
                row_height=28,
                height="content",
                key="network types",
            )
    with right:
        if not found.operations:
            st.caption("No call of this run reached for the network.")
            return
        calls = [trajectory.calls[operation.call] for operation in found.operations]
        draw_linked_table(
            {
                "#": [call.index + 1 for call in calls],
                "state": [f"{GLYPHS[call.state]} {state_words(call)}" for call in calls],
                "what": [", ".join(operation.labels) for operation in found.operations],
                "tool": [call.name for call in calls],
                "argument": [words(call.index) for call in calls],
            },
            [call.index for call in calls],
            go,
            key="network",
        )
