"""What a stacked view needs, worked out once a comparison: lanes, columns, loops as spans, and a window of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from viewer.analysis.errors import failed_checks
from viewer.analysis.loops import Loop, loops
from viewer.comparison.axis import Column, columns
from viewer.comparison.star import LETTERS, Star
from viewer.model import Outcome, ToolCall, Trajectory

LANE: Final = 74
"""Pixels from lane to lane."""
PLOT: Final = 1_200
"""Pixels of the plot area that label room is measured for: a page 1,440 pixels wide."""
_MOST_SPANS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A run, or several that made the same calls with the same ends. ``name`` is untrusted text."""

    runs: tuple[int, ...]
    name: str
    calls: int
    outcome: Outcome | None

    @property
    def letters(self) -> str:
        """``A``, or ``B C`` for twins."""
        return " ".join(LETTERS[run] for run in self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A loop of a lane, from column ``first`` to ``last``."""

    lane: int
    first: int
    last: int
    loop: Loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A comparison laid out. ``places`` is the first column of each row; ``split`` the columns of rows that have more.

    ``checks`` are the failed checks of each run; ``marks`` the columns of the rows that the first line jumps to.
    """

    found: Star
    runs: tuple[Trajectory, ...]
    lanes: tuple[Lane, ...]
    columns: tuple[Column, ...]
    places: tuple[int, ...]
    split: dict[int, tuple[int, ...]]
    checks: tuple[frozenset[int], ...]
    spans: tuple[Span, ...]
    marks: tuple[tuple[int, str], ...]


def lay_out(found: Star, runs: Sequence[Trajectory], names: Sequence[str], *, fold: bool = True) -> Layout:
    """``names`` is what each run is called. ``fold``: twins share a lane, if that leaves two lanes or more."""
    axis = columns(found)
    places: dict[int, list[int]] = {}
    for at, column in enumerate(axis):
        places.setdefault(column.row, []).append(at)
    lanes = _lanes(found, runs, names, fold)
    return Layout(
        found=found,
        runs=tuple(runs),
        lanes=lanes,
        columns=axis,
        places=tuple(_home(axis, places[row]) for row in range(len(found.rows))),
        split={row: tuple(own) for row, own in places.items() if len(own) > 1},
        checks=tuple(failed_checks(run) for run in runs),
        spans=tuple(_spans(lanes, runs, axis)),
        marks=_marks(found, places),
    )


def _home(axis: Sequence[Column], own: Sequence[int]) -> int:
    return next(at for at in own if any(call is not None for call in axis[at].calls))


def folds(found: Star) -> bool:
    """Whether twins can share a lane so that two lanes or more are left."""
    width = len(found.similarity)
    return bool(found.twins) and width - sum(len(group) - 1 for group in found.twins) >= 2


def _lanes(found: Star, runs: Sequence[Trajectory], names: Sequence[str], fold: bool) -> tuple[Lane, ...]:
    group_of = {run: group for group in found.twins for run in group} if fold and folds(found) else {}
    lanes = []
    for run in range(len(runs)):
        group = group_of.get(run, (run,))
        if group[0] != run:
            continue
        outcomes = {runs[member].outcome for member in group}
        lanes.append(
            Lane(
                runs=group,
                name=", ".join(dict.fromkeys(names[member] for member in group)),
                calls=len(runs[run].main_line),
                outcome=outcomes.pop() if len(outcomes) == 1 else None,
            )
        )
    return tuple(lanes)


def _spans(lanes: Sequence[Lane], runs: Sequence[Trajectory], axis: Sequence[Column]) -> Iterator[Span]:
    """The longest loops first; of loops that overlap in a lane only the first."""
    for at, lane in enumerate(lanes):
        run = lane.runs[0]
        column_of = {call: x for x, column in enumerate(axis) if (call := column.calls[run]) is not None}
        taken: list[tuple[int, int]] = []
        for loop in loops(runs[run])[:_MOST_SPANS]:
            own = [column_of[call] for call in loop.calls if call in column_of]
            if not own or any(min(own) <= last and first <= max(own) for first, last in taken):
                continue
            taken.append((min(own), max(own)))
            yield Span(lane=at, first=min(own), last=max(own), loop=loop)


def _marks(found: Star, places: dict[int, list[int]]) -> tuple[tuple[int, str], ...]:
    words: dict[int, list[str]] = {}
    for row, said in (
        (found.first_divergence, "first divergence"),
        (found.decisive, "decisive"),
        (found.first_sustained_divergence, "sustained divergence"),
    ):
        if row is not None:
            words.setdefault(places[row][0], []).append(said)
    return tuple((column, " · ".join(said)) for column, said in sorted(words.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Columns ``start`` to ``stop`` (exclusive) of a layout."""

    layout: Layout
    start: int
    stop: int

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes, top to bottom."""
        return self.layout.lanes

    @property
    def span(self) -> int:
        """How many columns."""
        return self.stop - self.start

    @property
    def unit(self) -> float:
        """Pixels from column to column."""
        return PLOT / max(1, self.span)

    @property
    def node(self) -> int:
        """The size of a node in pixels."""
        return 13 if self.span <= 40 else 10 if self.span <= 80 else 7 if self.span <= 160 else 5

    @property
    def loops(self) -> tuple[Span, ...]:
        """The loops that reach into the window, cut to it."""
        return tuple(
            Span(
                lane=span.lane,
                first=max(span.first, self.start),
                last=min(span.last, self.stop - 1),
                loop=span.loop,
            )
            for span in self.layout.spans
            if span.first < self.stop and span.last >= self.start
        )

    @property
    def marks(self) -> tuple[tuple[int, str], ...]:
        """Marked columns of the window and their words."""
        return tuple(mark for mark in self.layout.marks if self.shows(mark[0]))

    def shows(self, column: int) -> bool:
        """Whether a column is in the window."""
        return self.start <= column < self.stop

    def calls(self, lane: Lane) -> Iterator[tuple[int, ToolCall]]:
        """(column, call) of a lane in the window."""
        run = lane.runs[0]
        calls = self.layout.runs[run].calls
        for x in range(self.start, self.stop):
            index = self.layout.columns[x].calls[run]
            if index is not None:
                yield x, calls[index]

    def lane_at(self, column: int, row: int) -> int | None:
        """The first lane that has a call in a column of that row."""
        found = self.layout.columns[column]
        if found.row != row:
            return None
        return next((at for at, lane in enumerate(self.lanes) if found.calls[lane.runs[0]] is not None), None)


def see(layout: Layout, start: int, size: int) -> Seen:
    """The window of ``size`` columns from ``start``, brought into the axis."""
    count = len(layout.columns)
    stop = min(count, max(0, min(start, count - size)) + size)
    return Seen(layout=layout, start=max(0, stop - size), stop=stop)
