"""The graph of a run over its rail and its strip, made one instrument by equal margins; a click names a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st

from viewer.figures.theme import CONFIG, QUIET_CONFIG

GRAPH: Final = "graph"
RAIL: Final = "rail"
STRIP: Final = "strip"


def draw_graph(figure: Any, alt: str, clicked: Callable[[int], None], *, key: str = GRAPH) -> None:
    """A plotly figure whose points carry one integer, the call's index. ``clicked`` gets it before the page reruns."""
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        on_select=_listener(key, clicked),
        selection_mode="points",
        config=dict(CONFIG),
        alt=alt,
    )


def draw_quiet(figure: Any, alt: str, clicked: Callable[[int], None] | None = None, *, key: str) -> None:
    """Rail and strip: no mode bar. ``clicked`` gets the integer under the click."""
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        on_select=_listener(key, clicked) if clicked else "ignore",
        selection_mode="points",
        config=dict(QUIET_CONFIG),
        alt=alt,
    )


def _listener(key: str, clicked: Callable[[int], None]) -> Callable[[], None]:
    def hear() -> None:
        points = st.session_state[key]["selection"]["points"]
        memory = f"{key} last"
        if points:
            number = _number(points[0])
            st.session_state[memory] = number
        else:  # plotly takes a second click on one point as taking it back; the reader meant to go there again
            number = st.session_state.get(memory)
        if number is not None:
            clicked(number)

    return hear


def _number(point: Mapping[str, Any]) -> int | None:
    data = point.get("customdata")
    if isinstance(data, Mapping):
        data = data.get("0")
    if isinstance(data, list | tuple):
        data = data[0] if data else None
    return int(data) if isinstance(data, int | float) else None
