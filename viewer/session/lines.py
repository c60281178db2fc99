"""A line of the Runs table: the row of the index, and what stands out in the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from viewer.errors import ViewerError
from viewer.runs import Entry, Row, row, summary

if TYPE_CHECKING:
    from viewer.session.open_run import OpenRun

BINS: Final = 24
"""Bars of "where it erred": each a share of the run's calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """``erred`` has 24 error counts over the run's length; None where there are no calls. ``loops`` None: not known."""

    row: Row
    entry: Entry
    stands_out: str
    erred: tuple[int, ...] | None = None
    loops: int | None = None
    checks: int | None = None
    """Of the errors, the failed checks."""


def lines_of(entry: Entry, opened: Callable[[], tuple[OpenRun, ...]]) -> tuple[Line, ...]:
    """One line a run; one line with its reason for a file that cannot be read. Never raises for bad input."""
    if entry.state != "run":
        return tuple(Line(row=found, entry=entry, stands_out=found.reason or "") for found in summary(entry))
    try:
        runs = opened()
    except ViewerError:
        return tuple(Line(row=found, entry=entry, stands_out=found.reason or "") for found in summary(entry))
    if not runs:
        return tuple(Line(row=found, entry=entry, stands_out=found.reason or "") for found in summary(entry))
    return tuple(_line(entry, run) for run in runs)


def _line(entry: Entry, run: OpenRun) -> Line:
    found = row(entry, run.trajectory)
    if run.blocked:
        return Line(row=found, entry=entry, stands_out=found.reason or "calls stand in the file and none was read")
    return Line(
        row=found,
        entry=entry,
        stands_out=run.stands_out,
        erred=_erred(run) if run.trajectory.calls else None,
        loops=len(run.loops),
        checks=len(run.failed_checks),
    )


def _erred(run: OpenRun) -> tuple[int, ...]:
    bins = [0] * BINS
    count = len(run.trajectory.calls)
    for index in run.errors:
        bins[index * BINS // count] += 1
    return tuple(bins)
