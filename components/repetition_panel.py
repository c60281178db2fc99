"""Repetition: AgentCompass's three numbers, and the four views of calls that came more than once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

from components.linked_table import draw_linked_table, numbers
from viewer.analysis.repetition import CONSECUTIVE_THRESHOLD, DEFINITIONS, THRESHOLD, Group, Repetition
from viewer.model import Trajectory

VIEWS: Final = ("Equal calls", "Equal result", "Near", "Same effect", "In a row")


def draw_repetition(
    trajectory: Trajectory,
    found: Repetition,
    theirs: dict[str, str],
    words: Callable[[int], str],
    go: Callable[[int], None],
) -> None:
    """``theirs`` is AgentCompass's own number of a metric where it differs from ours, by its name."""
    left, right = st.columns([1, 1.6], gap="medium")
    with left:
        cards = (
            ("In one step", _ratio(found.step_ratio), found.step_ratio, THRESHOLD, "step_ratio",
             "step_repetition_ratio"),
            ("Over the run", _ratio(found.cross_ratio), found.cross_ratio, THRESHOLD, "cross_ratio",
             "cross_step_repetition_ratio"),
            ("In a row", f"{found.max_consecutive:,}", found.max_consecutive, CONSECUTIVE_THRESHOLD, "max_consecutive",
             "max_consecutive_repetition"),
        )  # fmt: skip
        for column, (name, shown, value, limit, meaning, key) in zip(st.columns(3, gap="small"), cards, strict=True):
            with column.container(border=True, gap="small"):
                st.metric(name, shown, help=f"{DEFINITIONS[meaning]} AgentCompass: {key}.")
                above = value is not None and value > limit
                st.badge(f"above {limit:g}" if above else "in range", color="red" if above else "gray")
                if key in theirs:
                    st.caption(f"AgentCompass shows {theirs[key]}")
        coverage = found.coverage
        read = "all rows read" if not coverage.not_understood else f"{coverage.not_understood:,} rows not understood"
        st.caption(
            f"{found.repeated:,} of {found.calls:,} calls repeat an earlier call exactly (same name, same arguments), "
            f"{found.within_step:,} of them within a step. Coverage: {read}."
        )
    with right:
        view = st.segmented_control(
            "View", VIEWS, default=VIEWS[0], required=True, key="repetition view", label_visibility="collapsed"
        )
        _draw_view(view, trajectory, found, words, go)


def _draw_view(
    view: str, trajectory: Trajectory, found: Repetition, words: Callable[[int], str], go: Callable[[int], None]
) -> None:
    if view == "In a row":
        st.caption(DEFINITIONS["max_consecutive"])
        if not found.consecutive:
            st.caption("No two neighbouring steps make equal calls.")
            return
        rows = found.consecutive
        draw_linked_table(
            {
                "tool": [trajectory.calls[row.calls[0]].name for row in rows],
                "argument": [words(row.calls[0]) for row in rows],
                "steps in a row": [row.length for row in rows],
                "at": [numbers(row.calls) for row in rows],
            },
            [row.calls[0] for row in rows],
            go,
            key="consecutive",
        )
        return
    groups, meaning = {
        "Equal calls": (found.exact, "exact"),
        "Equal result": (found.same_result, "same_result"),
        "Near": (found.near, "near"),
        "Same effect": (found.same_effect, "same_effect"),
    }[view]
    st.caption(DEFINITIONS[meaning])
    _draw_groups(groups, trajectory, found, words, go, meaning)


def _draw_groups(
    groups: Sequence[Group],
    trajectory: Trajectory,
    found: Repetition,
    words: Callable[[int], str],
    go: Callable[[int], None],
    key: str,
) -> None:
    if not groups:
        st.caption("None in this run.")
        return
    again: dict[str, int] = {}
    for group in found.same_result:
        again[group.signatures[0]] = max(again.get(group.signatures[0], 0), group.count)
    columns: dict[str, Sequence[object]] = {
        "tool": [group.name for group in groups],
        "argument": [words(group.calls[0]) for group in groups],
        "times": [group.count for group in groups],
        "errors": [sum(trajectory.calls[index].state == "error" for index in group.calls) for group in groups],
    }
    if key == "exact":
        columns["same result"] = [f"{again.get(group.signatures[0], 1):,} of {group.count:,}" for group in groups]
    columns["at"] = [numbers(group.calls) for group in groups]
    draw_linked_table(
        columns,
        [group.calls[0] for group in groups],
        go,
        key=f"groups {key}",
        config={
            "tool": st.column_config.TextColumn(width=90),
            "argument": st.column_config.TextColumn(width=320),
            "times": st.column_config.ProgressColumn(
                format="%d", min_value=0, max_value=max(group.count for group in groups), width=110
            ),
            "errors": st.column_config.NumberColumn(width=60),
        },
    )


def _ratio(value: float | None) -> str:
    return "no calls" if value is None else f"{value:.4f}"
