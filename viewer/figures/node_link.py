"""A small graph as nodes and arrows, in layers from left to right. Axes are pixels; labels keep off edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import networkx as nx
import numpy as np
import plotly.graph_objects as go

from viewer.figures.marks import failures, node_marks, radius
from viewer.figures.shapes import Curve, Floats, arrow, bezier, filled, lines, ring, trimmed
from viewer.figures.theme import HEIGHT, WIDTH, Theme, axis, coloured, escaped, layout, mono
from viewer.figures.traces import Trace, scatter
from viewer.graphs.layout import Layers
from viewer.graphs.telling import shortened

_CHARACTER: Final = 6.6
_LINE: Final = 15.0
_SIDE: Final = 62.0
_WIDEST_COLUMN: Final = 210.0
_TALLEST_ROW: Final = 120.0
_LOWEST_ROW: Final = 58.0
_UPRIGHT: Final = 170.0
"""Pixels kept for labels below and arcs above."""
_BOWS: Final = (34.0, 56.0, 80.0, 110.0, 140.0, 175.0, 215.0)
Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right, top, in pixels."""
EdgeWords: TypeAlias = Callable[[int, int, Any], str]


@dataclass(slots=True)
class _Edge:
    source: int
    target: int
    data: Any
    curve: Curve
    words: str
    at: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class _Scene:
    """What is placed already, so that the next label finds free room."""

    width: float
    height: float
    discs: Floats
    points: Floats = field(default_factory=lambda: np.empty((0, 2)))
    boxes: list[Box] = field(default_factory=list)

    def cost(self, box: Box) -> float:
        """How much a label there would hide: labels and discs weigh most, then what leaves the picture, then edges."""
        left, bottom, right, top = box
        outside = max(0.0, -left) + max(0.0, -bottom) + max(0.0, right - self.width) + max(0.0, top - self.height)
        x, y = self.points[:, 0], self.points[:, 1]
        on_edges = float(((x > left) & (x < right) & (y > bottom) & (y < top)).sum())
        near_x = np.clip(self.discs[:, 0], left, right)
        near_y = np.clip(self.discs[:, 1], bottom, top)
        gap = np.hypot(self.discs[:, 0] - near_x, self.discs[:, 1] - near_y) - self.discs[:, 2]
        on_discs = float((gap < 0).sum())
        on_labels = sum(
            1 for other in self.boxes if left < other[2] and other[0] < right and bottom < other[3] and other[1] < top
        )
        return on_edges + 40 * on_discs + 60 * on_labels + 4 * outside


def node_link_figure(
    graph: nx.DiGraph[int],
    layers: Layers,
    theme: Theme,
    *,
    height: int = HEIGHT,
    edge_words: EdgeWords,
    edge_hover: EdgeWords,
) -> go.Figure:
    """Nodes need ``tool``, ``text``, ``visits``, ``errors``, ``checks``, ``members``, ``first``; edges ``count``,
    ``back``, ``delegation``, ``first``. ``edge_words`` is what stands on an edge ("" for nothing).

    Back edges are violet and bowed, forward ones slate, delegations dotted. Customdata: the first call of a node, and
    for an edge the call that its first transition led to. The figure pans; a double click brings it back.
    """
    places = _places(layers, height)
    sizes = {node: radius(data) for node, data in graph.nodes(data=True)}
    discs = np.array([[*places[node], sizes[node] + 4] for node in graph.nodes])
    scene = _Scene(width=WIDTH, height=height, discs=discs.reshape(-1, 3))
    edges: list[_Edge] = []
    for source, target in sorted(graph.edges, key=lambda edge: (layers.layer[edge[1]] <= layers.layer[edge[0]], edge)):
        edges.append(_edge(graph, places, sizes, layers, source, target, edge_words, scene))
        scene.points = np.vstack([scene.points, np.column_stack(edges[-1].curve)])
    labels = [_node_label(graph.nodes[node], places[node], sizes[node], layers, scene, theme) for node in graph.nodes]
    return go.Figure(
        data=[*_edge_traces(edges, theme, edge_hover), *node_marks(graph, places, sizes, theme)],
        layout={
            **layout(theme, height, left=0, right=0, top=0, bottom=0),
            "dragmode": "pan",
            "xaxis": axis(range=[0, WIDTH], fixedrange=False),
            "yaxis": axis(range=[0, height], fixedrange=False, scaleanchor="x"),
            "annotations": [*labels, *_edge_labels(edges, scene, theme)],
        },
    )


def fits(layers: Layers, height: int = HEIGHT) -> bool:
    """Whether the layers can be drawn in ``height`` pixels with their labels apart."""
    return layers.fits and (height - _UPRIGHT) / max(1.0, layers.extent) >= _LOWEST_ROW


