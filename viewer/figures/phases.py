"""The phases view: does the run go from finding to changing to checking, or back and forth?"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from viewer.analysis.phases import phase_string
from viewer.figures.captions import counted
from viewer.figures.node_link import node_link_figure
from viewer.figures.order import empty_figure
from viewer.figures.theme import HEIGHT, Theme
from viewer.graphs.phases import phase_graph, phase_layers
from viewer.graphs.transitions import measures
from viewer.model import Trajectory

_LONGEST = 60


def phases_figure(trajectory: Trajectory, theme: Theme, *, height: int = HEIGHT) -> go.Figure:
    """The phase graph, each phase at the same place in every run; customdata as in ``calls_figure``."""
    if not trajectory.main_line:
        return empty_figure("No calls in this run.", theme, height)
    graph = phase_graph(trajectory)

    def words(source: int, target: int, data: Any) -> str:
        return f"×{data['count']:,}" if data["count"] else ""

    def hover(source: int, target: int, data: Any) -> str:
        stays = "stays" if source == target else "changes"
        return f"{stays} ×{data['count']:,}, {data['probability']:.0%} of what follows · first at #{data['first'] + 1}"

    return node_link_figure(graph, phase_layers(graph), theme, height=height, edge_words=words, edge_hover=hover)


def phases_caption(trajectory: Trajectory) -> str:
    """How often the run changed its phase, how often it went back, and the phase string when it is short."""
    graph = phase_graph(trajectory)
    changes = sum(data["count"] for source, target, data in graph.edges(data=True) if source != target)
    back = sum(data["count"] for source, target, data in graph.edges(data=True) if source != target and data["back"])
    text = phase_string(trajectory)
    parts = [counted(changes, "change of phase", "changes of phase"), f"{back:,} of them back to an earlier one"]
    whole = measures(graph)
    parts += [f"{whole.nodes} of 4 phases"]
    return " · ".join(parts + ([text] if len(text) <= _LONGEST else []))
