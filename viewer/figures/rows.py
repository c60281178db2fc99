"""A larger graph as rows: one a node, by first visit, with arcs beside them; its labels can never collide.

Left of the nodes violet arcs go back up, right of them slate arcs go down, a bar says how often and how often it
failed. Axes are pixels.
"""

from __future__ import annotations

from typing import Any, Final

import networkx as nx
import numpy as np
import plotly.graph_objects as go

from viewer.figures.marks import failures, hover
from viewer.figures.node_link import EdgeWords
from viewer.figures.shapes import Curve, arrow, filled, lines, ring
from viewer.figures.theme import HEIGHT, WIDTH, Theme, axis, coloured, escaped, layout, mono
from viewer.figures.traces import Trace, scatter
from viewer.graphs.telling import shortened

MOST_EDGES: Final = 36
"""Arcs that can still be told apart; the most frequent ones are drawn."""
_LOWEST: Final = 18
"""Pixels a row needs."""
_LABEL: Final = 318.0
_NODE: Final = 508.0
_NARROWEST: Final = 16.0
_WIDEST: Final = 170.0
_BAR: Final = 698.0
_BAR_WIDTH: Final = 40.0
_CHARACTERS: Final = 45
_TALLEST: Final = 46.0
_TOP: Final = 26.0


def drawn_edges(graph: nx.DiGraph[int]) -> list[tuple[int, int, Any]]:
    """The transitions that are drawn: the most frequent ones, and every delegation among the rest that has room."""
    edges = sorted(graph.edges(data=True), key=lambda edge: (-edge[2]["count"], edge[0], edge[1]))
    return edges[:MOST_EDGES]