def _places(layers: Layers, height: int) -> dict[int, tuple[float, float]]:
    column = min(_WIDEST_COLUMN, (WIDTH - 2 * _SIDE) / max(1, layers.depth - 1))
    left = (WIDTH - column * (layers.depth - 1)) / 2
    low, high = min(layers.slot.values(), default=0.0), max(layers.slot.values(), default=0.0)
    row = min(_TALLEST_ROW, (height - _UPRIGHT) / max(1.0, high - low))
    middle = height / 2 - (low + high) / 2 * row
    return {node: (left + column * depth, middle + row * layers.slot[node]) for node, depth in layers.layer.items()}


def _edge(
    graph: nx.DiGraph[int],
    places: dict[int, tuple[float, float]],
    sizes: dict[int, float],
    layers: Layers,
    source: int,
    target: int,
    words: EdgeWords,
    scene: _Scene,
) -> _Edge:
    data = graph.edges[source, target]
    (x0, y0), (x1, y1) = places[source], places[target]
    start, end = sizes[source] + 5, sizes[target] + 7
    said = words(source, target, data)
    if source == target:
        size = 9.0
        curve = ring(x0, y0 + sizes[source] + size + 1, size, 0.56, 1.44)
        return _Edge(source, target, data, curve, said, (x0, y0 + sizes[source] + 2 * size + 8))
    forward = layers.layer[target] == layers.layer[source] + 1
    if forward:
        curves = [_bowed(x0, y0, x1, y1, 9.0 if graph.has_edge(target, source) else 0.0)]
    else:
        curves = [_bowed(x0, y0, x1, y1, side * bow) for bow in _BOWS for side in (1, -1)]
    best = min(curves, key=lambda curve: _hidden(curve, scene, (x0, y0), (x1, y1)))
    middle = len(best[0]) // 2
    at = (float(best[0][middle]), float(best[1][middle]))
    return _Edge(source, target, data, trimmed(best, start, end), said, at)


def _bowed(x0: float, y0: float, x1: float, y1: float, bow: float) -> Curve:
    """``bow`` pixels upwards in the middle; sideways between two nodes of one layer."""
    dx, dy = x1 - x0, y1 - y0
    if abs(dx) < 1:
        return bezier([(x0, y0), (x0 + bow, y0 + dy * 0.25), (x0 + bow, y0 + dy * 0.75), (x1, y1)])
    lift = bow * 4 / 3
    return bezier([(x0, y0), (x0 + dx * 0.2, y0 + dy * 0.2 + lift), (x0 + dx * 0.8, y0 + dy * 0.8 + lift), (x1, y1)])


def _hidden(curve: Curve, scene: _Scene, start: tuple[float, float], end: tuple[float, float]) -> float:
    """What a curve would run over: other discs and the picture's edge; then the shorter, the better."""
    x, y = curve
    others = scene.discs[
        (np.hypot(scene.discs[:, 0] - start[0], scene.discs[:, 1] - start[1]) > 1)
        & (np.hypot(scene.discs[:, 0] - end[0], scene.discs[:, 1] - end[1]) > 1)
    ]
    near = np.hypot(x[:, None] - others[:, 0], y[:, None] - others[:, 1]) < others[:, 2] + 6
    below_label = (
        (np.abs(x[:, None] - others[:, 0]) < 34) & (others[:, 1] - y[:, None] > 0) & (others[:, 1] - y[:, None] < 52)
    )
    outside = ((y < 4) | (y > scene.height - 4)).sum()
    length = float(np.hypot(np.diff(x), np.diff(y)).sum())
    crossed = np.hypot(x[::2, None] - scene.points[:, 0], y[::2, None] - scene.points[:, 1]) < 7
    crossing = 6.0 * float(crossed.any(axis=1).sum()) if len(scene.points) else 0.0
    return crossing + 50.0 * float(near.sum()) + 4.0 * float(below_label.sum()) + 30.0 * float(outside) + length / 4


def _edge_traces(edges: list[_Edge], theme: Theme, hover: EdgeWords) -> list[Trace]:
    traces: list[Trace] = []
    kinds: dict[tuple[str, float, bool], list[_Edge]] = {}
    for edge in edges:
        colour = theme.repeat if edge.data["back"] else theme.muted if edge.data["delegation"] else theme.edge
        kinds.setdefault((colour, edge_width(edge.data["count"]), edge.data["delegation"]), []).append(edge)
    for (colour, width, dotted), own in sorted(kinds.items(), key=lambda kind: kind[0][0] == theme.repeat):
        traces += lines((edge.curve for edge in own), colour, width, line={"dash": "dot"} if dotted else {})
        traces += filled((arrow(edge.curve, 6 + 1.4 * width) for edge in own), colour)
    if edges:
        traces.append(
            scatter(
                x=np.array([edge.at[0] for edge in edges]),
                y=np.array([edge.at[1] for edge in edges]),
                mode="markers",
                marker={"size": 18, "opacity": 0},
                selected={"marker": {"opacity": 0}},
                unselected={"marker": {"opacity": 0}},
                customdata=np.array([edge.data["first"] for edge in edges], dtype=np.int32),
                hovertext=[hover(edge.source, edge.target, edge.data) for edge in edges],
                hoverinfo="text",
                name="edges",
            )
        )
    return traces


