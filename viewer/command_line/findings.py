"""Every analysis of one run, under the names that ``report --json`` prints."""

from __future__ import annotations

from typing import Any, Final

from viewer.analysis.action_log import action_log
from viewer.analysis.agentcompass import agentcompass
from viewer.analysis.diagnosis import diagnose
from viewer.analysis.diagnosis.attribution import attribution
from viewer.analysis.diagnosis.evidence import proved
from viewer.analysis.headline import headline
from viewer.analysis.loops import loops, stops
from viewer.analysis.metrics import metrics
from viewer.analysis.network import network
from viewer.analysis.phases import phase_string
from viewer.analysis.repetition import repetition
from viewer.analysis.tool_selection import tool_selection
from viewer.model import Trajectory
from viewer.source import Source

FINDINGS: Final = (
    "headline", "agentcompass", "repetition", "metrics", "loops", "stops", "network", "phases", "action_log",
    "diagnosis", "tool_selection",
)  # fmt: skip


def findings(run: Trajectory, source: Source | None = None) -> dict[str, Any]:
    """All findings by name. With the source, every quotation of the diagnosis is held against the file.

    Raises ``Blocked`` for a run whose read is blocked.
    """
    why = diagnose(run)
    if source is not None:
        why = proved(why, source, run.steps)
    coverage = run.coverage
    share = round((coverage.rows - coverage.not_understood) / coverage.rows, 4) if coverage.rows else None
    found = (
        headline(run), agentcompass(run), repetition(run), metrics(run), loops(run), stops(run), network(run),
        phase_string(run), action_log(run), attribution(why, len(run.steps), share), tool_selection(run),
    )  # fmt: skip
    return dict(zip(FINDINGS, found, strict=True))
