"""Time by tool on the clock: one lane a tool (shells: a program), one bar a call, the model's replies above them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viewer.analysis.errors import failed_checks
from viewer.figures.captions import counted
from viewer.figures.endings import ENDS, ended, look
from viewer.figures.nodes import wrapped
from viewer.figures.order import empty_figure
from viewer.figures.order_labels import lane_name
from viewer.figures.theme import LEFT, RIGHT, STEADY, Theme, axis, escaped, layout, mono
from viewer.figures.time_labels import elapsed_words, fold_marks, time_ticks
from viewer.figures.traces import Trace, bars, scatter
from viewer.graphs.order import Lane
from viewer.graphs.telling import run_directory, shortened, telling
from viewer.graphs.timeline import TimeAxis, time_axis
from viewer.graphs.tool_times import ToolTimes, tool_times
from viewer.model import Trajectory

WIDTH: Final = 1_390
"""Pixels of the whole figure that label room is measured for: the page's width."""
SEPARATE: Final = 500
"""Calls that are drawn one by one. Of more, those of a lane that begin in the same column of the axis are one bar."""
COLUMNS: Final = (240, 160, 120, 80, 60, 40, 30)
"""How many columns an axis may have: the most that make 500 bars at most, else the fewest. A bar is two elements."""
NO_CLOCK: Final = "This file records no times of calls."
_ROW: Final = 26
_TOP: Final = 22
_BOTTOM: Final = 26
_THINNEST: Final = 3.0
_MARKED: Final = 300
_CHARACTERS: Final = 24
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


class _Drawn(NamedTuple):
    """One entry a bar. ``call`` is the one it leads to, ``number`` how many calls it stands for."""

    row: Integers
    begin: Floats
    end: Floats
    call: Integers
    ending: Integers
    number: Integers


def time_by_tool_figure(trajectory: Trajectory, theme: Theme) -> go.Figure:
    """Customdata of a bar and of a mark is a call's index."""
    facts = tool_times(trajectory)
    if facts is None:
        return empty_figure(NO_CLOCK, theme, 120)
    clock = time_axis(facts.times, 0, len(facts.times.begin))
    top = 1 if facts.model else 0
    rows = len(facts.lanes) + top
    unit = (WIDTH - LEFT - RIGHT) / clock.span
    drawn = _bars(trajectory, facts, clock)
    shapes, labels = fold_marks(clock, theme, unit)
    pad = clock.span * 0.006
    traces = [
        *_model_trace(facts, clock, theme, unit),
        *_traces(trajectory, drawn, theme, unit, top),
        *(_marks(trajectory, drawn, theme, top) if len(drawn.call) <= _MARKED else []),
    ]
    ticks = time_ticks(clock, unit)
    names = ["model  "] * top + [
        _label(lane, seconds) for lane, seconds in zip(facts.lanes, facts.seconds, strict=True)
    ]
    return go.Figure(
        data=traces,
        layout={
            **layout(theme, _TOP + _BOTTOM + _ROW * rows, top=_TOP, bottom=_BOTTOM),
            "barmode": "overlay",
            "xaxis": axis(
                range=[-pad, clock.span + pad],
                showticklabels=True,
                showgrid=True,
                gridcolor=theme.grid,
                tickangle=0,
                tickfont={"size": 11, "color": theme.muted},
                **ticks,
            ),
            "yaxis": axis(
                range=[-rows + 0.5, 0.5],
                tickvals=-np.arange(rows, dtype=float),
                ticktext=names,
                showticklabels=True,
            ),
            "shapes": shapes,
            "annotations": labels,
        },
    )


def time_by_tool_caption(trajectory: Trajectory) -> str:
    """Which times are drawn, how they were recorded, and what is left out."""
    facts = tool_times(trajectory)
    if facts is None:
        return NO_CLOCK
    calls = trajectory.main_line
    timed = sum(call.duration is not None and call.duration >= 0 for call in calls)
    parts = [f"Time by tool: {timed:,} of {counted(len(calls), 'call')} with a recorded time"]
    if facts.in_order:
        parts.append("only durations are recorded, so calls stand one after another")
    else:
        started = sum(call.started is not None for call in calls)
        if started < len(calls):
            parts.append(f"{len(calls) - started:,} without a beginning stand where the calls before them had ended")
    if any(fold.seconds for fold in time_axis(facts.times, 0, len(facts.times.begin)).folds):
        parts.append("grey: idle times over a minute, folded")
    if len(calls) > SEPARATE:
        parts.append("calls of a lane that begin together are one bar")
    return " · ".join(parts)


def _label(lane: Lane, seconds: float) -> str:
    tool, head = lane_name(lane), lane.head
    words = elapsed_words(round(seconds, 3))
    room = _CHARACTERS - len(words)
    text = mono(shortened(head, room)) if head else f"<b>{escaped(shortened(tool, room))}</b>"
    return f"{text} {words}  "


