"""Under the stacked view: the rail that marks the selected row, and an overview of the whole axis, a line a run."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from viewer.figures.lanes import Layout, see
from viewer.figures.stacked import LEFT, RIGHT, run_colour
from viewer.figures.theme import Theme, axis, coloured, layout
from viewer.figures.traces import Trace, bars, scatter

RAIL_HEIGHT: Final = 16
BINS: Final = 240
_LINE: Final = 13
_NARROWEST: Final = 4.0


def strip_height(lanes: int) -> int:
    """Pixels: 13 a run."""
    return 10 + _LINE * lanes


def stacked_rail(laid: Layout, theme: Theme, *, start: int, size: int, selected: int | None) -> go.Figure:
    """A ▲ under the selected row; ◀ or ▶ at the edge when it is out of sight."""
    seen = see(laid, start, size)
    marks: list[dict[str, Any]] = []
    if selected is not None and seen.span:
        at = laid.places[selected]
        before, behind = at < seen.start, at >= seen.stop
        marks.append(
            {
                "text": coloured("◀" if before else "▶" if behind else "▲", theme.cursor),
                "x": seen.start - 0.5 if before else seen.stop - 0.5 if behind else at,
                "xanchor": "left" if before else "right" if behind else "center",
                "y": 0.5,
                "yanchor": "middle",
                "font": {"size": 12},
                "showarrow": False,
                "borderpad": 0,
            }
        )
    return go.Figure(
        data=[scatter(x=[], y=[], hoverinfo="skip")],
        layout={
            **layout(theme, RAIL_HEIGHT, left=LEFT, right=RIGHT, top=0, bottom=0),
            "xaxis": axis(range=[seen.start - 0.5, seen.stop - 0.5]),
            "yaxis": axis(range=[0, 1]),
            "annotations": marks,
        },
    )


def stacked_strip(laid: Layout, theme: Theme, *, start: int, size: int, selected: int | None) -> go.Figure:
    """At most 240 bins over all columns: a line a run, as high as its share of calls, red as the share that failed.

    A click gives, as customdata, the row of its bin's first column.
    """
    count = len(laid.columns)
    lanes = len(laid.lanes)
    bins = min(BINS, max(1, count))
    edges = np.linspace(0, count, bins + 1).round().astype(np.int64)
    middle, wide = (edges[1:] + edges[:-1] - 1) / 2, np.maximum(np.diff(edges).astype(float), 1)
    traces: list[Trace] = []
    for at, lane in enumerate(laid.lanes):
        run = lane.runs[0]
        there, failed = np.zeros(count), np.zeros(count)
        for x, column in enumerate(laid.columns):
            call = column.calls[run]
            if call is not None:
                there[x] = 1
                failed[x] = laid.runs[run].calls[call].state not in ("ok", "ok_empty")
        for values, colour, opacity in ((there, run_colour(theme, run), 0.45), (failed, theme.error, 1.0)):
            share = np.add.reduceat(values, edges[:-1]) / wide
            traces.append(
                bars(
                    x=middle,
                    y=0.78 * share,
                    base=-at - 0.9,
                    width=wide,
                    marker={"color": colour, "line": {"width": 0}},
                    opacity=opacity,
                    hoverinfo="skip",
                )
            )
    rows = np.array([column.row for column in laid.columns], dtype=np.int32)
    traces.append(
        bars(
            x=middle,
            y=np.full(bins, float(lanes)),
            base=-lanes,
            width=wide,
            marker={"color": "rgba(0,0,0,0)", "line": {"width": 0}},
            hoverinfo="none",
            customdata=rows[edges[:-1]],
            name="click",
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
        )
    )
    return go.Figure(
        data=traces,
        layout={
            **layout(theme, strip_height(lanes), left=LEFT, right=RIGHT, top=4, bottom=4),
            "barmode": "overlay",
            "bargap": 0,
            "xaxis": axis(range=[-0.5, max(count, 1) - 0.5]),
            "yaxis": axis(range=[-lanes - 0.05, 0.05]),
            "shapes": _shapes(laid, theme, start, size, selected),
            "annotations": [
                {
                    "text": f"{lane.letters}  {lane.calls:,}",
                    "x": 0,
                    "xref": "paper",
                    "xanchor": "right",
                    "xshift": -8,
                    "y": -at - 0.5,
                    "yanchor": "middle",
                    "font": {"size": 11, "color": theme.muted},
                    "showarrow": False,
                    "borderpad": 0,
                }
                for at, lane in enumerate(laid.lanes)
            ],
        },
    )


def _shapes(laid: Layout, theme: Theme, start: int, size: int, selected: int | None) -> list[dict[str, Any]]:
    count, lanes = len(laid.columns), len(laid.lanes)
    seen = see(laid, start, size)
    unit = 1_200 / max(1, count)
    extra = max(0.0, _NARROWEST - seen.span * unit) / unit / 2
    shapes: list[dict[str, Any]] = [
        {
            "type": "rect",
            "x0": seen.start - 0.5 - extra,
            "x1": seen.stop - 0.5 + extra,
            "y0": -lanes,
            "y1": 0,
            "fillcolor": theme.window_fill,
            "line": {"color": theme.cursor, "width": 1.5},
        }
    ]
    if selected is not None and laid.places:
        at = laid.places[selected]
        shapes.append(
            {
                "type": "line",
                "x0": at,
                "x1": at,
                "y0": -lanes,
                "y1": 0,
                "line": {"color": theme.cursor, "width": 2},
            }
        )
    return shapes
