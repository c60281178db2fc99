"""AgentCompass's metrics by its own names, over normalized calls; its release's own number where that differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from components.amounts import NOT_RECORDED
from viewer.analysis.agentcompass.meanings import LIMITS, MEANINGS
from viewer.analysis.scope import model_steps
from viewer.model import Trajectory

_LISTED: Final = 8
_OF_CALLS: Final = ("step_repetition_ratio", "cross_step_repetition_ratio", "network_op_ratio")
_OF_TOKENS: Final = (
    *(f"{which}_completion_token_len" for which in ("max", "min", "avg")),
    "mean_completion_tokens",
    "max_completion_tokens",
)


def draw_agentcompass(
    trajectory: Trajectory, ours: Mapping[str, Mapping[str, Any]], theirs: Mapping[str, Mapping[str, Any]] | None
) -> None:
    """One row a value of each analyzer; a column for AgentCompass 1.0.1's own only where one differs.

    Where AgentCompass says 0 for what is not there at all, that is said in words.
    """
    silent: dict[str, str] = {} if trajectory.main_line else dict.fromkeys(_OF_CALLS, "no calls")
    if not any(step.usage and step.usage.output_tokens is not None for step in model_steps(trajectory)):
        silent |= dict.fromkeys(_OF_TOKENS, NOT_RECORDED)
    names: list[str] = []
    metrics: list[str] = []
    values: list[str] = []
    shown: list[str] = []
    ranges: list[str] = []
    meanings: list[str] = []
    for analyzer, details in ours.items():
        own = (theirs or {}).get(analyzer)
        for name, value in details.items() or (("", None),):
            names.append(analyzer.removesuffix("Analyzer"))
            metrics.append(name)
            values.append(silent.get(name, _cell(value)) if details else NOT_RECORDED)
            if own is not None or (theirs is not None and name in silent):
                shown.append(_shown(own if own is not None else details, name, values[-1]))
            else:
                shown.append("")
            ranges.append("" if name in silent else _range(name, value))
            meanings.append(MEANINGS[analyzer])
    columns = {"analyzer": names, "metric": metrics, "value": values, "range": ranges}
    if theirs:
        columns["AgentCompass 1.0.1 shows"] = shown
    st.dataframe(
        {**columns, "meaning": meanings},
        hide_index=True,
        row_height=28,
        height=29 * 14,
        key="agentcompass",
        column_config={
            "analyzer": st.column_config.TextColumn(width=230),
            "metric": st.column_config.TextColumn(width=210),
            "value": st.column_config.TextColumn(width=210),
            "range": st.column_config.TextColumn(width=90),
        },
    )
    st.caption(
        "AgentCompass 1.0.1 reads function.name only; where it shows another number, that stands beside ours, which "
        "runs over every call of the file."
        if theirs
        else "By AgentCompass 1.0.1's names and definitions, over the calls of every shape that this file holds."
    )


def _shown(details: Mapping[str, Any], name: str, ours: str) -> str:
    if set(details) == {"error"}:
        return "an error"
    own = _cell(details[name]) if name in details else "nothing"
    return own if own != ours else ""


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4f}"
    if isinstance(value, list | tuple):
        if not value:
            return "none"
        if not all(isinstance(one, str | int | float) for one in value):
            return f"{len(value):,} listed in the JSON"
        more = f" +{len(value) - _LISTED:,}" if len(value) > _LISTED else ""
        return ", ".join(str(one) for one in value[:_LISTED]) + more
    return f"{value:,}" if isinstance(value, int) else str(value)


def _range(name: str, value: Any) -> str:
    limit = LIMITS.get(name)
    if limit is None or not isinstance(value, int | float):
        return ""
    return f"above {limit:g}" if value > limit else "in range"
