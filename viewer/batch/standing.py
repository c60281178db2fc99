"""Where a run stands in its batch: judged, ended in an error, or counted apart from failures (decisions.md 7)."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from viewer.model import Trajectory
from viewer.runs import Row

Standing: TypeAlias = Literal[
    "passed",
    "failed",
    "error",
    "not_judged",
    "unfinished",
    "before_acting",
    "superseded",
    "part",
    "no_run",
    "unreadable",
]
STANDINGS: Final[dict[Standing, str]] = {
    "passed": "passed",
    "failed": "failed",
    "error": "ended in an error",
    "not_judged": "without a verdict",
    "unfinished": "unfinished",
    "before_acting": "ended in an error before the agent acted",
    "superseded": "thrown away and tried again",
    "part": "further sessions of a trial that is counted once",
    "no_run": "files that hold no run",
    "unreadable": "cannot be read",
}
"""Standing -> its words, in the order in which people are told. From ``not_judged`` on: apart from the share passed."""
_HARD: Final = frozenset({"error", "cancelled", "interrupted", "timeout", "limit", "never_started"})


def standing(row: Row, run: Trajectory | None, *, unfinished: bool = False, part: bool = False) -> Standing:
    """``run`` is None where none could be read. ``unfinished``: the index saw an attempt that left no result.

    ``error`` is a run without a verdict that did not end by itself after the agent had acted. ``before_acting`` beats
    a verdict "failed": a run that could not start says nothing about the agent.
    """
    if row.parse_state == "blocked":
        return "unreadable"
    if run is None:
        return (
            "unfinished" if unfinished else "no_run" if row.parse_state in ("no_trajectory", "empty") else "unreadable"
        )
    if row.execution is not None:
        return "superseded"
    if part:
        return "part"
    if row.outcome == "passed":
        return "passed"
    if not _acted(run) and (run.ending in _HARD or run.state == "never_started"):
        return "before_acting"
    if row.outcome == "failed":
        return "failed"
    if run.ending == "truncated":
        return "unfinished"
    return "error" if run.ending in _HARD else "not_judged"


def _acted(run: Trajectory) -> bool:
    """A call, or a word of the model: a reply that only reports the harness's own error is the ending's text."""
    if run.main_line:
        return True
    said = (step.text.strip() or step.reasoning.strip() for step in run.steps if step.role == "model")
    return run.ending not in ("error", "never_started") and any(said)
