"""What each tool of a run did: how often, how it ended, how long it took."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from viewer.analysis import refuse_blocked
from viewer.analysis.errors import failed_checks
from viewer.analysis.scope import main_calls
from viewer.model import State, ToolCall, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One canonical tool name of the main line. ``errors`` are without ``checks``, the failed checks.

    ``seconds`` is the sum over the ``timed`` calls whose time is recorded, None when none is: calls side by side are
    added, and a call that delegates spans its sub-agent's.
    """

    tool: str
    calls: tuple[int, ...]
    states: tuple[tuple[State, int], ...]
    """State -> calls, most first; failed checks are in ``error``."""
    errors: tuple[int, ...]
    checks: tuple[int, ...]
    distinct: int
    timed: int
    seconds: float | None
    longest: float | None

    @property
    def error_rate(self) -> float:
        """Errors without failed checks over calls, 0 to 1, unrounded."""
        return len(self.errors) / len(self.calls)


def tool_uses(trajectory: Trajectory) -> tuple[ToolUse, ...]:
    """One a tool, most calls first, then by first call. Raises ``Blocked``."""
    refuse_blocked(trajectory)
    checks = failed_checks(trajectory)
    by_tool: dict[str, list[ToolCall]] = {}
    for call in main_calls(trajectory):
        by_tool.setdefault(call.name, []).append(call)
    uses = (_use(tool, calls, checks) for tool, calls in by_tool.items())
    return tuple(sorted(uses, key=lambda use: -len(use.calls)))


def _use(tool: str, calls: list[ToolCall], checks: frozenset[int]) -> ToolUse:
    times = [call.duration for call in calls if call.duration is not None and call.duration >= 0]
    failed = [call.index for call in calls if call.state == "error"]
    return ToolUse(
        tool=tool,
        calls=tuple(call.index for call in calls),
        states=tuple(Counter(call.state for call in calls).most_common()),
        errors=tuple(index for index in failed if index not in checks),
        checks=tuple(index for index in failed if index in checks),
        distinct=len({call.signature for call in calls}),
        timed=len(times),
        seconds=sum(times) if times else None,
        longest=max(times, default=None),
    )
