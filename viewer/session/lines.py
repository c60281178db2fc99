"""A line of the Runs table: the row of the index, and what stands out in the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from viewer.errors import ViewerError
from viewer.runs import Entry, Row, row, summary
from viewer.session.open_run import OpenRun, run_name

HAYSTACK: Final = 20_000
BINS: Final = 24
"""Bars of "where it erred", at most: each an equal part of the run's calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """``erred`` has error counts over the run's length; None where there are no calls. ``loops`` None: not known."""

    row: Row
    entry: Entry
    name: str
    stands_out: str
    haystack: str = ""
    """What the table's search looks into, in small letters."""
    erred: tuple[int, ...] | None = None
    loops: int | None = None
    checks: int | None = None
    """Of the errors, the failed checks."""


def lines_of(entry: Entry, opened: Callable[[], tuple[OpenRun, ...]]) -> tuple[Line, ...]:
    """One line a run; one line with its reason for a file that cannot be read. Never raises for bad input."""
    runs: tuple[OpenRun, ...] = ()
    if entry.state == "run":
        try:
            runs = opened()
        except ViewerError:
            pass  # summary says why
    if not runs:
        return tuple(_without_run(entry, found) for found in summary(entry))
    return tuple(_line(entry, run) for run in runs)


def _without_run(entry: Entry, found: Row) -> Line:
    name, reason = run_name(entry), found.reason or ""
    return Line(row=found, entry=entry, name=name, stands_out=reason, haystack=f"{name}\n{reason}".lower())


def _line(entry: Entry, run: OpenRun) -> Line:
    found = row(entry, run.trajectory)
    calls = run.trajectory.calls
    words = dict.fromkeys(word for call in calls for word in (call.name, run.words(call.index)))
    texts = (run.name, found.task, found.task_id, found.model, found.harness, found.format, *words)
    haystack = "\n".join(text for text in texts if text)[:HAYSTACK].lower()
    if run.blocked:
        reason = found.reason or "calls stand in the file and none was read"
        return Line(row=found, entry=entry, name=run.name, stands_out=reason, haystack=haystack)
    return Line(
        row=found,
        entry=entry,
        name=run.name,
        stands_out=run.headline.standing_out,
        haystack=haystack,
        erred=_erred(run) if calls else None,
        loops=len(run.loops),
        checks=len(run.failed_checks),
    )


def _erred(run: OpenRun) -> tuple[int, ...]:
    count = len(run.trajectory.calls)
    bins = [0] * min(BINS, count)
    for index in run.errors:
        bins[index * len(bins) // count] += 1
    return tuple(bins)
