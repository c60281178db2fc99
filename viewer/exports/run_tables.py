"""The tables of one run's panels: what stands in them as plain data, with indexes where the page shows numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from viewer.analysis.action_log import ActionLog
from viewer.analysis.files import FileUse
from viewer.analysis.loop_rules import DEFINITIONS as LOOPS
from viewer.analysis.loops import Loop, Stop
from viewer.analysis.metrics import Metrics
from viewer.analysis.network import Network
from viewer.analysis.repetition import ConsecutiveRun, Group
from viewer.analysis.tools import ToolUse
from viewer.exports.tables import Column, ColumnKind, Table
from viewer.model import Trajectory


def _table(name: str, rows: Sequence[tuple[Any, ...]], columns: Mapping[str, ColumnKind]) -> Table:
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    return Table(
        name=name,
        columns=tuple(
            Column(name=column, kind=kind, cells=found)
            for (column, kind), found in zip(columns.items(), cells, strict=True)
        ),
    )


def metric_table(found: Metrics) -> Table:
    """One row a number, or a fact in words: what it means, how this file's number was made, what it leads to."""
    facts = [
        (fact.key, fact.label, None, "", fact.value, fact.definition, "", fact.calls, fact.steps)
        for fact in found.facts
    ]
    items = [
        (item.key, item.label, item.value, item.unit, None, item.definition, item.note, item.calls, item.steps)
        for item in found.items
    ]
    return _table(
        "metrics",
        facts + items,
        {
            "metric": "text", "label": "text", "value": "number", "unit": "text", "words": "text",
            "definition": "text", "rule": "text", "call_indexes": "integers", "step_indexes": "integers",
        },
    )  # fmt: skip


def agentcompass_table(ours: Mapping[str, Mapping[str, Any]], theirs: Mapping[str, Mapping[str, Any]] | None) -> Table:
    """One row a value of each analyzer; ``agentcompass_1_0_1`` is what its release shows, where it differs."""
    rows = []
    for analyzer, details in ours.items():
        shown = (theirs or {}).get(analyzer)
        for name, value in details.items():
            if isinstance(value, int | float | str):
                own = None if shown is None else shown.get(name, shown.get("error", ""))
                rows.append((analyzer, name, _text(value), None if own is None or own == value else _text(own)))
    columns: dict[str, ColumnKind] = {
        "analyzer": "text", "metric": "text", "value": "text", "agentcompass_1_0_1": "text",
    }  # fmt: skip
    return _table("agentcompass", rows, columns)


def tool_table(found: Sequence[ToolUse]) -> Table:
    """One row a tool: calls, errors with the failed checks apart, calls by state, seconds."""
    return _table(
        "tools",
        [
            (
                use.tool, len(use.calls), len(use.errors), len(use.checks), use.error_rate, use.distinct, use.timed,
                use.seconds, use.longest, [f"{state} {count}" for state, count in use.states], use.calls,
                (*use.errors, *use.checks),
            )
            for use in found
        ],
        {
            "tool": "text", "calls": "integer", "errors": "integer", "failed_checks": "integer",
            "error_rate": "number", "distinct": "integer", "calls_with_a_time": "integer", "seconds": "number",
            "longest_seconds": "number", "states": "texts", "call_indexes": "integers", "error_indexes": "integers",
        },
    )  # fmt: skip


def file_table(read: Sequence[FileUse], edited: Sequence[FileUse]) -> Table:
    """One row a file and what was done with it."""
    return _table(
        "files",
        [
            (use.path, done, len(use.calls), len(use.failed), use.calls, use.failed)
            for done, uses in (("edited", edited), ("read", read))
            for use in uses
        ],
        {
            "path": "text", "what": "text", "calls": "integer", "failed": "integer",
            "call_indexes": "integers", "failed_indexes": "integers",
        },
    )  # fmt: skip


def context_table(found: Metrics) -> Table:
    """One row a step of the main agent that states its input tokens."""
    return _table(
        "context",
        [(size.step, size.tokens) for size in found.context],
        {"step_index": "integer", "input_tokens": "integer"},
    )


def group_table(name: str, groups: Sequence[Group], trajectory: Trajectory) -> Table:
    """One row a group of calls that repeat: by one of the four views."""
    calls = trajectory.calls
    return _table(
        f"repetition-{name}",
        [
            (
                group.name, group.target, group.count, sum(calls[at].state == "error" for at in group.calls),
                len(group.signatures), group.calls, group.steps, group.signatures,
            )
            for group in groups
        ],
        {
            "tool": "text", "target": "text", "times": "integer", "errors": "integer", "spellings": "integer",
            "call_indexes": "integers", "step_indexes": "integers", "signatures": "texts",
        },
    )  # fmt: skip


def consecutive_table(found: Sequence[ConsecutiveRun], trajectory: Trajectory) -> Table:
    """One row a run of neighbouring steps with equal calls."""
    return _table(
        "repetition-consecutive",
        [(run.agent, trajectory.calls[run.calls[0]].name, run.length, run.calls, run.steps) for run in found],
        {
            "agent": "text", "tool": "text", "steps": "integer", "call_indexes": "integers",
            "step_indexes": "integers",
        },
    )  # fmt: skip


def loop_table(found: Sequence[Loop]) -> Table:
    """One row a loop by our rules."""
    return _table(
        "loops",
        [(loop.kind, loop.label, LOOPS[loop.kind], loop.count, loop.first, loop.last, loop.calls) for loop in found],
        {
            "rule": "text", "label": "text", "definition": "text", "times": "integer", "first_call_index": "integer",
            "last_call_index": "integer", "call_indexes": "integers",
        },
    )  # fmt: skip


def stop_table(found: Sequence[Stop]) -> Table:
    """One row a published rule and where it would have stopped the run."""
    return _table(
        "loop-rules",
        [(stop.harness, stop.rule, stop.definition, stop.fires, stop.step, stop.call) for stop in found],
        {
            "harness": "text", "rule": "text", "definition": "text", "fires": "truth", "step_index": "integer",
            "call_index": "integer",
        },
    )  # fmt: skip


def network_table(found: Network, trajectory: Trajectory) -> Table:
    """One row a call that reaches the network."""
    calls = trajectory.calls
    return _table(
        "network",
        [
            (done.call, done.step, calls[done.call].name, calls[done.call].state, done.label, done.labels)
            for done in found.operations
        ],
        {
            "call_index": "integer", "step_index": "integer", "tool": "text", "state": "text", "operation": "text",
            "operations": "texts",
        },
    )  # fmt: skip


def log_table(log: ActionLog) -> Table:
    """One row a line of the action log: as it is cut, and in full."""
    return _table(
        "action-log",
        [(line.call, line.step, line.error, line.text, line.full) for line in log.lines],
        {"call_index": "integer", "step_index": "integer", "error": "truth", "line": "text", "full": "text"},
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
