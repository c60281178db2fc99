"""Whether runs are of one task: by its id, else by the same words."""

from __future__ import annotations

from collections.abc import Sequence

from viewer.model import Trajectory


def same_task(runs: Sequence[Trajectory]) -> bool | None:
    """True or False where all runs name their task; None where one does not."""
    for known in (
        [run.extra.get("task_id") for run in runs],
        [" ".join((run.task or "").split()) or None for run in runs],
    ):
        if all(known):
            return len(set(map(str, known))) == 1
    return None
