"""Outlines in pixels, for figures whose axes are pixels: curves, arrow heads, discs, ring segments.

All return x and y with NaN between one outline and the next, so that one trace draws many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from viewer.figures.traces import Trace, scatter

Floats: TypeAlias = NDArray[np.float64]
Curve: TypeAlias = tuple[Floats, Floats]
NOTHING: Final = "rgba(0,0,0,0)"
_GAP: Final = np.array([np.nan])


def joined(curves: Iterable[Curve]) -> Curve:
    """Many curves as one, parted by NaN."""
    parts = [curve for curve in curves if len(curve[0])]
    if not parts:
        return np.empty(0), np.empty(0)
    return (
        np.concatenate([part for x, _ in parts for part in (x, _GAP)]),
        np.concatenate([part for _, y in parts for part in (y, _GAP)]),
    )


def bezier(points: Sequence[tuple[float, float]], samples: int = 33) -> Curve:
    """A cubic curve through four control points."""
    t = np.linspace(0, 1, samples)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    array = np.array(points, dtype=float)
    return weights.T @ array[:, 0], weights.T @ array[:, 1]


def trimmed(curve: Curve, start: float, end: float) -> Curve:
    """A curve without what lies within ``start`` pixels of its beginning and ``end`` pixels of its end."""
    x, y = curve
    keep = (np.hypot(x - x[0], y - y[0]) >= start) & (np.hypot(x - x[-1], y - y[-1]) >= end)
    return (x[keep], y[keep]) if keep.sum() > 1 else (x[:0], y[:0])


def arrow(curve: Curve, size: float) -> Curve:
    """The head of an arrow at the end of a curve."""
    x, y = curve
    if len(x) < 2:
        return x[:0], y[:0]
    back = max(0, len(x) - 3)
    angle = np.arctan2(y[-1] - y[back], x[-1] - x[back])
    sides = angle + np.array([0, np.pi - 0.42, np.pi + 0.42, 0])
    reach = np.array([0, size, size, 0])
    return x[-1] + reach * np.cos(sides), y[-1] + reach * np.sin(sides)


def ring(x: float, y: float, radius: float, begin: float = 0.0, end: float = 1.0) -> Curve:
    """A part of a circle, in shares of a turn, clockwise from the top."""
    turn = np.pi / 2 - 2 * np.pi * np.linspace(begin, end, max(3, round(40 * (end - begin)) + 1))
    return x + radius * np.cos(turn), y + radius * np.sin(turn)


def cross(x: float, y: float, size: float, thick: float) -> Curve:
    """A filled ×, ``size`` pixels from its middle to a tip."""
    a, b = size / np.sqrt(2), thick / np.sqrt(2)
    arm = [(0, b), (a, a + b), (a + b, a)]  # the others are this one, turned
    corners = [turned for cos, sin in ((1, 0), (0, -1), (-1, 0), (0, 1)) for turned in _turned(arm, cos, sin)]
    outline = np.array([*corners, corners[0]])
    return x + outline[:, 0], y + outline[:, 1]


def _turned(points: Sequence[tuple[float, float]], cos: int, sin: int) -> list[tuple[float, float]]:
    return [(cos * x - sin * y, sin * x + cos * y) for x, y in points]


def lines(curves: Iterable[Curve], colour: str, width: float, **fields: Any) -> list[Trace]:
    """One line trace, or none."""
    x, y = joined(curves)
    if not len(x):
        return []
    line = {"color": colour, "width": width, **fields.pop("line", {})}
    return [scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", **fields)]


def filled(curves: Iterable[Curve], colour: str, outline: str | None = None, **fields: Any) -> list[Trace]:
    """One trace of filled outlines, or none."""
    x, y = joined(curves)
    if not len(x):
        return []
    line = {"color": outline or NOTHING, "width": 1.5 if outline else 0}
    return [scatter(x=x, y=y, mode="lines", fill="toself", fillcolor=colour, line=line, hoverinfo="skip", **fields)]
