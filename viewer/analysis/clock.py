"""Where the time of a run went: wall, model, tools, and waits for the user. None is *not recorded*, never 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from viewer.analysis.scope import model_steps
from viewer.model import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """The time from the last record before a message of the user to that message: ``step`` is its step."""

    step: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Seconds. ``idle`` is wall time that is neither model time nor tool time, where both are recorded."""

    wall: float | None
    model: float | None
    tools: float | None
    idle: float | None
    waits: tuple[Wait, ...]


def clock(trajectory: Trajectory) -> Clock:
    """The times of a run; negative ones count as not recorded."""
    wall = _positive(
        None if trajectory.started is None or trajectory.ended is None else trajectory.ended - trajectory.started
    )
    steps = model_steps(trajectory)
    model = _sum(step.model_seconds for step in steps)
    tools = _sum(step.tool_seconds for step in steps)
    if tools is None:
        tools = tool_time(trajectory)
    idle = None if wall is None or model is None or tools is None else max(0.0, wall - model - tools)
    return Clock(wall=wall, model=model, tools=tools, idle=idle, waits=tuple(_waits(trajectory)))


def tool_time(trajectory: Trajectory) -> float | None:
    """Seconds in which at least one call of the main line ran: calls side by side count once.

    Calls whose file states a duration but no times are added. A call that delegates spans its sub-agent's calls.
    """
    spans = []
    plain: list[float] = []
    for call in trajectory.main_line:
        if call.started is not None and call.ended is not None and call.ended >= call.started:
            spans.append((call.started, call.ended))
        elif call.duration is not None and call.duration >= 0 and call.agent is None:
            plain.append(call.duration)
    if not spans and not plain:
        return None
    total, until = sum(plain), float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def _waits(trajectory: Trajectory) -> Iterable[Wait]:
    before: float | None = None
    for step in trajectory.steps:
        if step.line != "main" or step.agent is not None:
            continue
        if step.role == "user" and step.marker is None and step.started is not None and before is not None:
            waited = _positive(step.started - before)
            if waited:
                yield Wait(step=step.index, seconds=waited)
        times = [step.started, step.ended, *(trajectory.calls[index].ended for index in step.calls)]
        before = max((time for time in (before, *times) if time is not None), default=None)


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None and value >= 0]
    return sum(known) if known else None


def _positive(value: float | None) -> float | None:
    return value if value is not None and value >= 0 else None
