"""The tabs of a batch: categories, rules, habits, tool selection, two groups, and all groups as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd
import streamlit as st

from components.batch_overview import Pick
from components.linked_table import draw_linked_table
from components.trajectory_graph import draw_graph
from viewer.batch import words
from viewer.batch.common_patterns import Common
from viewer.batch.findings import Habits, Objections, RuleLift
from viewer.batch.groups import PARTS, CategoryShare, Group
from viewer.batch.pairs import Paired

_SIGNIFICANT: Final = "Exact and two-sided; corrected by Holm for asking several questions at once."


def draw_categories(whole: Group, groups: Sequence[Group], figure: Any, pick: Pick, identity: object) -> None:
    """Left: categories of all failing attempts. Right: by group, and where the first failing step lies."""
    left, right = st.columns([1, 1.25], gap="medium")
    with left:
        st.markdown(f"**Failure categories** — of {whole.failing:,} failing attempts")
        st.caption(
            f"{whole.unknown:,} of them name no cause (unknown). {whole.not_applicable:,} runs that nobody judged are "
            "not among them. The category is that of the run's root, by rules."
        )
        if not whole.categories:
            st.caption("No failing attempt here.")
        else:

            def open_category(at: int) -> None:
                one = whole.categories[at]
                pick(one.category.replace("_", " "), one.runs)

            told = "; ".join(f"{_plain(one)} {words.of(one.share)}" for one in whole.categories)
            draw_graph(figure, identity, f"Failing attempts by category: {told}.", open_category, key="categories")
    with right:
        _draw_by_group(groups, pick)


def _plain(one: CategoryShare) -> str:
    return one.category.replace("_", " ")


def _draw_by_group(groups: Sequence[Group], pick: Pick) -> None:
    failing = [group for group in groups if group.failing]
    st.markdown("**By group**")
    if not failing:
        st.caption("No group has a failing attempt.")
        return
    lines = [(group, one) for group in failing for one in group.categories]
    draw_linked_table(
        {
            "group": [group.name for group, _ in lines],
            "category": [_plain(one) for _, one in lines],
            "failing": [one.share.count for _, one in lines],
            "of": [one.share.n for _, one in lines],
            "95% interval": [words.limits(one.share) for _, one in lines],
        },
        list(range(len(lines))),
        lambda at: pick(f"{lines[at][0].name}: {_plain(lines[at][1])}", lines[at][1].runs),
        key="categories by group",
        rows=9,
    )
    st.markdown(f"**First failing step** — by {PARTS} equal parts of the run")
    st.dataframe(
        pd.DataFrame(
            {
                "group": [group.name for group in failing],
                "attempts": [group.failed_at.n for group in failing],
                "start to end": [list(group.failed_in) for group in failing],
                "lower quartile": [words.percent(group.failed_at.lower) for group in failing],
                "median": [words.percent(group.failed_at.median) for group in failing],
                "upper quartile": [words.percent(group.failed_at.upper) for group in failing],
            }
        ),
        hide_index=True,
        row_height=28,
        height="content" if len(failing) < 9 else 280,
        key="first failing step",
        column_config={
            "start to end": st.column_config.BarChartColumn(width=110, y_min=0),
            "attempts": st.column_config.NumberColumn(width=70, help="Failing attempts that show a failing step."),
            "median": st.column_config.TextColumn(
                width=70, help="0% is the model's first step, 100% its last. The step of the root, or of the first "
                "error that nothing made good.",
            ),
        },
    )  # fmt: skip


def draw_rules(found: Sequence[RuleLift], figure: Any, pick: Pick, identity: object) -> None:
    """Lift as a figure, the numbers beside it."""
    left, right = st.columns([1, 1.25], gap="medium")
    with left:
        st.markdown("**Rule lift** — share in failing minus share in passed attempts, in points")

        def open_rule(at: int) -> None:
            pick(f"{found[at].rule} {found[at].title}", found[at].runs)

        told = "; ".join(f"{one.title} {words.points(one.lift.value)}" for one in found[:8])
        draw_graph(figure, identity, f"Rule lift: {told}.", open_rule, key="rule lift")
        st.caption(
            "Newcombe's 95% interval. A rule that looks at the verdict itself (R17) is left out. A difference is not a "
            "cause."
        )
    with right:
        if not found:
            st.caption("No rule fired in an attempt with a verdict.")
            return
        draw_linked_table(
            {
                "rule": [one.rule for one in found],
                "what it is": [one.title for one in found],
                "in failing": [words.of(one.failed) for one in found],
                "in passed": [words.of(one.passed) for one in found],
                "lift": [words.points(one.lift.value) for one in found],
                "95% interval": [words.limits(one.lift) for one in found],
            },
            list(range(len(found))),
            open_rule,
            key="rules",
            rows=14,
        )


def draw_habits(
    found: Sequence[Habits],
    common: Sequence[Common],
    figure: Any,
    cells: Sequence[tuple[str, Sequence[str]]],
    pick: Pick,
    identity: object,
) -> None:
    """What each group does: effects as a heat map, tools and transitions as tables, patterns that many runs share."""
    if not found:
        st.caption("No run here has a call.")
        return
    st.markdown("**What the calls do** — share of a group's calls, whatever the tool is called")
    draw_graph(figure, identity, "Share of calls by effect and group.", lambda at: pick(*cells[at]), key="habits")
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        st.markdown("**Tools** — the program for a shell call; at most eight a group")
        tools = [(group, tool) for group in found for tool in group.tools]
        draw_linked_table(
            {
                "group": [group.group for group, _ in tools],
                "tool": [tool.name for _, tool in tools],
                "calls": [tool.calls for _, tool in tools],
                "share": [100 * tool.share for _, tool in tools],
                "errors": [tool.errors for _, tool in tools],
                "runs": [len(tool.runs) for _, tool in tools],
            },
            list(range(len(tools))),
            lambda at: pick(f"{tools[at][0].group}: {tools[at][1].name}", tools[at][1].runs),
            key="batch tools",
            config={
                "tool": st.column_config.TextColumn(width=180),
                "share": st.column_config.ProgressColumn(width=100, format="%.0f%%", min_value=0, max_value=100),
            },
        )
    with right:
        st.markdown("**Transitions** — what follows what; at most six a group")
        moves = [(group, move) for group in found for move in group.transitions]
        draw_linked_table(
            {
                "group": [group.group for group, _ in moves],
                "from": [before for _, (before, _, _, _) in moves],
                "to": [after for _, (_, after, _, _) in moves],
                "times": [count for _, (_, _, count, _) in moves],
                "of what follows": [100 * share for _, (_, _, _, share) in moves],
            },
            list(range(len(moves))),
            lambda at: pick(f"{moves[at][0].group}", moves[at][0].runs),
            key="transitions",
            config={
                "of what follows": st.column_config.ProgressColumn(
                    width=100, format="%.0f%%", min_value=0, max_value=100
                )
            },
        )
    if common:
        st.markdown("**Common patterns** — in at least 30% of all calls and of all runs; no cause is claimed")
        draw_linked_table(
            {
                "pattern": [one.pattern for one in common],
                "of calls": [words.percent(one.calls.value) for one in common],
                "of runs": [words.percent(one.run_share.value) for one in common],
                "erred": [one.errors for one in common],
                "brought nothing": [one.nothing for one in common],
                "passed with it": [words.of(one.with_it) for one in common],
                "passed without": [words.of(one.without) for one in common],
            },
            list(range(len(common))),
            lambda at: pick("runs that share a pattern", common[at].runs),
            key="common",
        )


def draw_objections(
    found: Sequence[Objections],
    figure: Any,
    cells: Sequence[tuple[str, Sequence[str]]],
    pick: Pick,
    identity: object,
) -> None:
    """Tool selection: error types by group."""
    st.markdown("**Tool selection** — objections of one kind, of all decisions of the group")
    st.caption(
        "Rules can only object: a decision without an objection is not shown to be right, and there is no score."
    )
    if not found:
        st.caption("No rule objects to a choice of tool in these runs.")
        return
    draw_graph(figure, identity, "Objections by kind and group.", lambda at: pick(*cells[at]), key="objections")


def draw_pair(names: Sequence[str], compare: Callable[[str, str], Paired], pick: Pick) -> None:
    """Two groups on the tasks both tried."""
    if len(names) < 2:
        st.caption("Two groups with attempts that count are needed; there is one at most.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        one = st.selectbox("First group", names, index=0, key="pair one", width=260)
        other = st.selectbox("Second group", names, index=1, key="pair other", width=260)
    if one == other:
        st.caption("Choose two different groups.")
        return
    found = compare(str(one), str(other))
    if not found.questions:
        st.caption("They share no task on which both have an attempt that counts.")
        return
    st.caption(
        f"{len(found.tasks):,} shared tasks, one pair a task: the first attempt of each. McNemar's exact test; a "
        "click opens the pairs that differ."
    )
    rows = found.questions

    def open_pairs(at: int) -> None:
        pick(rows[at].what.replace("_", " "), (*rows[at].runs_one, *rows[at].runs_other))

    draw_linked_table(
        {
            "question": [row.what.replace("_", " ") for row in rows],
            "both": [row.both for row in rows],
            "only the first": [row.only_one for row in rows],
            "only the second": [row.only_other for row in rows],
            "neither": [row.neither for row in rows],
            "p": [row.p for row in rows],
            "p corrected": [row.corrected for row in rows],
        },
        list(range(len(rows))),
        open_pairs,
        key="pairs",
        config={
            "p": st.column_config.NumberColumn(format="%.3f", help=_SIGNIFICANT),
            "p corrected": st.column_config.NumberColumn(format="%.3f", help=_SIGNIFICANT),
        },
        rows=15,
    )


def draw_groups(groups: Sequence[Group], pick: Pick) -> None:
    """Every group in a line: outcomes and medians."""
    draw_linked_table(
        {
            "group": [group.name for group in groups],
            "runs": [len(group.runs) for group in groups],
            "passed": [group.passed.count for group in groups],
            "of": [group.passed.n for group in groups],
            "share": [None if group.passed.value is None else 100 * group.passed.value for group in groups],
            "95% interval": [words.limits(group.passed) for group in groups],
            "claim success": [len(group.false_claims) for group in groups],
            "calls": [group.calls.median for group in groups],
            "errors": [group.errors.median for group in groups],
            "tokens": [group.tokens.median for group in groups],
            "seconds": [group.duration.median for group in groups],
            "dollars": [group.cost.median for group in groups],
            "dollars in all": [group.cost.total for group in groups],
        },
        list(range(len(groups))),
        lambda at: pick(groups[at].name, groups[at].runs),
        key="groups",
        config={
            "group": st.column_config.TextColumn(width=220),
            "share": st.column_config.ProgressColumn(width=100, format="%.0f%%", min_value=0, max_value=100),
            "claim success": st.column_config.NumberColumn(help="Failing attempts whose agent claims success."),
            "calls": st.column_config.NumberColumn(format="localized", help="Median, as all that follow."),
            "tokens": st.column_config.NumberColumn(format="compact"),
            "seconds": st.column_config.NumberColumn(format="%.1f"),
            "dollars": st.column_config.NumberColumn(format="%.4f"),
            "dollars in all": st.column_config.NumberColumn(format="%.2f"),
        },
        rows=24,
    )
    st.caption("Numbers of calls, errors, tokens, seconds and dollars are medians over runs that record one.")
