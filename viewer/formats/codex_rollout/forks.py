"""Forks: which rows of a rollout are the history of another thread, copied when this one was forked from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from viewer.lenient import mapping, moment, text
from viewer.model import Json

_AT_ONCE: Final = 1.0
"""A history is copied in one go; rows that come a second later are the fork's own."""


class Copied(NamedTuple):
    """Positions of copied rows, ``first`` to before ``end``. ``told`` is False when the file does not say the end."""

    first: int
    end: int
    told: bool = True


NOTHING: Final = Copied(0, 0)


def copied(rows: Sequence[dict[str, Json]]) -> Copied:
    """The rows that a second ``session_meta``, of another thread, begins.

    They end where an event names this file's own thread (its turn begins a little before), or where time makes a step:
    from the other thread's past into this one's life, or after what was copied at once. Else nothing tells, and all
    rows to the end are taken for copied.
    """
    metas = [
        (at, text(mapping(row.get("payload")).get("id")))
        for at, row in enumerate(rows)
        if row.get("type") == "session_meta"
    ]
    if not metas:
        return NOTHING
    start, own = metas[0]
    first = next((at for at, id in metas[1:] if id != own), None)
    if first is None:
        return NOTHING
    turn: int | None = None
    for at in range(first + 1, len(rows)):
        payload = mapping(rows[at].get("payload"))
        if payload.get("type") in ("task_started", "turn_started"):
            turn = at
        if own is not None and payload.get("thread_id") == own:
            return Copied(first, at if turn is None else turn)
    born, copying = moment(rows[start].get("timestamp")), moment(rows[first].get("timestamp"))
    times = [moment(row.get("timestamp")) for row in rows[first + 1 :]]
    if born is not None and copying is not None and times and times[0] is not None:
        if times[0] < born:
            limit = born
        elif times[0] < copying + _AT_ONCE:
            limit = copying + _AT_ONCE
        else:
            return Copied(first, len(rows), told=False)
        end = next((at for at, time in enumerate(times, first + 1) if time is not None and time >= limit), len(rows))
        return Copied(first, end)
    return Copied(first, len(rows), told=False)