def rows_figure(
    graph: nx.DiGraph[int],
    theme: Theme,
    *,
    height: int = HEIGHT,
    edge_hover: EdgeWords,
    title: str = "distinct calls by first visit",
) -> go.Figure:
    """Attributes as for ``node_link_figure``; nodes go from top to bottom in the order of their numbers.

    When there are more than the height holds, those with most visits are drawn, and the head says so.
    """
    most = int((height - _TOP - 8) // _LOWEST)
    nodes = sorted(sorted(graph.nodes, key=lambda node: (-graph.nodes[node]["visits"], node))[:most])
    if len(nodes) < graph.number_of_nodes():
        title += f" · {len(nodes)} of {graph.number_of_nodes():,}"
        graph = graph.subgraph(nodes)
    step = min(_TALLEST, (height - _TOP - 12) / max(1, len(nodes)))
    y = {node: height - _TOP - step * (row + 0.5) for row, node in enumerate(nodes)}
    edges = drawn_edges(graph)
    busiest = max((data["count"] for _, _, data in edges), default=1)
    return go.Figure(
        data=[
            *_arcs(edges, y, step, busiest, theme, edge_hover, len(nodes)),
            *_discs(graph, nodes, y, theme, step),
            *_bars(graph, nodes, y, step, theme),
        ],
        layout={
            **layout(theme, height, left=0, right=0, top=0, bottom=0),
            "xaxis": axis(range=[0, WIDTH]),
            "yaxis": axis(range=[0, height]),
            "annotations": [
                *(_label(graph.nodes[node], y[node], theme) for node in nodes),
                *_arc_labels(edges, y, step, len(nodes), theme),
                _head(title, _LABEL, "right", height, theme),
                _head("back", _NODE - 60, "center", height, theme, theme.repeat),
                _head("on", _NODE + 60, "center", height, theme),
                _head("calls, failed", _BAR, "left", height, theme),
            ],
        },
    )


def _head(text: str, x: float, anchor: str, height: int, theme: Theme, colour: str | None = None) -> dict[str, Any]:
    return {
        "text": text,
        "x": x,
        "y": height - 12,
        "xanchor": anchor,
        "showarrow": False,
        "font": {"size": 11, "color": colour or theme.muted},
    }


def _bow(rows: float, count: int) -> float:
    return float(_NARROWEST + (_WIDEST - _NARROWEST) * (abs(rows) / max(1, count - 1)) ** 0.75)


def _arc(top: float, bottom: float, step: float, side: int, count: int, radius: float) -> Curve:
    """A half ellipse from row to row, on the left for ``side`` -1; it starts and ends beside the nodes."""
    turn = np.linspace(np.pi / 2, -np.pi / 2, 33)
    wide = _bow((top - bottom) / step, count)
    x = _NODE + side * (radius + wide * np.cos(turn))
    y = (top + bottom) / 2 + (top - bottom) / 2 * np.sin(turn)
    return x, y


def _width(count: int, most: int) -> float:
    """Four widths are enough to tell rare from frequent, and few traces draw them."""
    share = count / max(most, 8)
    return 1.0 if share <= 0.1 else 1.8 if share <= 0.3 else 3.0 if share <= 0.6 else 4.5


def _arcs(
    edges: list[tuple[int, int, Any]],
    y: dict[int, float],
    step: float,
    most: int,
    theme: Theme,
    edge_hover: EdgeWords,
    count: int,
) -> list[Trace]:
    kinds: dict[tuple[str, float, bool], list[Curve]] = {}
    spots: list[tuple[float, float]] = []
    loops: list[Curve] = []
    for source, target, data in edges:
        colour = theme.repeat if data["back"] else theme.muted if data["delegation"] else theme.edge
        if source == target:
            curve = ring(_NODE - 16, y[source], 5.5, 0.31, 1.19)
        else:
            side = -1 if y[target] > y[source] else 1
            curve = _arc(y[source], y[target], step, side, count, 8)
        spots.append((float(curve[0][len(curve[0]) // 2]), float(curve[1][len(curve[1]) // 2])))
        width = _width(data["count"], most)
        if source == target:
            loops.append(curve)
        else:
            kinds.setdefault((colour, width, data["delegation"]), []).append(curve)
    traces: list[Trace] = lines(loops, theme.repeat, 1.8)
    for (colour, width, dotted), curves in sorted(kinds.items(), key=lambda kind: kind[0][1]):
        traces += lines(curves, colour, width, opacity=0.8, line={"dash": "dot"} if dotted else {})
        traces += filled((arrow(curve, 5 + width) for curve in curves), colour)
    if spots:
        traces.append(
            scatter(
                x=np.array([x for x, _ in spots]),
                y=np.array([height for _, height in spots]),
                mode="markers",
                marker={"size": 14, "opacity": 0},
                selected={"marker": {"opacity": 0}},
                unselected={"marker": {"opacity": 0}},
                customdata=np.array([data["first"] for _, _, data in edges], dtype=np.int32),
                hovertext=[edge_hover(source, target, data) for source, target, data in edges],
                hoverinfo="text",
                name="edges",
            )
        )
    return traces


def _arc_labels(
    edges: list[tuple[int, int, Any]], y: dict[int, float], step: float, count: int, theme: Theme
) -> list[dict[str, Any]]:
    """Counts at the outermost point of the arcs, most frequent first, where nothing stands yet."""
    taken: list[tuple[float, float]] = []
    labels = []
    for source, target, data in edges:
        if data["count"] < 2:
            continue
        back = y[target] > y[source]
        if source == target:
            x, height, anchor = _NODE - 24, y[source], "right"
        else:
            bow = _bow((y[source] - y[target]) / step, count)
            x = _NODE + (-1 if back else 1) * (8 + bow)
            height, anchor = (y[source] + y[target]) / 2, "center"
        if any(abs(x - other_x) < 30 and abs(height - other_y) < 13 for other_x, other_y in taken):
            continue
        taken.append((x, height))
        labels.append(
            {
                "text": coloured(f"×{data['count']:,}", theme.repeat if data["back"] else theme.muted),
                "x": x,
                "y": height,
                "xanchor": anchor,
                "font": {"size": 10},
                "showarrow": False,
                "bgcolor": theme.background,
                "borderpad": 0,
                "height": 11,
            }
        )
    return labels


def _discs(graph: nx.DiGraph[int], nodes: list[int], y: dict[int, float], theme: Theme, step: float) -> list[Trace]:
    most = max((graph.nodes[node]["visits"] for node in nodes), default=1)
    size = min(6.5, step / 2 - 2)
    plain: list[Curve] = []
    groups: list[Curve] = []
    red: list[Curve] = []
    for node in nodes:
        data = graph.nodes[node]
        radius = 3 + (size - 3) * np.sqrt(data["visits"] / most)
        (groups if data["members"] > 1 else plain).append(ring(_NODE, y[node], radius))
        if data["errors"]:
            red.append(ring(_NODE, y[node], radius + 1.5, 0, data["errors"] / data["visits"]))
    return [
        *filled(plain, theme.ok, theme.background),
        *filled(groups, theme.chip, theme.ok),
        *lines(red, theme.error, 2.5),
        scatter(
            x=np.full(len(nodes), _NODE),
            y=np.array([y[node] for node in nodes]),
            mode="markers",
            marker={"size": step, "opacity": 0},
            selected={"marker": {"opacity": 0}},
            unselected={"marker": {"opacity": 0}},
            customdata=np.array([graph.nodes[node]["first"] for node in nodes], dtype=np.int32),
            hovertext=[hover(graph.nodes[node]) for node in nodes],
            hoverinfo="text",
            name="nodes",
        ),
    ]


def _bars(graph: nx.DiGraph[int], nodes: list[int], y: dict[int, float], step: float, theme: Theme) -> list[Trace]:
    most = max((graph.nodes[node]["visits"] for node in nodes), default=1)
    half = min(5.0, step / 2 - 3)

    def bar(node: int, begin: float, end: float) -> Curve:
        left, right = (_BAR + _BAR_WIDTH * share / most for share in (begin, end))
        low, high = y[node] - half, y[node] + half
        return np.array([left, right, right, left, left]), np.array([low, low, high, high, low])

    data = {node: graph.nodes[node] for node in nodes}
    ok = [bar(node, own["errors"], own["visits"]) for node, own in data.items()]
    hard = [bar(node, 0, own["errors"] - own["checks"]) for node, own in data.items() if own["errors"] > own["checks"]]
    soft = [bar(node, own["errors"] - own["checks"], own["errors"]) for node, own in data.items() if own["checks"]]
    return [
        *filled(ok, theme.ok, opacity=0.45),
        *filled(soft, theme.error, opacity=0.55),
        *filled(hard, theme.error),
        scatter(
            x=np.array([_BAR + _BAR_WIDTH * own["visits"] / most + 4 for own in data.values()]),
            y=np.array([y[node] for node in nodes]),
            mode="text",
            text=[
                f"{own['visits']:,}" + (f"  {coloured(failures(own), theme.error)}" if own["errors"] else "")
                for own in data.values()
            ],
            textposition="middle right",
            textfont={"size": 10, "color": theme.muted},
            hoverinfo="skip",
        ),
    ]


def _label(data: Any, y: float, theme: Theme) -> dict[str, Any]:
    tool = shortened(data["tool"], 24)
    room = _CHARACTERS - len(tool) - 1
    argument = shortened(data["text"], room, path=data["kind"] in ("read", "edit", "write")) if room > 4 else ""
    said = f"<i>{escaped(argument)}</i>" if data["members"] > 1 else mono(argument)
    return {
        "text": f"<b>{escaped(tool)}</b> {said}",
        "x": _LABEL,
        "y": y,
        "xanchor": "right",
        "showarrow": False,
        "font": {"size": 12},
    }
