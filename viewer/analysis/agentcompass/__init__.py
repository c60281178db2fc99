"""The metrics of AgentCompass 1.0.1 under its own names, over normalized calls (analysis.md 1, decisions.md 4).

Each analyzer's value has the keys of its ``details``, so that its users can check them one to one; where AgentCompass
answers with an error instead (no steps, no timing), the value is empty. Its definitions hold here too: two calls are
equal when name and arguments are, key order aside (``repetition`` compares signatures, which leave volatile arguments
out); a call without any name counts in ``total_tool_steps`` only. Ours, where its answer is a defect: every shape of
call is read, network operations go by command position, and a run with sub-agents has its rows within one agent.

``as_shipped`` is what the release itself shows: it reads ``function.name`` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final

from viewer.analysis import refuse_blocked
from viewer.analysis.agentcompass.network import network_operations
from viewer.analysis.agentcompass.repetition import consecutive, cross_repetition, step_repetition, terminal_bench
from viewer.analysis.agentcompass.steps import FORMAT, READ, Details, SeenStep, seen_steps
from viewer.model import Step, Trajectory

ANALYZERS: Final = (
    "BasicMetricAnalyzer",
    "StepToolRepetitionAnalyzer",
    "CrossStepToolRepetitionAnalyzer",
    "ConsecutiveToolRepetitionAnalyzer",
    "TerminalBench2ConsecutiveToolRepetitionAnalyzer",
    "NetworkOperationAnalyzer",
    "LLMInferLatencyAnalyzer",
    "ToolExecutionLatencyAnalyzer",
    "TrajectoryTimeCostAnalyzer",
    "CompletionLengthAnalyzer",
    "TruncationAnalyzer",
    "EmptyContentAnalyzer",
)
MAX_TOKENS: Final = 131_072
_CUT_OFF: Final = frozenset({"length", "max_tokens"})


def agentcompass(trajectory: Trajectory) -> dict[str, Details]:
    """Analyzer -> its details, over the main line's steps of role model. Raises ``Blocked``."""
    refuse_blocked(trajectory)
    return _analyzers(trajectory, seen_steps(trajectory, shipped=False), shipped=False)


def as_shipped(trajectory: Trajectory) -> dict[str, Details] | None:
    """What AgentCompass 1.0.1 shows for this file, for the analyzers that look at calls and differ from ours.

    None for files that it doesn't write. An analyzer whose details are only ``{"error": ...}`` raises on this input.
    Raises ``Blocked``.
    """
    refuse_blocked(trajectory)
    if trajectory.format != FORMAT:
        return None
    ours = agentcompass(trajectory)
    theirs = _analyzers(trajectory, seen_steps(trajectory, shipped=True), shipped=True)
    if any(call.name_at == READ[:1] for call in trajectory.calls):
        failure = {"error": "AttributeError: 'str' object has no attribute 'get'"}
        theirs |= {name: dict(failure) for name in theirs if "Repetition" in name or name == "BasicMetricAnalyzer"}
    return {name: details for name, details in theirs.items() if details != ours[name]}


def _analyzers(trajectory: Trajectory, steps: Sequence[SeenStep], *, shipped: bool) -> dict[str, Details]:
    if not steps:
        return {name: _basic(steps) if name == ANALYZERS[0] else {} for name in ANALYZERS}
    said = [step for step in steps if step.reply]
    rows = consecutive(steps)
    details = (
        _basic(steps),
        step_repetition(steps),
        cross_repetition(steps),
        rows,
        terminal_bench(rows),
        network_operations(steps, shipped=shipped),
        _latency("llm_infer_ms", [step.step.model_seconds for step in said]),
        _latency("env_action_ms", tool_times(trajectory, [step.step for step in said])),
        _time_cost(trajectory, steps),
        _completion_length(said),
        _truncation(said),
        _empty_content(steps),
    )
    return dict(zip(ANALYZERS, details, strict=True))


