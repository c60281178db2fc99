"""What is computed once a run: findings and graphs rest on the same ones, and a run never changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

from viewer.model import Trajectory

_KEPT: Final = 8
T = TypeVar("T")


def remembered(analysis: Callable[[Trajectory], T]) -> Callable[[Trajectory], T]:
    """``analysis`` with a memory for the last eight runs, by identity: hashing a trajectory would read all of it.

    Safe from several threads: the memory is a tuple that is replaced, never changed; at worst one computes twice.
    """
    known: tuple[tuple[Trajectory, T], ...] = ()

    @wraps(analysis)
    def remembering(trajectory: Trajectory) -> T:
        nonlocal known
        for seen, value in known:
            if seen is trajectory:
                return value
        value = analysis(trajectory)
        known = ((trajectory, value), *known[: _KEPT - 1])
        return value

    return remembering
