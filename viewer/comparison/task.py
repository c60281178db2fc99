"""Whether runs are of one task: by its id, else by the same words, however a harness wraps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from viewer.model import Trajectory

_TELLING: Final = 40
"""Characters below which a text that stands within another one proves nothing."""


def same_task(runs: Sequence[Trajectory]) -> bool | None:
    """True or False where all runs name their task; None where one does not.

    A harness may put the task into a template of its own, so the shortest text must stand in every other one.
    """
    ids = [run.extra.get("task_id") for run in runs]
    if all(ids):
        return len(set(map(str, ids))) == 1
    texts = [" ".join((run.task or "").split()) for run in runs]
    if not all(texts):
        return None
    shortest = min(texts, key=len)
    return all(text == shortest or (len(shortest) >= _TELLING and shortest in text) for text in texts)