def _basic(steps: Sequence[SeenStep]) -> Details:
    names = [call.name for step in steps for call in step.calls]
    tokens = _tokens(steps)
    return {
        "total_steps": len(steps),
        "total_tool_calls": len(names),
        "avg_tool_calls_per_step": round(len(names) / len(steps), 4) if steps else 0.0,
        "unique_tool_count": len(set(names)),
        "tool_names": names,
        "max_completion_token_len": max(tokens, default=0),
        "min_completion_token_len": min(tokens, default=0),
        "avg_completion_token_len": round(sum(tokens) / len(tokens), 4) if tokens else 0.0,
    }


def _tokens(steps: Iterable[SeenStep]) -> list[int]:
    return [
        step.step.usage.output_tokens
        for step in steps
        if step.step.usage is not None and step.step.usage.output_tokens is not None
    ]


def tool_times(trajectory: Trajectory, steps: Sequence[Step]) -> list[float | None]:
    """Seconds a step spent in tools: as the file states, else the sum of its calls' durations; None: not recorded."""
    if any(step.tool_seconds is not None for step in steps):
        return [step.tool_seconds for step in steps]
    times: list[float | None] = []
    for step in steps:
        durations = [time for index in step.calls if (time := trajectory.calls[index].duration) is not None]
        times.append(sum(durations) if durations else None)
    return times


def _latency(metric: str, seconds: Sequence[float | None]) -> Details:
    values = sorted(time * 1000 for time in seconds if time is not None and time >= 0)
    if not values:
        return {}
    at = partial(percentile, values)
    return {
        "metric": metric,
        "total_steps": len(values),
        "mean_ms": round(sum(values) / len(values), 1),
        "p50_ms": round(at(50), 1),
        "p90_ms": round(at(90), 1),
        "p95_ms": round(at(95), 1),
        "max_ms": round(values[-1], 1),
    }


def percentile(values: Sequence[float], percent: float) -> float:
    """The percentile of sorted values, linear between ranks: rank (n - 1) * percent / 100."""
    rank = (len(values) - 1) * percent / 100
    below = int(rank)
    above = min(below + 1, len(values) - 1)
    return values[below] + (rank - below) * (values[above] - values[below])


def _time_cost(trajectory: Trajectory, steps: Sequence[SeenStep]) -> Details:
    if trajectory.started is None or trajectory.ended is None:
        return {}
    started, ended = (datetime.fromtimestamp(time, UTC) for time in (trajectory.started, trajectory.ended))
    return {
        "started_at": started.isoformat(),
        "finished_at": ended.isoformat(),
        "duration_seconds": round((ended - started).total_seconds(), 2),
        "total_steps": len(steps),
    }


def _completion_length(said: Sequence[SeenStep]) -> Details:
    if not said:
        return {}
    tokens = _tokens(said)
    exceeded = [step.id for step in said if (own := _tokens([step])) and own[0] > MAX_TOKENS]
    details: Details = {
        "total_llm_steps": len(said),
        "max_tokens_threshold": MAX_TOKENS,
        "exceeded_steps": len(exceeded),
        "exceeded_ratio": round(len(exceeded) / len(said), 4),
        "mean_completion_tokens": round(sum(tokens) / len(tokens), 1) if tokens else 0.0,
        "max_completion_tokens": max(tokens, default=0),
    }
    return details | ({"exceeded_step_ids": exceeded} if exceeded else {})


def _truncation(said: Sequence[SeenStep]) -> Details:
    cut = [step.id for step in said if step.step.stop_reason in _CUT_OFF]
    details: Details = {
        "total_llm_steps": len(said),
        "truncated_steps": len(cut),
        "truncation_ratio": round(len(cut) / len(said), 4) if said else 0.0,
    }
    return details | ({"truncated_step_ids": cut} if cut else {})


def _empty_content(steps: Sequence[SeenStep]) -> Details:
    bad = [
        {"step_id": step.id, "reasoning_preview": step.step.reasoning.strip()[:200]}
        for step in steps
        if step.reply and not step.entries and not step.step.text.strip()
    ]
    return {
        "total_steps": len(steps),
        "bad_steps": len(bad),
        "score": round(len(bad) / len(steps), 4) if steps else 0.0,
        "bad_step_details": bad,
    }
