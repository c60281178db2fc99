"""The overview strip over the whole run, and the rail that marks the selected call under the graph.

They carry window and selection, so that the graph's own figure stays as it is while one steps through calls.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from viewer.figures.order import time_window, x_range
from viewer.figures.theme import LEFT, RIGHT, WIDTH, Theme, axis, coloured, layout
from viewer.figures.traces import Trace, bars, scatter
from viewer.graphs.order import Order, order, window
from viewer.model import Trajectory

STRIP_HEIGHT: Final = 62
RAIL_HEIGHT: Final = 16
BINS: Final = 200
_NARROWEST: Final = 4
_LABEL_CHARACTERS: Final = 46


def strip_figure(
    trajectory: Trajectory, theme: Theme, *, start: int = 0, size: int | None = None, selected: int | None = None
) -> go.Figure:
    """At most 200 bins over all calls: up failing calls, down calls in loops; window and selection on top.

    A click anywhere gives, as customdata, the index of the first call of its bin. ``size`` None: no window is drawn.
    """
    facts = order(trajectory)
    count = len(trajectory.calls)
    bins = min(BINS, max(1, count))
    edges = np.linspace(0, count, bins + 1).round().astype(np.int64)
    middle, wide = (edges[1:] + edges[:-1] - 1) / 2, np.diff(edges).astype(float)
    gap = 0.12 if bins * 8 <= WIDTH - LEFT - RIGHT else 0.0

    def share(marked: Any) -> Any:
        sums = np.concatenate([[0], np.cumsum(marked)])
        return (sums[edges[1:]] - sums[edges[:-1]]) / np.maximum(wide, 1)

    checks, errors = share(facts.check), share(facts.failed & ~facts.check)
    width = wide * (1 - gap)
    other = facts.by_sub_agents

    def bar(y: Any, colour: str, base: Any = 0, **fields: Any) -> Trace:
        return bars(
            x=middle,
            y=y,
            base=base,
            width=width,
            marker={"color": colour, "line": {"width": 0}},
            **{"hoverinfo": "skip", **fields},
        )

    traces = [
        bar(np.ones(bins), theme.ok, opacity=0.3),
        bar(errors, theme.error),
        bar(checks, theme.error, errors, opacity=0.55),
        bar(-share(facts.in_loop), theme.repeat),
    ]
    if other.any():
        # on the zero line, over the bars: where sub-agents worked
        traces.append(bar(np.where(share(other) >= 0.25, 0.1, 0.0), theme.text, -0.05))
    traces.append(
        bar(
            np.full(bins, 2.4),
            "rgba(0,0,0,0)",
            -1.2,
            hoverinfo="none",
            customdata=edges[:-1].astype(np.int32),
            name="click",
        )
    )
    return go.Figure(
        data=traces,
        layout={
            **layout(theme, STRIP_HEIGHT, top=4, bottom=4),
            "barmode": "overlay",
            "bargap": 0,
            "xaxis": axis(range=[-0.5, max(count, 1) - 0.5]),
            "yaxis": axis(range=[-1.12, 1.12], zeroline=True, zerolinecolor=theme.edge, zerolinewidth=1),
            "shapes": _marks(theme, count, start, size, selected),
            "annotations": _labels(facts, theme, other.sum()),
        },
    )


def _marks(theme: Theme, count: int, start: int, size: int | None, selected: int | None) -> list[dict[str, Any]]:
    shapes = []
    if size is not None and size < count:
        start = max(0, min(start, count - size))
        unit = (WIDTH - LEFT - RIGHT) / count
        extra = max(0.0, _NARROWEST - size * unit) / unit / 2
        shapes.append(
            {
                "type": "rect",
                "x0": start - 0.5 - extra,
                "x1": start + size - 0.5 + extra,
                "y0": -1.1,
                "y1": 1.1,
                "fillcolor": theme.window_fill,
                "line": {"color": theme.cursor, "width": 1.5},
            }
        )
    if selected is not None and 0 <= selected < count:
        shapes.append(
            {
                "type": "line",
                "x0": selected,
                "x1": selected,
                "y0": -1.12,
                "y1": 1.12,
                "line": {"color": theme.cursor, "width": 2},
            }
        )
    return shapes


def _labels(facts: Order, theme: Theme, sub_agents: int) -> list[dict[str, Any]]:
    count = len(facts.lane)
    checks = int(facts.check.sum())
    failed = int(facts.failed.sum()) - checks
    up = f"errors <b>{failed:,}</b>" + (f" · failed checks <b>{checks:,}</b>" if checks else "")
    if len(up) + len(f"{count:,}") < _LABEL_CHARACTERS:
        up += f" of {count:,}"
    down = f"in loops <b>{int(facts.in_loop.sum()):,}</b>" + (
        f" · sub-agents <b>{sub_agents:,}</b>" if sub_agents else ""
    )
    return [
        {
            "text": text,
            "x": 0,
            "xref": "paper",
            "xanchor": "right",
            "xshift": -6,
            "y": y,
            "yanchor": "middle",
            "font": {"size": 11, "color": theme.muted},
            "showarrow": False,
        }
        for text, y in ((up, 0.55), (down, -0.55))
    ]


def rail_figure(
    trajectory: Trajectory,
    theme: Theme,
    *,
    start: int = 0,
    size: int = 120,
    selected: int | None = None,
    by_time: bool = False,
) -> go.Figure:
    """A ▲ under the selected call, on the x axis of the order view; ◀ or ▶ at the edge when it is out of sight."""
    count = len(trajectory.calls)
    seen = window(order(trajectory), start, size)
    times = time_window(seen) if by_time else None
    left, right = x_range(seen, times)
    mark: list[dict[str, Any]] = []
    if selected is not None and 0 <= selected < count:
        before, behind = selected < seen.start, selected >= seen.stop
        place = left if before else right if behind else selected
        if times is not None and not before and not behind:
            place = float(times.begin[selected - seen.start])
        mark = [
            {
                "text": coloured("◀" if before else "▶" if behind else "▲", theme.cursor),
                "x": place,
                "xanchor": "left" if before else "right" if behind else "center",
                "y": 0.5,
                "yanchor": "middle",
                "font": {"size": 12},
                "showarrow": False,
                "borderpad": 0,
            }
        ]
    return go.Figure(
        data=[scatter(x=[], y=[], hoverinfo="skip")],
        layout={
            **layout(theme, RAIL_HEIGHT, top=0, bottom=0),
            "xaxis": axis(range=[left, right]),
            "yaxis": axis(range=[0, 1]),
            "annotations": mark,
        },
    )
