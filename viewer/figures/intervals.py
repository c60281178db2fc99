"""Shares with their intervals, one line each: a dot between two ends, and the count in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import plotly.graph_objects as go

from viewer.figures.line_names import room, short
from viewer.figures.order import empty_figure
from viewer.figures.theme import STEADY, Theme, axis, escaped, layout
from viewer.figures.traces import Trace, scatter

LINES: Final = 24
"""Lines in one figure; whoever has more says so."""
_HEIGHT: Final = 25
_BOTTOM: Final = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """``value`` with its 95 % interval, 0 to 1 or -1 to 1; all None over nothing. ``words`` stand at the right."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    words: str
    hover: str = ""


def interval_figure(
    lines: Sequence[Interval], theme: Theme, *, signed: bool = False, nothing: str = "Nothing to show."
) -> go.Figure:
    """At most 24 lines, top to bottom; customdata is a line's position. ``signed``: from -100 to 100, zero marked."""
    shown = lines[:LINES]
    if not shown:
        return empty_figure(nothing, theme, 80)
    height = max(90, _HEIGHT * len(shown) + _BOTTOM + 6)
    known = [(at, line) for at, line in enumerate(shown) if line.value is not None]
    dots = scatter(
        x=[line.value for _, line in known],
        y=[-at for at, _ in known],
        mode="markers",
        marker={"symbol": "circle", "size": 10, "color": theme.ok},
        customdata=[at for at, _ in known],
        hovertext=[escaped(line.hover or f"{line.name}: {line.words}") for _, line in known],
        hovertemplate="%{hovertext}<extra></extra>",
        **STEADY,
    )
    left = room(line.name for line in shown)
    right = room(line.words for line in shown)
    figure = go.Figure([*_whiskers(known, theme), dots])
    least, ticks = (-1.0, (-1, -0.5, 0, 0.5, 1)) if signed else (0.0, (0, 0.2, 0.4, 0.6, 0.8, 1))
    figure.update_layout(
        **layout(theme, height, left=left, right=right, top=6, bottom=_BOTTOM),
        xaxis=axis(
            range=[least - 0.02, 1.02],
            showgrid=True,
            gridcolor=theme.grid,
            zeroline=signed,
            zerolinecolor=theme.edge,
            showticklabels=True,
            tickvals=list(ticks),
            ticktext=[(f"{100 * tick:+.0f}" if tick else "0") if signed else f"{tick:.0%}" for tick in ticks],
            tickfont={"size": 11, "color": theme.muted},
        ),
        yaxis=axis(
            range=[-len(shown) + 0.5, 0.5],
            showticklabels=True,
            tickvals=[-at for at in range(len(shown))],
            ticktext=[escaped(short(line.name)) for line in shown],
        ),
        annotations=[
            {
                "x": 1, "xref": "paper", "xanchor": "left", "xshift": 8, "y": -at, "yref": "y", "yanchor": "middle",
                "text": escaped(line.words), "showarrow": False, "font": {"size": 11, "color": theme.muted},
            }
            for at, line in enumerate(shown)
        ],
    )  # fmt: skip
    return figure


def _whiskers(known: Sequence[tuple[int, Interval]], theme: Theme) -> list[Trace]:
    x: list[float | None] = []
    y: list[int | None] = []
    for at, line in known:
        x += [line.low, line.high, None]
        y += [-at, -at, None]
    return [scatter(x=x, y=y, mode="lines", line={"color": theme.ok, "width": 2}, hoverinfo="skip")]
