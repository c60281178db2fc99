"""Calls by state: one bar a tool, one part of it a state. A part leads to the first call that ended so."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from viewer.analysis.errors import failed_checks
from viewer.figures.captions import counted
from viewer.figures.endings import ENDS, End, ended, ending_words, look
from viewer.figures.order import empty_figure
from viewer.figures.theme import STEADY, Theme, axis, escaped, layout
from viewer.figures.traces import Trace, bars
from viewer.graphs.telling import shortened
from viewer.model import Trajectory

MOST: Final = 9
OTHER: Final = "other tools"
LEFT: Final = 150
WIDTH: Final = 660
"""Pixels of the whole figure that label room is measured for: half of the page."""
_RIGHT: Final = 52
_ROW: Final = 26
_ROOM: Final = 26.0
"""Pixels that sign and gaps of a part's number take."""
_CHARACTERS: Final = 20
_Part = tuple[int, int]


def states_figure(trajectory: Trajectory, theme: Theme) -> go.Figure:
    """Tools from the most calls down, at most nine and the others together; customdata is the call a part leads to."""
    rows = _rows(trajectory)
    if not rows:
        return empty_figure("No calls in this run.", theme, 120)
    totals = [sum(count for count, _ in parts.values()) for _, parts in rows]
    most = max(totals)
    unit = (WIDTH - LEFT - _RIGHT) / most
    base = np.zeros(len(rows))
    traces: list[Trace] = []
    labels: list[dict[str, Any]] = []
    for end in ENDS:
        at = np.array([row for row, (_, parts) in enumerate(rows) if end in parts], dtype=np.int32)
        if not len(at):
            continue
        drawn = look(end, theme)
        counts = np.array([rows[row][1][end][0] for row in at.tolist()], dtype=float)
        first = np.array([rows[row][1][end][1] for row in at.tolist()], dtype=np.int32)
        labels += [
            _part(row, float(base[row] + count / 2), f"{drawn.glyph} {int(count):,}", drawn.colour, theme)
            for row, count in zip(at.tolist(), counts.tolist(), strict=True)
            if count * unit >= _ROOM + 6 * len(f"{int(count):,}")
        ]
        traces.append(
            bars(
                orientation="h",
                x=counts,
                y=-at.astype(float),
                base=base[at],
                width=0.7,
                marker=drawn.marker,
                customdata=first,
                hovertext=[
                    f"<b>{escaped(shortened(rows[row][0], 60))}</b>  {drawn.glyph} {drawn.words} "
                    f"{int(count):,} of {totals[row]:,}<br>first: #{call + 1:,}"
                    for row, count, call in zip(at.tolist(), counts, first.tolist(), strict=True)
                ],
                hoverinfo="text",
                name=drawn.words,
                **STEADY,
            )
        )
        base[at] += counts
    return go.Figure(
        data=traces,
        layout={
            **layout(theme, 2 * 10 + _ROW * len(rows), left=LEFT, right=_RIGHT, top=10, bottom=10),
            "barmode": "overlay",
            "xaxis": axis(range=[0, most]),
            "yaxis": axis(
                range=[-len(rows) + 0.5, 0.5],
                tickvals=-np.arange(len(rows), dtype=float),
                ticktext=[f"{escaped(shortened(tool, _CHARACTERS))}  " for tool, _ in rows],
                showticklabels=True,
            ),
            "annotations": labels + [_total(row, total, theme) for row, total in enumerate(totals)],
        },
    )


def states_caption(trajectory: Trajectory) -> str:
    """What is drawn, with a legend that counts."""
    checks = failed_checks(trajectory)
    ends = [ended(call, checks) for call in trajectory.main_line]
    tools = len({call.name for call in trajectory.main_line})
    return f"Calls by state, {counted(tools, 'tool')}: {ending_words(ends)}" if ends else "No calls in this run."


def _rows(trajectory: Trajectory) -> list[tuple[str, dict[End, _Part]]]:
    """Tool -> ending -> (how many, the first)."""
    checks = failed_checks(trajectory)
    calls = trajectory.main_line
    counts = Counter(call.name for call in calls)
    known = [tool for tool, _ in counts.most_common()]
    shown = known if len(known) <= MOST + 1 else known[:MOST]
    rows: dict[str, dict[End, _Part]] = {tool: {} for tool in shown}
    for call in calls:
        parts = rows.setdefault(call.name if call.name in shown else f"{len(known) - MOST} {OTHER}", {})
        end = ended(call, checks)
        count, first = parts.get(end, (0, call.index))
        parts[end] = (count + 1, first)
    return list(rows.items())


def _part(row: int, x: float, text: str, colour: str, theme: Theme) -> dict[str, Any]:
    """Sign and number of a part, on ground of its own: no word can be read on a pattern."""
    return {
        "text": text,
        "x": x,
        "xanchor": "center",
        "y": -row,
        "yanchor": "middle",
        "font": {"size": 11, "color": colour},
        "bgcolor": theme.background,
        "showarrow": False,
        "borderpad": 0,
        "captureevents": False,
    }


def _total(row: int, total: int, theme: Theme) -> dict[str, Any]:
    return {
        "text": f"{total:,}",
        "x": total,
        "xanchor": "left",
        "xshift": 4,
        "y": -row,
        "yanchor": "middle",
        "font": {"size": 11, "color": theme.muted},
        "showarrow": False,
        "borderpad": 0,
    }
