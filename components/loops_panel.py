"""Loops: where the run went round in circles, and which harness would have stopped it, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.linked_table import draw_linked_table, numbers
from viewer.analysis.loops import DEFINITIONS, Loop, Stop


def draw_loops(
    loops: Sequence[Loop], stops: Sequence[Stop], words: Callable[[int], str], go: Callable[[int], None]
) -> None:
    """Left our loops, right the published rules."""
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        if loops:
            draw_linked_table(
                {
                    "loop": [loop.label for loop in loops],
                    "first call": [words(loop.first) for loop in loops],
                    "calls": [len(loop.calls) for loop in loops],
                    "from": [f"#{loop.first + 1}" for loop in loops],
                    "to": [f"#{loop.last + 1}" for loop in loops],
                    "at": [numbers(loop.calls) for loop in loops],
                    "rule": [DEFINITIONS[loop.kind] for loop in loops],
                },
                [loop.first for loop in loops],
                go,
                key="loops",
                config={
                    "loop": st.column_config.TextColumn(width=210),
                    "first call": st.column_config.TextColumn(width=170),
                },
            )
        else:
            st.caption("No loops by any of our rules.")
            for meaning in DEFINITIONS.values():
                st.caption(f"· {meaning}")
    with right:
        st.caption("Who would have stopped this run, and where")
        draw_linked_table(
            {
                "harness": [stop.harness for stop in stops],
                "rule": [stop.definition for stop in stops],
                "would stop at": ["" if stop.call is None else f"#{stop.call + 1}" for stop in stops],
                "why": [stop.why for stop in stops],
            },
            [stop.call for stop in stops],
            go,
            key="stops",
            rows=16,
            config={
                "harness": st.column_config.TextColumn(width=100),
                "rule": st.column_config.TextColumn(width=280),
                "would stop at": st.column_config.TextColumn(width=90),
            },
        )
