"""What is computed once a run: graphs are asked for at every click, and a run never changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

from viewer.model import Trajectory

_KEPT: Final = 8
T = TypeVar("T")


def remembered(build: Callable[[Trajectory], T]) -> Callable[[Trajectory], T]:
    """``build`` with a memory for the last eight runs, by identity: a model that slots cannot be hashed cheaply.

    Safe from several threads: the memory is a tuple that is replaced, never changed; at worst one builds twice.
    """
    known: tuple[tuple[Trajectory, T], ...] = ()

    @wraps(build)
    def remembering(trajectory: Trajectory) -> T:
        nonlocal known
        for seen, value in known:
            if seen is trajectory:
                return value
        value = build(trajectory)
        known = ((trajectory, value), *known[: _KEPT - 1])
        return value

    return remembering
