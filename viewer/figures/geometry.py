"""From calls and lanes to pixels and back: what keeps labels, arcs and bands from touching each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from viewer.figures.theme import LEFT, RIGHT, WIDTH
from viewer.graphs.order import MOST_LANES

CHARACTER: Final = 6.6
"""Pixels of one character of the 11 px monospace font; bold 12 px sans is narrower on average."""
WIDEST: Final = 230
"""Pixels a node's label may take."""
RIBBON: Final = 12
_RIBBON_GAP: Final = 4
_TOP: Final = 34
_BOTTOM: Final = 28
_TALLEST: Final = 92
_NARROWEST: Final = 22
BRACKET: Final = 15
"""Pixels under the lanes for loops that span several of them."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """The pixels of a lane drawing: ``lanes`` rows, ``span`` units on the x axis (calls, or seconds)."""

    lanes: int
    span: float
    height: int
    """Of the plot area."""
    width: int = WIDTH - LEFT - RIGHT
    ribbon: int = RIBBON
    bracket: int = 0
    """Pixels between lanes and ribbon for what spans several lanes."""

    @property
    def unit(self) -> float:
        """Pixels of one unit of x."""
        return self.width / max(self.span, 1e-9)

    @property
    def drawing(self) -> float:
        """Pixels of the lanes, above ribbon and brackets."""
        return self.height - (self.ribbon + _RIBBON_GAP if self.ribbon else 0) - self.bracket

    @property
    def lane(self) -> float:
        """Pixels from lane to lane."""
        return min(_TALLEST, (self.drawing - _TOP - _BOTTOM) / max(1, self.lanes - 1))

    @property
    def y_range(self) -> tuple[float, float]:
        """The y axis: lane 0 at 0, the next at -1, ... centred when there is room to spare."""
        spare = (self.drawing - _TOP - _BOTTOM - self.lane * (self.lanes - 1)) / 2
        return -(self.lanes - 1) - (_BOTTOM + spare) / self.lane, (_TOP + spare) / self.lane

    @property
    def domain(self) -> tuple[float, float]:
        """Where the lanes lie on the figure's height, above the ribbon."""
        return 1 - self.drawing / self.height, 1.0

    @property
    def arc_room(self) -> float:
        """Pixels above a lane that arcs and bands may use: the rest is the label of the lane above."""
        return float(np.clip(self.lane - 24, 9, 26))


def lanes_in(height: int) -> int:
    """How many lanes a plot area of ``height`` pixels holds with their labels apart, at most twelve."""
    return int(np.clip((height - RIBBON - _RIBBON_GAP - BRACKET - _TOP - _BOTTOM) // _NARROWEST + 1, 2, MOST_LANES))


def arcs(first: Floats, last: Floats, base: Floats, geometry: Geometry, lift: float) -> tuple[Floats, Floats]:
    """Half ellipses over their lane from ``first`` to ``last``, parted by NaN: one line trace for all of them.

    Wider arcs are higher, up to the room there is; they start ``lift`` pixels above the lane.
    """
    if not len(first):
        return np.empty(0), np.empty(0)
    turn = np.linspace(np.pi, 0, 17)
    middle, radius = (first + last) / 2, (last - first) / 2
    pixels = np.minimum(geometry.arc_room - lift, 5 + 0.16 * 2 * radius * geometry.unit)
    x = middle[:, None] + radius[:, None] * np.cos(turn)
    y = base[:, None] + (lift + pixels[:, None] * np.sin(turn)) / geometry.lane
    gap = np.full((len(first), 1), np.nan)
    return np.hstack([x, gap]).ravel(), np.hstack([y, gap]).ravel()


def capsules(first: Floats, last: Floats, base: Floats, geometry: Geometry, radius: float) -> tuple[Floats, Floats]:
    """Rounded bars from ``first`` to ``last``, ``radius`` pixels thick each way, parted by NaN: one filled trace."""
    if not len(first):
        return np.empty(0), np.empty(0)
    left, right = np.linspace(np.pi / 2, 3 * np.pi / 2, 7), np.linspace(-np.pi / 2, np.pi / 2, 7)
    x = np.hstack(
        [
            first[:, None] + radius * np.cos(left) / geometry.unit,
            last[:, None] + radius * np.cos(right) / geometry.unit,
            first[:, None] + radius * np.cos(left[:1]) / geometry.unit,
            np.full((len(first), 1), np.nan),
        ]
    )
    turn = np.concatenate([np.sin(left), np.sin(right), np.sin(left[:1]), [np.nan]])
    y = base[:, None] + radius * turn / geometry.lane
    return x.ravel(), y.ravel()


def tick_step(pixels_a_call: float, last: int) -> int:
    """1, 2, 5, 10, 20 ...: so that a number and its neighbour keep apart."""
    room = 24 if last < 100 else 34 if last < 10_000 else 44
    step = 1
    for factor in np.tile([2.0, 2.5, 2.0], 8):
        if step * pixels_a_call >= room:
            break
        step = round(step * factor)
    return step


def free(taken: list[tuple[float, float]], left: float, right: float) -> bool:
    """Whether a label from ``left`` to ``right`` touches none that is set already; sets it when it doesn't."""
    if any(left < other_right and other_left < right for other_left, other_right in taken):
        return False
    taken.append((left, right))
    return True
