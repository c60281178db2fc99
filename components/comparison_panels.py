"""Beside the aligned table: metrics of each run, what it did how often, and what it said at the end."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from components import amounts
from components.cut_text import draw_text
from components.labels import label
from viewer.figures.theme import RUN_LETTERS
from viewer.model import ToolCall, Trajectory
from viewer.tool_calls import command, effects
from viewer.tool_calls.changes import changes, unified

_LONG: Final = 60_000


def draw_metric_table(metrics: Mapping[str, Sequence[str]], count: int) -> None:
    """Metric name -> one cell a run; rows on which the runs differ carry a mark."""
    st.dataframe(
        {
            "metric": list(metrics),
            **{RUN_LETTERS[at]: [cells[at] for cells in metrics.values()] for at in range(count)},
            "": ["≠" if len(set(cells)) > 1 else "" for cells in metrics.values()],
        },
        hide_index=True,
        row_height=26,
        height="content",
        key="comparison metrics",
        column_config={"metric": st.column_config.TextColumn(width=150), "": st.column_config.TextColumn(width=30)},
    )


def draw_tools(runs: Sequence[Trajectory]) -> None:
    """What each run did, by effect (whatever the tool's name), and by tool name."""
    by_effect = [Counter[str](effects(run)[call.index].effect for call in run.main_line) for run in runs]
    by_name = [Counter(call.name for call in run.main_line) for run in runs]
    tables: tuple[tuple[str, list[Counter[str]]], ...] = (("effect", by_effect), ("tool", by_name))
    for title, counters in tables:
        total: Counter[str] = Counter()
        for counter in counters:
            total.update(counter)
        names = [name for name, _ in total.most_common()]
        st.dataframe(
            {
                title: names,
                **{RUN_LETTERS[at]: [counter[name] or None for name in names] for at, counter in enumerate(counters)},
            },
            hide_index=True,
            row_height=26,
            height="content" if len(names) <= 14 else 400,
            placeholder="",
            key=f"comparison {title}",
        )


def draw_final_answers(runs: Sequence[Trajectory]) -> None:
    """The last words of each run; of two runs also as a diff."""
    if len(runs) == 2 and all(run.claim for run in runs):
        left, right = ((run.claim or "")[:_LONG].splitlines() for run in runs)
        lines = list(difflib.unified_diff(left, right, lineterm="", n=2))[2:]
        st.caption("A to B, line by line" if lines else "Both say the same.")
        if lines:
            draw_text("\n".join(lines), name="final-answers.diff", key="final diff", language="diff")
    for at, run in enumerate(runs):
        st.caption(f"{RUN_LETTERS[at]} says")
        if run.claim:
            draw_text(run.claim, name=f"final-answer-{RUN_LETTERS[at]}.txt", key=f"final {at}")
        else:
            st.caption("Nothing: the file has no final text.")


def draw_difference(calls: Sequence[ToolCall]) -> None:
    """How the arguments of two calls differ, as a unified diff of what they ask for."""
    left, right = (asked(call)[:_LONG].splitlines() for call in calls)
    lines = list(difflib.unified_diff(left, right, lineterm="", n=2))[2:]
    if lines:
        draw_text("\n".join(lines), name="difference.diff", key="difference", language="diff")


def asked(call: ToolCall) -> str:
    """What a call asks for, as text: its command, its edit, or one line an argument."""
    text = command(call)
    if text is not None:
        return text
    made = changes(call)
    if made:
        return "\n".join(f"{change.path or ''}\n{unified(change)}" for change in made)
    if isinstance(call.arguments, str):
        return call.arguments
    if not call.arguments:
        return ""
    return "\n".join(f"{name} = {value}" for name, value in sorted(call.arguments.items()))


def outcome_sentence(runs: Sequence[Trajectory]) -> str:
    """``1 of 3 passed: A passed, B failed, C failed.``"""
    words = [f"{RUN_LETTERS[at]} {run.outcome or 'has no verdict'}" for at, run in enumerate(runs)]
    if all(run.outcome is None for run in runs):
        return "No run has a verdict."
    passed = sum(run.outcome == "passed" for run in runs)
    return f"{passed} of {len(runs)} passed: {', '.join(words)}."


def run_metrics(run: Trajectory) -> dict[str, str]:
    """The numbers of a run that need no analysis."""
    usage = run.usage
    wall = run.ended - run.started if run.started is not None and run.ended is not None else None
    return {
        "harness": run.harness or run.format,
        "model": run.model or amounts.NOT_RECORDED,
        "outcome": run.outcome or amounts.NOT_RECORDED,
        "ending": run.ending or amounts.NOT_RECORDED,
        "tokens in": amounts.tokens(usage.input_tokens if usage else None),
        "tokens out": amounts.tokens(usage.output_tokens if usage else None),
        "duration": amounts.seconds(wall),
        "cost": amounts.dollars(run.cost),
    }


def run_label(at: int, name: str) -> str:
    """``A name``, safe as a label."""
    return f"**{RUN_LETTERS[at]}** {label(name, 60)}"
