"""Facts of runs that a test can count by hand, made from tiny trajectories by the real functions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.trajectories import trajectory
from viewer.batch.run_facts import RunFacts, of_run
from viewer.model import Trajectory
from viewer.runs import Entry, Place
from viewer.runs.entry import Facts


def run(
    number: int,
    *steps: Any,
    task: str | None = None,
    harness: str = "one",
    attempt: int | None = 1,
    model: str = "m",
    execution: int | None = None,
    **header: Any,
) -> RunFacts:
    """The facts of a run made of ``steps`` (tests/trajectories.py); ``header`` has outcome, ending, claim ..."""
    made = replace(trajectory(*steps, **header), run_id=f"{number:012d}.0", harness=harness, model=model)
    return of(made, Facts(task=task, attempt=attempt, execution=execution, benchmark="made"), number)


def of(made: Trajectory, beside: Facts, number: int) -> RunFacts:
    entry = Entry(
        run_id=f"{number:012d}",
        place=Place(name="made", root=Path("/made")),
        paths=(f"job/trial-{number}/agent/run.jsonl",),
        label=f"made/{number}",
        facts=beside,
    )
    return of_run(entry, made)