def edge_width(count: int) -> float:
    """1.2 pixels for one transition, wider for more, in few steps so that few traces are needed."""
    return 1.2 if count <= 1 else 2.2 if count <= 3 else 3.4 if count <= 9 else 5.0


def _node_label(
    data: Any, place: tuple[float, float], size: float, layers: Layers, scene: _Scene, theme: Theme
) -> dict[str, Any]:
    column = min(_WIDEST_COLUMN, (WIDTH - 2 * _SIDE) / max(1, layers.depth - 1))
    across = max(8, min(22, int((column - 4) / _CHARACTER)))
    wrong = failures(data)
    name = shortened(data["tool"], across)
    rows = two_lines(data["text"], across, path=data["kind"] in ("read", "edit", "write"))
    text = "<br>".join(
        [f"<b>{escaped(name)}</b>" + (f" {coloured(wrong, theme.error)}" if wrong and data["visits"] > 1 else "")]
        + [mono(row) for row in rows]
    )
    widest = max([len(name) + (len(wrong) + 1 if data["visits"] > 1 else 0), *map(len, rows)], default=1)
    wide, tall = widest * _CHARACTER, _LINE * (1 + len(rows))
    x, y = place
    gap = size + (7 if data["errors"] and data["visits"] > 1 else 4)
    offers: list[tuple[Box, dict[str, Any]]] = []
    for yanchor, middle in (("top", y - gap - tall / 2), ("bottom", y + gap + tall / 2)):
        for shift, xanchor in ((0.0, "center"), (wide / 2 + 2, "left"), (-wide / 2 - 2, "right")):
            centre = x + shift
            box = (centre - wide / 2, middle - tall / 2, centre + wide / 2, middle + tall / 2)
            shift_y = gap if yanchor == "bottom" else -gap
            offers.append((box, {"x": x, "y": y, "yshift": shift_y, "yanchor": yanchor, "xanchor": xanchor}))
    costs = [scene.cost(box) + 0.5 * number for number, (box, _) in enumerate(offers)]
    box, where = offers[int(np.argmin(costs))]
    scene.boxes.append(box)
    return {
        **where,
        "text": text,
        "align": where["xanchor"],
        "font": {"size": 12},
        "showarrow": False,
        "borderpad": 0,
        "bgcolor": theme.background if min(costs) < 20 else "rgba(0,0,0,0)",
    }


def two_lines(text: str, across: int, *, path: bool = False) -> list[str]:
    """An argument on at most two lines, broken at spaces, else after a slash, else anywhere."""
    text = shortened(text, 2 * across - 1, path=path)
    if len(text) <= across:
        return [text] if text else []
    for mark in (" ", "/", "_"):
        at = text.rfind(mark, max(1, len(text) - across - 1), across + (mark == " "))
        if at > 0:
            first, second = (text[:at], text[at + 1 :]) if mark == " " else (text[: at + 1], text[at + 1 :])
            return [first, shortened(second, across)]
    return [text[:across], shortened(text[across:], across)]


def _edge_labels(edges: list[_Edge], scene: _Scene, theme: Theme) -> Iterable[dict[str, Any]]:
    for edge in edges:
        if not edge.words:
            continue
        half = 3.1 * len(edge.words)
        colour = theme.repeat if edge.data["back"] else theme.muted
        steps = (0.5, 0.38, 0.62, 0.28, 0.72)
        places = [edge.at]
        if edge.source != edge.target and len(edge.curve[0]):
            spots = [int(share * (len(edge.curve[0]) - 1)) for share in steps]
            places = [(float(edge.curve[0][spot]), float(edge.curve[1][spot])) for spot in spots]
        boxes = [(x - half, y - 7, x + half, y + 7) for x, y in places]
        best = int(np.argmin([scene.cost(box) for box in boxes]))
        scene.boxes.append(boxes[best])
        yield {
            "x": places[best][0],
            "y": places[best][1],
            "text": coloured(edge.words, colour),
            "font": {"size": 11},
            "showarrow": False,
            "bgcolor": theme.background,
            "borderpad": 0,
            "height": 13,
        }
