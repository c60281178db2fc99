"""The graph of a run over its rail and its strip, made one instrument by equal margins; a click names a call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final

import streamlit as st

from components.clicks import listener
from viewer.figures.theme import CONFIG, QUIET_CONFIG

GRAPH: Final = "graph"
RAIL: Final = "rail"
STRIP: Final = "strip"


def draw_graph(figure: Any, identity: Hashable, alt: str, clicked: Callable[[int], None], *, key: str = GRAPH) -> None:
    """A plotly figure whose points carry one integer, the call's index. ``clicked`` gets it before the page reruns.

    ``identity`` is another value for another figure.
    """
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        on_select=listener(key, identity, _number, clicked),
        selection_mode="points",
        config=dict(CONFIG),
        alt=alt,
    )


def draw_quiet(figure: Any, alt: str, clicked: Callable[[int], None] | None = None, *, key: str) -> None:
    """Rail and strip: no mode bar. ``clicked`` gets the integer under the click.

    Both carry the selection, so they are drawn anew after each click and start without one.
    """
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        on_select=listener(key, hash(alt), _number, clicked) if clicked else "ignore",
        selection_mode="points",
        config=dict(QUIET_CONFIG),
        alt=alt,
    )


def _number(state: Mapping[str, Any]) -> int | None:
    points = state["selection"]["points"]
    data = points[0].get("customdata") if points else None
    if isinstance(data, Mapping):
        data = data.get("0")
    if isinstance(data, list | tuple):
        data = data[0] if data else None
    return int(data) if isinstance(data, int | float) else None
