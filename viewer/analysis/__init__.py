"""Trajectory in, facts out: each module holds one analysis, a pure function that returns a frozen finding.

What they look at (``scope``): the main line, neither abandoned nor inherited calls; whatever depends on order runs
within one agent, pooled counts run over all agents. A number comes with what it means (``definition``) and, where a
person will ask "which ones?", with the indexes of its calls and steps.

A blocked run (silent loss: calls stand in the file and none was read) has no metrics, not zeros: every analysis
raises ``Blocked`` for it, a ``ViewerError`` that the edges show in place of the panel.
"""

from __future__ import annotations

from viewer.errors import ViewerError
from viewer.model import Trajectory


class Blocked(ViewerError):
    """The run's read is blocked, so that no number of it may be shown. ``run_id`` says which run."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.run_id = trajectory.run_id
        coverage = trajectory.coverage
        super().__init__(
            f"{trajectory.run_id}: {coverage.evidence:,} call-like objects stand in the file and {coverage.calls:,} "
            "were read. No number of this run can be trusted, so none is shown. Open Coverage to see what was missed."
        )


def refuse_blocked(trajectory: Trajectory) -> None:
    """Raises ``Blocked`` for a run whose read is blocked."""
    if trajectory.coverage.blocked:
        raise Blocked(trajectory)
