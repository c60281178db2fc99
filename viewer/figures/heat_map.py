"""A table whose cells are tinted by a share: groups by what they do, or by what is objected to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import plotly.graph_objects as go

from viewer.figures.line_names import room, short
from viewer.figures.order import empty_figure
from viewer.figures.theme import Theme, axis, escaped, layout, tint
from viewer.figures.traces import scatter

ROWS: Final = 24
COLUMNS: Final = 14
_LEAST: Final = 5
"""Columns that the width is made for at least."""
_STRONG: Final = 0.2
"""The share that is tinted strongest where none is larger: a rare thing stays pale."""
_HEIGHT: Final = 30
_TOP: Final = 30


def heat_map_figure(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[str, str], tuple[float, str, str]],
    theme: Theme,
    *,
    nothing: str = "Nothing to show.",
) -> go.Figure:
    """``cells``: (row, column) -> share (0 to 1), words, hover. The strongest tint is the largest share, 20 % at least.

    customdata is the cell's position in ``cells``. At most 24 rows and 14 columns are drawn.
    """
    row, column = ({name: at for at, name in enumerate(names)} for names in (rows[:ROWS], columns[:COLUMNS]))
    shown = [
        (at, key, cell) for at, (key, cell) in enumerate(cells.items()) if key[0] in row and key[1] in column
    ]  # fmt: skip
    if not shown:
        return empty_figure(nothing, theme, 80)
    most = max(_STRONG, *(share for _, _, (share, _, _) in shown))
    letters = min(32, 140 // max(_LEAST, len(column)))
    figure = go.Figure(
        [
            scatter(
                x=[column[key[1]] for _, key, _ in shown],
                y=[-row[key[0]] for _, key, _ in shown],
                mode="markers+text",
                text=[words for _, _, (_, words, _) in shown],
                textfont={"color": theme.text, "size": 12},
                marker={"symbol": "square", "size": _HEIGHT - 8, "opacity": 0},
                selected={"marker": {"opacity": 0}},
                unselected={"marker": {"opacity": 0}, "textfont": {"color": theme.text}},
                customdata=[at for at, _, _ in shown],
                hovertext=[escaped(hover) for _, _, (_, _, hover) in shown],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        ]
    )
    left = room(row)
    figure.update_layout(
        **layout(theme, _TOP + _HEIGHT * len(row) + 6, left=left, right=2, top=_TOP, bottom=6),
        shapes=[
            {
                "type": "rect", "layer": "below", "line": {"width": 0},
                "fillcolor": tint(theme.cursor, 0.04 + 0.36 * share / most),
                "x0": column[key[1]] - 0.47, "x1": column[key[1]] + 0.47,
                "y0": -row[key[0]] - 0.43, "y1": -row[key[0]] + 0.43,
            }
            for _, key, (share, _, _) in shown
        ],
        xaxis=axis(
            range=[-0.5, max(_LEAST, len(column)) - 0.5],
            side="top",
            showticklabels=True,
            tickvals=list(column.values()),
            ticktext=[escaped(short(name, letters)) for name in column],
            tickangle=0,
            tickfont={"size": 11},
        ),
        yaxis=axis(
            range=[-len(row) + 0.5, 0.5],
            showticklabels=True,
            tickvals=[-at for at in row.values()],
            ticktext=[escaped(short(name)) for name in row],
        ),
    )  # fmt: skip
    return figure