def _bars(trajectory: Trajectory, facts: ToolTimes, clock: TimeAxis) -> _Drawn:
    checks = failed_checks(trajectory)
    place = {end: at for at, end in enumerate(ENDS)}
    ending = np.array([place[ended(call, checks)] for call in trajectory.calls], dtype=np.int32)
    calls = np.flatnonzero(facts.row >= 0).astype(np.int32)
    row, begin, end = facts.row[calls], clock.begin[calls], clock.end[calls]
    if len(calls) <= SEPARATE:
        return _Drawn(row, begin, end, calls, ending[calls], np.ones(len(calls), np.int32))
    for columns in COLUMNS:
        # one bar a lane, column and ending, so that a failure is never hidden under an ok
        _, first, group = np.unique(
            (row.astype(np.int64) * columns + _column(begin, clock, columns)) * len(ENDS) + ending[calls],
            return_index=True,
            return_inverse=True,
        )
        if len(first) <= SEPARATE:
            break
    bars_ = len(first)
    ends = np.full(bars_, -np.inf)
    np.maximum.at(ends, group, end)
    begins = np.full(bars_, np.inf)
    np.minimum.at(begins, group, begin)
    return _Drawn(
        row[first],
        begins,
        ends,
        calls[first],
        ending[calls][first],
        np.bincount(group).astype(np.int32),
    )


def _column(begin: Floats, clock: TimeAxis, columns: int) -> NDArray[np.int64]:
    return np.minimum((begin / clock.span * columns).astype(np.int64), columns - 1)


def _traces(trajectory: Trajectory, drawn: _Drawn, theme: Theme, unit: float, top: int) -> list[Trace]:
    directory = run_directory(trajectory)
    traces = []
    for position, end in enumerate(ENDS):
        those = np.flatnonzero(drawn.ending == position)
        if not len(those):
            continue
        looks = look(end, theme)
        traces.append(
            bars(
                orientation="h",
                x=np.maximum(drawn.end[those] - drawn.begin[those], _THINNEST / unit),
                base=drawn.begin[those],
                y=-(drawn.row[those] + top).astype(float),
                width=0.62,
                marker=looks.marker,
                customdata=drawn.call[those],
                hovertext=[
                    _hover(trajectory, call, count, looks.words, directory)
                    for call, count in zip(drawn.call[those].tolist(), drawn.number[those].tolist(), strict=True)
                ],
                hoverinfo="text",
                name=looks.words,
                **STEADY,
            )
        )
    return traces


def _marks(trajectory: Trajectory, drawn: _Drawn, theme: Theme, top: int) -> list[Trace]:
    """The sign of each state but ok at the beginning of its bar: a thin bar shows no pattern."""
    traces = []
    for position, end in enumerate(ENDS):
        those = np.flatnonzero(drawn.ending == position)
        if end == "ok" or not len(those):
            continue
        looks = look(end, theme)
        thin = looks.symbol.endswith("thin")
        traces.append(
            scatter(
                x=drawn.begin[those],
                y=-(drawn.row[those] + top).astype(float),
                mode="markers",
                marker={
                    "symbol": looks.symbol,
                    "size": 9,
                    "color": looks.colour,
                    "line": {"width": 2.0 if thin else 1.5, "color": looks.colour if thin else theme.background},
                },
                hoverinfo="skip",
                name=f"{looks.words} mark",
            )
        )  # fmt: skip
    return traces


def _hover(trajectory: Trajectory, index: int, count: int, words: str, directory: str | None) -> str:
    call = trajectory.calls[index]
    if count > 1:
        return f"<b>{counted(count, 'call')}</b>  {words}<br>first: #{index + 1:,} {escaped(call.name)}"
    time = f" · {elapsed_words(round(call.duration, 3))}" if call.duration is not None and call.duration >= 0 else ""
    lines = [f"<b>#{index + 1:,} {escaped(call.name)}</b>  {words}{time}", *wrapped(telling(call, directory), 76, 3)]
    if call.started is None:
        lines.append("its beginning is not recorded")
    return "<br>".join(lines)


def _model_trace(facts: ToolTimes, clock: TimeAxis, theme: Theme, unit: float) -> list[Trace]:
    if not facts.model:
        return []
    begin, end = clock.begin[-len(facts.model) :], clock.end[-len(facts.model) :]
    seen: Any = slice(None)
    if len(facts.model) > SEPARATE:  # the longest of each stretch
        column = _column(begin, clock, COLUMNS[0])
        longest = np.lexsort((begin - end, column))
        seen = longest[np.unique(column[longest], return_index=True)[1]]
    call = np.array([call for call, _ in facts.model], dtype=np.int32)[seen]
    seconds = np.array([seconds for _, seconds in facts.model])[seen]
    return [
        bars(
            orientation="h",
            x=np.maximum(end[seen] - begin[seen], _THINNEST / unit),
            base=begin[seen],
            y=np.zeros(len(call)),
            width=0.62,
            marker={"color": theme.edge, "line": {"width": 0}},
            customdata=call,
            hovertext=[
                f"<b>model</b>  {elapsed_words(round(took, 3))}<br>leads to #{lead + 1:,}"
                for lead, took in zip(call.tolist(), seconds.tolist(), strict=True)
            ],
            hoverinfo="text",
            name="model",
            **STEADY,
        )
    ]
