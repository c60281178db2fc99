"""A run whose read is blocked has no numbers: every analysis says so instead of answering zero."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.trajectories import Say, trajectory
from viewer.analysis import Blocked
from viewer.analysis.action_log import action_log
from viewer.analysis.agentcompass import agentcompass, as_shipped
from viewer.analysis.errors import error_rates, errors, failed_checks, first_unrecovered
from viewer.analysis.headline import headline
from viewer.analysis.loops import in_loops, loops, stops
from viewer.analysis.metrics import metrics
from viewer.analysis.network import network
from viewer.analysis.phases import phase_shares, phase_string, phases
from viewer.analysis.repetition import changed_between, earlier_equal, repetition
from viewer.errors import ViewerError
from viewer.model import Coverage, Trajectory

ANALYSES: list[Callable[[Trajectory], Any]] = [
    action_log, agentcompass, as_shipped, changed_between, earlier_equal, error_rates, errors, failed_checks,
    first_unrecovered, headline, in_loops, loops, metrics, network, phase_shares, phase_string, phases, repetition,
    stops,
]  # fmt: skip


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: analysis.__name__)
def test_blocked(analysis: Callable[[Trajectory], Any]) -> None:
    run = replace(trajectory(Say("Hello.")), coverage=Coverage(rows=1, used=1, evidence=3, blocked=True))
    with pytest.raises(Blocked, match="3 call-like objects") as raised:
        analysis(run)
    assert isinstance(raised.value, ViewerError)
    assert raised.value.run_id == run.run_id


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: analysis.__name__)
def test_a_run_without_anything_has_findings(analysis: Callable[[Trajectory], Any]) -> None:
    analysis(trajectory())
