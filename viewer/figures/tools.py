"""The tools view: which tool follows which, how often and how likely."""

from __future__ import annotations

from typing import Any, Final

import plotly.graph_objects as go

from viewer.figures.captions import counted
from viewer.figures.node_link import fits, node_link_figure
from viewer.figures.order import empty_figure
from viewer.figures.rows import rows_figure
from viewer.figures.theme import HEIGHT, Theme
from viewer.graphs.layout import layered
from viewer.graphs.tools import tool_graph
from viewer.graphs.transitions import measures
from viewer.model import Trajectory

_MOST_ARROWS: Final = 16
"""Arrows with two numbers each that a small picture can hold."""


def tools_figure(trajectory: Trajectory, theme: Theme, *, height: int = HEIGHT) -> go.Figure:
    """The tool graph; customdata as in ``calls_figure``."""
    if not trajectory.main_line:
        return empty_figure("No calls in this run.", theme, height)
    graph = tool_graph(trajectory)
    layers = layered(graph)

    def words(source: int, target: int, data: Any) -> str:
        return f"×{data['count']:,} · {data['probability']:.0%}" if data["count"] else ""

    def hover(source: int, target: int, data: Any) -> str:
        if data["delegation"]:
            return f"#{data['first'] + 1} is the first call of the sub-agent"
        return f"followed ×{data['count']:,}, {data['probability']:.0%} of what follows · first at #{data['first'] + 1}"

    if fits(layers, height) and graph.number_of_edges() <= _MOST_ARROWS:
        return node_link_figure(graph, layers, theme, height=height, edge_words=words, edge_hover=hover)
    return rows_figure(graph, theme, height=height, edge_hover=hover, title="tools by first use")


def tools_caption(trajectory: Trajectory) -> str:
    """The measures of the tool graph in words."""
    whole = measures(tool_graph(trajectory))
    kinds = counted(whole.edges, "kind of transition", "kinds of transition")
    return f"{counted(whole.nodes, 'tool')} · {kinds} · {counted(whole.transitions, 'step')}"
