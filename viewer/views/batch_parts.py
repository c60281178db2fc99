"""The parts of the page Batch: what was counted, handed to the figures and panels that show it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.batch_overview import (
    Pick,
    draw_attempts,
    draw_errors,
    draw_matrix,
    draw_passed,
)
from components.batch_panels import (
    draw_categories,
    draw_groups,
    draw_habits,
    draw_objections,
    draw_pair,
    draw_rules,
)
from viewer import session
from viewer.batch import Batch, Dimension, RunFacts, paired, words
from viewer.batch.findings import ErrorCluster
from viewer.batch.groups import keys, runs_of
from viewer.figures.attempts import Attempt, attempts_figure, merged
from viewer.figures.heat_map import heat_map_figure
from viewer.figures.intervals import Interval, interval_figure
from viewer.figures.outcome_matrix import matrix_figure
from viewer.session import batches

TABS = ("Categories", "Rules", "Tool habits", "Tool selection", "Two groups", "Groups")


# -- first screen --------------------------------------------------------------------------------------------------


def draw_first_screen(
    found: Batch,
    facts: tuple[RunFacts, ...],
    by: Dimension,
    pick: Pick,
    pick_error: Callable[[ErrorCluster], None],
) -> None:
    """Matrix and calls per attempt left; passed by group and errors right."""
    colours = session.theme()
    identity = (batches.key_of(facts), by)
    groups = found.groups[by]
    columns: Dimension = "harness" if by == "task" else by
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        draw_matrix(
            found.matrix,
            f"Task × {columns}",
            lambda page: batches.figure(
                ("matrix", identity, colours.name, page), lambda: matrix_figure(found.matrix, colours, page)
            ),
            pick,
            identity,
        )
        key = keys(facts, by)
        marks = merged(
            [
                Attempt(group=key(one), calls=one.row.calls, standing=one.standing, runs=(one.run_id,))
                for one in runs_of(facts)
                if one.row.calls is not None
            ]
        )
        names = [group.name for group in groups]
        draw_attempts(
            marks,
            batches.figure(("attempts", identity, colours.name), lambda: attempts_figure(marks, names, colours)),
            len(groups),
            pick,
            identity,
        )
    with right:
        judged = [group for group in groups if group.passed.n]
        lines = [
            Interval(
                name=group.name,
                value=group.passed.value,
                low=group.passed.low,
                high=group.passed.high,
                words=words.of(group.passed),
                hover=f"{group.name}: {words.of(group.passed)} attempts passed, {words.interval(group.passed)}",
            )
            for group in judged
        ]
        draw_passed(
            judged,
            f"Passed by {by}",
            batches.figure(
                ("passed", identity, colours.name),
                lambda: interval_figure(lines, colours, nothing="No attempt here has a verdict."),
            ),
            pick,
            identity,
        )
        draw_errors(found.errors, pick_error)


# -- tabs ----------------------------------------------------------------------------------------------------------


def draw_tabs(found: Batch, facts: tuple[RunFacts, ...], by: Dimension, pick: Pick) -> None:
    """Only the open tab computes."""
    colours = session.theme()
    identity = (batches.key_of(facts), by)
    categories, rules, habits, selection, two, groups = st.tabs(TABS, key="tab", bind="query-params")
    if categories.open:
        with categories:
            lines = [
                Interval(
                    name=one.category.replace("_", " "), value=one.share.value, low=one.share.low, high=one.share.high,
                    words=words.of(one.share), hover=f"{one.category}: {words.interval(one.share)}",
                )
                for one in found.whole.categories
            ]  # fmt: skip
            figure = interval_figure(lines, colours)
            draw_categories(found.whole, found.groups[by], figure, pick, (*identity, "categories"))
    if rules.open:
        with rules:
            lines = [
                Interval(
                    name=f"{one.rule} {one.title}", value=one.lift.value, low=one.lift.low, high=one.lift.high,
                    words=words.points(one.lift.value),
                    hover=f"{one.title}: {words.of(one.failed)} failing, {words.of(one.passed)} passed",
                )
                for one in found.rules
            ]  # fmt: skip
            nothing = "Failing and passed attempts are needed."
            draw_rules(
                found.rules, interval_figure(lines, colours, signed=True, nothing=nothing), pick, (*identity, "rules")
            )
    if habits.open:
        with habits:
            _habits(found, pick, identity)
    if selection.open:
        with selection:
            _selection(found, pick, identity)
    if two.open:
        with two:
            dimension: Dimension = "harness" if by == "task" else by
            names = [group.name for group in batches.summed(facts, dimension).groups[dimension] if group.passed.n]
            draw_pair(names, lambda one, other: paired(facts, dimension, one, other), pick)
    if groups.open:
        with groups:
            draw_groups(found.groups[by], pick)


def _habits(found: Batch, pick: Pick, identity: tuple[object, ...]) -> None:
    effects = list(dict.fromkeys(effect.name for group in found.habits for effect in group.effects))
    cells = {
        (group.group, effect.name): (
            effect.share,
            f"{effect.share:.0%}",
            f"{group.group}: {effect.calls:,} of {group.calls:,} calls {effect.name}, {effect.errors:,} of them erred",
        )
        for group in found.habits
        for effect in group.effects
    }
    behind = [(f"{group.group}: {effect.name}", effect.runs) for group in found.habits for effect in group.effects]
    figure = heat_map_figure([group.group for group in found.habits], effects, cells, session.theme())
    draw_habits(found.habits, found.common, figure, behind, pick, (*identity, "habits"))


def _selection(found: Batch, pick: Pick, identity: tuple[object, ...]) -> None:
    kinds = list(dict.fromkeys(one.error_type for one in found.objections))
    cells = {
        (one.group, one.error_type.replace("_", " ")): (
            one.share.value or 0.0,
            f"{one.share.count:,} of {one.share.n:,}",
            f"{one.group}: {words.of(one.share)} decisions, in {len(one.runs):,} runs",
        )
        for one in found.objections
    }
    behind = [(f"{one.group}: {one.error_type.replace('_', ' ')}", one.runs) for one in found.objections]
    figure = heat_map_figure(
        list(dict.fromkeys(one.group for one in found.objections)),
        [kind.replace("_", " ") for kind in kinds],
        cells,
        session.theme(),
    )
    draw_objections(found.objections, figure, behind, pick, (*identity, "objections"))
