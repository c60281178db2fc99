"""When each tool ran: the calls of a run in lanes by the time they took, beside the model's replies, on one clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.analysis.remembered import remembered
from viewer.analysis.scope import leading_call, model_steps
from viewer.graphs.order import OTHER, Integers, Lane, order
from viewer.graphs.timeline import Timeline, timeline
from viewer.model import Trajectory

MOST: Final = 10
"""Lanes of their own; when there are more than one besides, those share the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTimes:
    """A run whose file records when calls ran, or at least how long."""

    lanes: tuple[Lane, ...]
    """Most time first; ``kinds`` of the last is how many lanes it holds, when it holds the rest."""
    seconds: tuple[float, ...]
    """The time of each lane; calls side by side are added."""
    row: Integers
    """One entry a call; -1 for calls off the main line."""
    times: Timeline
    """The calls, then the model's replies."""
    model: tuple[tuple[int, float], ...]
    """(call it leads to, seconds) of each reply in ``times``."""
    in_order: bool
    """Only durations are recorded: calls stand one after another."""


@remembered
def tool_times(trajectory: Trajectory) -> ToolTimes | None:
    """None where nothing of it is recorded. Only calls of the main line have a lane."""
    main = np.array([call.line == "main" for call in trajectory.calls], dtype=bool)
    if not main.any():
        return None
    times = timeline(trajectory)
    in_order = times is None
    length = np.array(
        [call.duration if call.duration is not None and call.duration >= 0 else 0.0 for call in trajectory.calls]
    )
    if times is None:
        if not length.any():
            return None
        end = np.cumsum(length)
        times = Timeline(begin=end - length, end=end, recorded=0)
    spans = [] if in_order else list(_model_spans(trajectory))
    found = order(trajectory)
    spent = np.bincount(found.lane[main], weights=(times.end - times.begin)[main], minlength=len(found.lanes))
    used = np.bincount(found.lane[main], minlength=len(found.lanes))
    ranked = [lane for lane in np.lexsort((-used, -spent)).tolist() if used[lane]]
    shown = ranked if len(ranked) <= MOST + 1 else ranked[:MOST]
    row_of = np.full(len(found.lanes), len(shown), dtype=np.int32)
    row_of[shown] = np.arange(len(shown), dtype=np.int32)
    lanes = [found.lanes[lane] for lane in shown]
    seconds = [float(spent[lane]) for lane in shown]
    if len(shown) < len(ranked):
        lanes.append(Lane(tool=OTHER, kinds=len(ranked) - len(shown)))
        seconds.append(float(spent[ranked[len(shown) :]].sum()))
    return ToolTimes(
        lanes=tuple(lanes),
        seconds=tuple(seconds),
        row=np.where(main, row_of[found.lane], -1).astype(np.int32),
        times=_with_model(times, spans),
        model=tuple((call, end - begin) for begin, end, call in spans),
        in_order=in_order,
    )


def _model_spans(trajectory: Trajectory) -> Iterator[tuple[float, float, int]]:
    """(begin, end, call it leads to) of each reply whose beginning and time are recorded, in seconds as the calls."""
    first = min(call.started for call in trajectory.calls if call.started is not None)
    for step in model_steps(trajectory):
        if step.model_seconds is not None and step.model_seconds >= 0 and step.started is not None:
            begin = step.started - first
            lead = leading_call(trajectory, step)
            yield begin, begin + step.model_seconds, -1 if lead is None else lead


def _with_model(times: Timeline, spans: Sequence[tuple[float, float, int]]) -> Timeline:
    """One clock for both, that begins with whatever came first."""
    begin = np.concatenate([times.begin, np.array([span[0] for span in spans])])
    end = np.concatenate([times.end, np.array([span[1] for span in spans])])
    return Timeline(begin=begin - begin.min(), end=end - begin.min(), recorded=times.recorded)
