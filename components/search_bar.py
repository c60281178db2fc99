"""Search over calls and filters by kind, state and agent. All of it is in the URL."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from components.labels import label
from viewer.figures.theme import STATE_WORDS
from viewer.model import KINDS, STATES, Kind, State, Trajectory


def draw_search(width: int = 200) -> str:
    """A regular expression; empty when nothing is looked for. ``width`` in pixels."""
    return (
        st.text_input(
            "Search calls",
            key="q",
            type="search",
            bind="query-params",
            placeholder="Search calls (regex)",
            icon=":material/search:",
            label_visibility="collapsed",
            width=width,
        )
        or ""
    )


def draw_filter(trajectory: Trajectory) -> tuple[tuple[Kind, ...], tuple[State, ...], tuple[str, ...]]:
    """(kinds, states, agents) to show; empty ones let everything through. Only what the run has is offered."""
    kinds = Counter(call.kind for call in trajectory.calls)
    states = Counter(call.state for call in trajectory.calls)
    agents = Counter(call.agent or "main" for call in trajectory.calls)
    count = sum(len(st.session_state.get(key) or ()) for key in ("kind", "state", "agent"))
    with st.popover(f"Filter · {count}" if count else "Filter", icon=":material/filter_list:", key="filter"):
        kind = st.pills(
            "Kind", [kind for kind in KINDS if kinds[kind]], selection_mode="multi", key="kind", bind="query-params"
        )
        state = st.pills(
            "State", [state for state in STATES if states[state]], selection_mode="multi", key="state",
            bind="query-params",
        )  # fmt: skip
        chosen_agents: list[str] = []
        if len(agents) > 1:
            chosen_agents = st.pills(
                "Agent", list(agents), selection_mode="multi", key="agent", bind="query-params",
                format_func=lambda agent: label(agent, 40),
            )  # fmt: skip
    return tuple(kind or ()), tuple(state or ()), tuple(chosen_agents or ())


def state_label(state: State) -> str:
    """How a state is called."""
    return STATE_WORDS[state]
