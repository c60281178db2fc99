"""Metrics: five numbers at a glance, tools, everything a debugger asks for, and AgentCompass's metrics by its names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import streamlit as st

from components import amounts
from components.linked_table import draw_linked_table, numbers
from viewer.analysis.agentcompass import percentile
from viewer.analysis.metrics import Metric, Metrics
from viewer.analysis.repetition import CONSECUTIVE_THRESHOLD, DEFINITIONS, THRESHOLD, Repetition
from viewer.model import Trajectory

LIMITS: Final = {
    "step_repetition_ratio": THRESHOLD,
    "cross_step_repetition_ratio": THRESHOLD,
    "max_consecutive_repetition": float(CONSECUTIVE_THRESHOLD),
}
"""AgentCompass's own thresholds, by its names."""


def draw_metrics(
    trajectory: Trajectory,
    found: Metrics,
    repetition: Repetition,
    ours: Mapping[str, Mapping[str, Any]],
    theirs: Mapping[str, Mapping[str, Any]] | None,
    go: Callable[[int], None],
) -> None:
    """``ours`` are AgentCompass's metrics over normalized calls; ``theirs`` what its release shows where it differs."""
    left, right = st.columns([1.1, 1], gap="medium")
    with left:
        _draw_cards(trajectory, found, repetition)
        draw_agentcompass(ours, theirs)
    with right:
        _draw_tools(trajectory, found, go)
        _draw_items(found.items, go)


def _draw_cards(trajectory: Trajectory, found: Metrics, repetition: Repetition) -> None:
    calls, errors, checks = (int(found[key].value or 0) for key in ("calls", "errors", "checks"))
    times = sorted(call.duration for call in trajectory.main_line if call.duration is not None and call.duration >= 0)
    cards = (
        ("Calls", f"{calls:,}", found["calls"].definition),
        ("Error share", amounts.share(errors + checks, calls), f"{errors:,} errors and {checks:,} failed checks."),
        ("Repetition", _ratio(repetition.cross_ratio), DEFINITIONS["cross_ratio"]),
        ("Longest run", f"{repetition.max_consecutive:,}", DEFINITIONS["max_consecutive"]),
        ("Tool time p95", _time(times), f"Over {amounts.count(len(times), 'call')} with a recorded time."),
    )
    for column, (name, value, help) in zip(st.columns(len(cards), gap="small"), cards, strict=True):
        column.metric(name, value, help=help, border=True)


def _ratio(value: float | None) -> str:
    return "no calls" if value is None else f"{value:.2f}"


def _time(times: Sequence[float]) -> str:
    return amounts.seconds(percentile(times, 95)) if times else "–"


def draw_agentcompass(ours: Mapping[str, Mapping[str, Any]], theirs: Mapping[str, Mapping[str, Any]] | None) -> None:
    """One row a number of each analyzer; a column with AgentCompass's own number only where one differs."""
    rows = [
        (analyzer.removesuffix("Analyzer"), name, value, (theirs or {}).get(analyzer))
        for analyzer, details in ours.items()
        for name, value in details.items()
        if isinstance(value, int | float | str)
    ]
    columns: dict[str, list[Any]] = {
        "AgentCompass metric": [name for _, name, _, _ in rows],
        "value": [_cell(value) for _, _, value, _ in rows],
        "": [_range(name, value) for _, name, value, _ in rows],
        "analyzer": [analyzer for analyzer, _, _, _ in rows],
    }
    if theirs:
        shown = [_shown(details, name) if details is not None else "" for _, name, _, details in rows]
        columns = {
            **{key: columns[key] for key in ("AgentCompass metric", "value")},
            "AgentCompass shows": [
                own if own != cell else "" for own, cell in zip(shown, columns["value"], strict=True)
            ],
            **{key: columns[key] for key in ("", "analyzer")},
        }
    st.dataframe(
        columns,
        hide_index=True,
        row_height=28,
        height="content",
        key="agentcompass",
        column_config={
            "AgentCompass metric": st.column_config.TextColumn(width=190),
            "value": st.column_config.TextColumn(width=130),
            "AgentCompass shows": st.column_config.TextColumn(width=130),
            "": st.column_config.TextColumn(width=76),
            "analyzer": st.column_config.TextColumn(width=200),
        },
    )
    if theirs:
        st.caption(
            "AgentCompass 1.0.1 reads function.name only; where its own number differs, it stands beside ours, "
            "which runs over every call of the file."
        )


def _shown(details: Mapping[str, Any], name: str) -> str:
    return "error" if set(details) == {"error"} else _cell(details[name]) if name in details else "–"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _range(name: str, value: Any) -> str:
    limit = LIMITS.get(name)
    if limit is None or not isinstance(value, int | float):
        return ""
    return f"above {limit:g}" if value > limit else "in range"


def _draw_tools(trajectory: Trajectory, found: Metrics, go: Callable[[int], None]) -> None:
    distinct: dict[str, set[str]] = {}
    first: dict[str, int] = {}
    for call in trajectory.main_line:
        distinct.setdefault(call.name, set()).add(call.signature)
        first.setdefault(call.name, call.index)
    rates = sorted(found.error_rates, key=lambda rate: (-rate.calls, rate.tool))
    most = max((rate.calls for rate in rates), default=1)
    draw_linked_table(
        {
            "tool": [rate.tool for rate in rates],
            "calls": [rate.calls for rate in rates],
            "errors": [rate.errors - rate.checks for rate in rates],
            "failed checks": [rate.checks for rate in rates],
            "distinct": [len(distinct[rate.tool]) for rate in rates],
        },
        [rate.error_calls[0] if rate.error_calls else first[rate.tool] for rate in rates],
        go,
        key="tools",
        config={"calls": st.column_config.ProgressColumn(format="%d", min_value=0, max_value=most)},
        rows=8,
    )


def _draw_items(items: Sequence[Metric], go: Callable[[int], None]) -> None:
    draw_linked_table(
        {
            "metric": [item.label for item in items],
            "value": [value_words(item) for item in items],
            "meaning": [f"{item.definition} {item.note}".strip() for item in items],
            "calls": [numbers(item.calls, 6) for item in items],
        },
        [item.calls[0] if item.calls else None for item in items],
        go,
        key="metrics",
        rows=24,
        config={
            "metric": st.column_config.TextColumn(width=130),
            "value": st.column_config.TextColumn(width=90),
            "meaning": st.column_config.TextColumn(width=330),
            "calls": st.column_config.TextColumn(width=90),
        },
    )


def value_words(item: Metric) -> str:
    """A metric's value with its unit; "not recorded" is not 0."""
    value = item.value
    if value is None:
        return amounts.NOT_RECORDED
    if item.unit == "tokens":
        return amounts.tokens(int(value))
    if item.unit == "dollars":
        return amounts.dollars(value)
    if item.unit == "seconds":
        return amounts.seconds(value)
    return f"{value:.2f}" if item.unit == "ratio" else f"{value:,}"
