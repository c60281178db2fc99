"""The overview strip over the whole run, and the rail that marks the selected call under the graph: what they show.

Not plotly: they follow every step of the reader, and a plotly chart with 200 bars costs 60 ms and 2,000 elements each
time. ``components.overview`` draws them on one canvas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from viewer.analysis.remembered import remembered
from viewer.figures.order import time_window, x_range
from viewer.graphs.order import Order, order, window
from viewer.model import Trajectory

BINS: Final = 200
_LABEL_CHARACTERS: Final = 46


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """At most 200 bins over all calls. ``edges`` has one entry more than there are bins: bin i holds the calls
    ``edges[i]`` to ``edges[i + 1]`` (exclusive).

    The others have one entry a bin, the share of its calls, 0 to 1: ``errors`` without failed checks, ``checks`` the
    failed checks, ``loops`` calls in loops, ``agents`` calls of sub-agents. ``above`` and ``below`` are what stands
    beside the strip: (words, number).
    """

    edges: tuple[int, ...]
    errors: tuple[float, ...]
    checks: tuple[float, ...]
    loops: tuple[float, ...]
    agents: tuple[float, ...]
    above: tuple[tuple[str, str], ...]
    below: tuple[tuple[str, str], ...]

    @property
    def calls(self) -> int:
        """Calls of the run."""
        return self.edges[-1]


@remembered
def strip(trajectory: Trajectory) -> Strip:
    """The strip of a run; its size does not grow with the run."""
    facts = order(trajectory)
    count = len(trajectory.calls)
    edges = np.linspace(0, count, min(BINS, max(1, count)) + 1).round().astype(np.int64)

    def share(marked: Any) -> tuple[float, ...]:
        sums = np.concatenate([[0], np.cumsum(marked)])
        found = (sums[edges[1:]] - sums[edges[:-1]]) / np.maximum(np.diff(edges), 1)
        return tuple(found.round(4).tolist())

    above, below = _words(facts)
    return Strip(
        edges=tuple(edges.tolist()),
        errors=share(facts.failed & ~facts.check),
        checks=share(facts.check),
        loops=share(facts.in_loop),
        agents=share(facts.by_sub_agents) if count else (0.0,),
        above=above,
        below=below,
    )


def _words(facts: Order) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    checks = int(facts.check.sum())
    above = [("errors", f"{int(facts.failed.sum()) - checks:,}")]
    if checks:
        above.append(("failed checks", f"{checks:,}"))
    total = f"{len(facts.lane):,}"
    if sum(len(word) + len(number) + 8 for word, number in above) + len(total) < _LABEL_CHARACTERS:
        above[-1] = (above[-1][0], f"{above[-1][1]} of {total}")
    below = [("in loops", f"{int(facts.in_loop.sum()):,}")]
    if sub_agents := int(facts.by_sub_agents.sum()) if len(facts.lane) else 0:
        below.append(("sub-agents", f"{sub_agents:,}"))
    return tuple(above), tuple(below)


def rail_place(
    trajectory: Trajectory, *, start: int = 0, size: int = 120, selected: int, by_time: bool = False
) -> float:
    """Where the selected call lies over the window of the order view: 0 its left end, 1 its right end.

    -1 for a call before the window, 2 for one behind it. In the same axis as ``order_figure`` of the same window.
    """
    seen = window(order(trajectory), start, size)
    if selected < seen.start:
        return -1.0
    if selected >= seen.stop:
        return 2.0
    times = time_window(seen) if by_time else None
    left, right = x_range(seen, times)
    place = selected if times is None else float(times.begin[selected - seen.start])
    return (place - left) / (right - left)
