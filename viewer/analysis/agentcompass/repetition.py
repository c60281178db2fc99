"""AgentCompass's three repetition analyzers and the Terminal-Bench variant, each as its ``details``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from viewer.analysis.agentcompass.steps import Details, SeenStep

REPETITION_THRESHOLD: Final = 0.2
"""Above it AgentCompass calls a run bad."""
CONSECUTIVE_THRESHOLD: Final = 5
_SHOWN: Final = 20
_SHOWN_RUNS: Final = 5


def step_repetition(steps: Sequence[SeenStep]) -> Details:
    """StepToolRepetitionAnalyzer."""
    total = duplicates = 0
    found = []
    for step in steps:
        total += len(step.calls)
        if len(step.calls) < 2:
            continue
        counts = Counter((call.name, call.key) for call in step.calls)
        again = len(step.calls) - len(counts)
        duplicates += again
        if again:
            found.append(
                {
                    "step_id": step.id,
                    "total_tools": len(step.calls),
                    "duplicates": again,
                    "repetition_ratio": round(again / len(step.calls), 4),
                    "duplicate_tools": [
                        {"tool": name, "args_hash": key, "count": count}
                        for (name, key), count in counts.items()
                        if count > 1
                    ],
                }
            )
    return {
        "total_tools": total,
        "total_duplicates": duplicates,
        "step_repetition_ratio": round(duplicates / total, 4) if total else 0.0,
        "steps_with_duplicates": len(found),
        "step_details": found,
    }


def cross_repetition(steps: Sequence[SeenStep]) -> Details:
    """CrossStepToolRepetitionAnalyzer: 0.0 without calls, as it says."""
    places: dict[tuple[str, str], list[int | str]] = {}
    for step in steps:
        for call in step.calls:
            places.setdefault((call.name, call.key), []).append(step.id)
    total = sum(map(len, places.values()))
    details: Details = {
        "total_tools": total,
        "total_duplicates": total - len(places),
        "cross_step_repetition_ratio": round((total - len(places)) / total, 4) if total else 0.0,
    }
    if total:
        repeated = [
            {"tool": name, "args_hash": key, "count": len(ids), "step_ids": ids}
            for (name, key), ids in places.items()
            if len(ids) > 1
        ]
        details |= {"num_repeated_tools": len(repeated), "repeated_tools": repeated[:_SHOWN]}
    return details


def consecutive(steps: Sequence[SeenStep]) -> Details:
    """ConsecutiveToolRepetitionAnalyzer; rows are within one agent."""
    by_agent: dict[str | None, list[SeenStep]] = {}
    for step in steps:
        by_agent.setdefault(step.step.agent, []).append(step)
    rows = sorted((row for own in by_agent.values() for row in _rows(own)), key=lambda row: row[1][0].step.index)
    longest = max(rows, key=lambda row: len(row[1]), default=None)
    details: Details = {
        "max_consecutive_repetition": len(longest[1]) if longest else 0,
        "total_steps": len(steps),
    }
    if longest:
        details["most_repeated_tool"] = longest[0][0]
    runs = [
        {
            "tool": tool,
            "args": key,
            "consecutive_count": len(row),
            "start_step": row[0].id,
            "end_step": row[-1].id,
        }
        for (tool, key), row in rows
        if len(row) > 1
    ]
    if runs:
        above = [run for run in runs if _count(run) > CONSECUTIVE_THRESHOLD]
        details |= {"long_runs": above or runs[:_SHOWN_RUNS], "total_runs": len(runs)}
    return details


def _rows(steps: Sequence[SeenStep]) -> Iterator[tuple[tuple[str, str], list[SeenStep]]]:
    row: list[SeenStep] = []
    last: tuple[str, str] | None = None
    for step in steps:
        calls = sorted((call.name, call.key) for call in step.calls)
        key = ("|".join(name for name, _ in calls), "|".join(arguments for _, arguments in calls)) if calls else None
        if row and last is not None and key != last:
            yield last, row
            row = []
        if key is not None:
            row.append(step)
        last = key
    if row and last is not None:
        yield last, row


def _count(run: Details) -> int:
    return int(run["consecutive_count"])


def terminal_bench(details: Details) -> Details:
    """TerminalBench2ConsecutiveToolRepetitionAnalyzer, from the former's details.

    Without rows of waits: calls that type nothing. Like the original it sees the told rows only.
    """
    if "long_runs" not in details:
        return details
    waits = [run for run in details["long_runs"] if '"keystrokes": ""' in run["args"]]
    rest = [run for run in details["long_runs"] if run not in waits]
    seconds = [time * _count(run) for run in waits if (time := _wait(run["args"])) is not None]
    found = details | {
        "long_runs": rest,
        "total_runs": len(rest),
        "wait_runs": waits,
        "max_consecutive_repetition": max(map(_count, rest), default=0),
    }
    if seconds:
        found |= {
            "avg_consecutive_wait_seconds": round(sum(seconds) / len(seconds), 2),
            "max_consecutive_wait_seconds": round(max(seconds), 2),
            "min_consecutive_wait_seconds": round(min(seconds), 2),
        }
    if rest:
        found["most_repeated_tool"] = max(rest, key=_count)["tool"]
    return found


def _wait(arguments: str) -> float | None:
    try:
        return float(json.loads(arguments)["duration"])
    except (ValueError, TypeError, KeyError):
        return None
