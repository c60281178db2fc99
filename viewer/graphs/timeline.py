"""When calls began and ended, with long idle times folded: the x axis of the order view by the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from viewer.analysis.remembered import remembered
from viewer.model import Trajectory

Floats: TypeAlias = NDArray[np.float64]

IDLE: Final = 60.0
"""Seconds in which no call runs that are folded."""
_FOLD_SHARE: Final = 0.04
_ALL_FOLDS: Final = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Seconds since the first call began, one entry a call. ``recorded`` of the beginnings stand in the file.

    A call without a beginning of its own lies where the calls before it had ended; one without an end has no length.
    """

    begin: Floats
    end: Floats
    recorded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """An idle time: from ``left`` to ``right`` on the axis, ``seconds`` in truth, from ``since`` on."""

    left: float
    right: float
    since: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAxis:
    """A part of a timeline as it is drawn. ``begin`` and ``end`` are places on the axis, from 0 to ``span``."""

    begin: Floats
    end: Floats
    span: float
    since: float
    """Seconds of the timeline at place 0."""
    folds: tuple[Fold, ...]

    def place(self, seconds: float) -> float | None:
        """Where a moment of the timeline lies; None inside a fold and outside the part."""
        at = seconds - self.since
        for fold in self.folds:
            if seconds <= fold.since:
                break
            if seconds < fold.since + fold.seconds:
                return None
            at -= fold.seconds - (fold.right - fold.left)
        return at if 0 <= at <= self.span else None


@remembered
def timeline(trajectory: Trajectory) -> Timeline | None:
    """The times of all calls, or None when not one call of the run says when it began."""
    begin = np.array([np.nan if call.started is None else call.started for call in trajectory.calls], dtype=float)
    recorded = int(np.isfinite(begin).sum())
    if not recorded:
        return None
    given = np.array([np.nan if call.ended is None else call.ended for call in trajectory.calls], dtype=float)
    length = np.array([np.nan if call.duration is None else call.duration for call in trajectory.calls], dtype=float)
    first = float(np.nanmin(begin))
    known = np.fmax(np.fmax(begin, given), first)
    before = np.concatenate([[first], np.fmax.accumulate(np.where(np.isfinite(known), known, first))[:-1]])
    begin = np.where(np.isfinite(begin), begin, before)
    end = np.where(np.isfinite(given), given, begin + np.where(np.isfinite(length), length, 0.0))
    return Timeline(begin=begin - first, end=np.maximum(end, begin) - first, recorded=recorded)


def time_axis(times: Timeline, start: int, stop: int) -> TimeAxis:
    """The calls ``start`` to ``stop`` with idle times over a minute folded to a twenty-fifth of the axis each."""
    begin, end = times.begin[start:stop], times.end[start:stop]
    if not len(begin):
        return TimeAxis(begin=begin, end=end, span=1.0, since=0.0, folds=())
    ranked = np.argsort(begin, kind="stable")
    busy_until = np.maximum.accumulate(end[ranked])
    gaps = begin[ranked][1:] - busy_until[:-1]
    idle = np.flatnonzero(gaps > IDLE)
    since = float(begin.min())
    busy = float(end.max()) - since - float(gaps[idle].sum())
    share = min(_FOLD_SHARE, _ALL_FOLDS / len(idle)) if len(idle) else 0.0
    width = max(busy, 1e-3) * share / (1 - share * len(idle))
    folds: list[Fold] = []
    saved = 0.0
    for gap in idle.tolist():
        left = float(busy_until[gap]) - since - saved
        folds.append(Fold(left=left, right=left + width, since=float(busy_until[gap]), seconds=float(gaps[gap])))
        saved += float(gaps[gap]) - width
    starts = np.array([fold.since for fold in folds])
    cuts = np.concatenate([[0.0], np.cumsum([fold.seconds - width for fold in folds])])

    def placed(moments: Floats) -> Floats:
        # a moment after k folds lies by all k savings further left; "left" takes an end on a fold's edge as before it
        return np.asarray(moments - since - cuts[np.searchsorted(starts, moments, side="left")])

    return TimeAxis(
        begin=placed(begin), end=placed(end), span=max(busy + width * len(idle), 1e-3), since=since, folds=tuple(folds)
    )
