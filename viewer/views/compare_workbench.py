"""Two to four runs: first line, graphs over one another, aligned table beside the panels. One fragment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from components.alignment_table import ALL, DIFFERENCES, draw_alignment, filters, passes, row_words
from components.comparison_panels import (
    draw_final_answers,
    draw_metric_table,
    draw_only,
    draw_similarity,
    draw_tools,
    draw_troubles,
)
from components.keys import COMPARE_KEYS, key_element
from components.labels import label, shortened
from components.row_panel import PARTS, draw_row
from components.trajectory_graph import RAIL, STRIP, draw_graph, draw_quiet
from viewer import session
from viewer.comparison.account import row_sentence
from viewer.comparison.divergence import DEFINITIONS
from viewer.comparison.star import LETTERS
from viewer.figures.habits import habits_figure, habits_sentence
from viewer.figures.lanes import Layout, folds
from viewer.figures.merged import LAYERS, merged_figure, merged_sentence
from viewer.figures.stacked import stacked_figure, stacked_sentence
from viewer.figures.stacked_strip import stacked_rail, stacked_strip
from viewer.graphs.merged import DEFINITIONS as MARKS
from viewer.graphs.merged import window
from viewer.session import Compared
from viewer.views import compare_runs

TABLE: Final = 410
"""Pixels of the aligned table and of what stands beside it."""
SIZES: Final = (40, 120, 300)
VIEWS: Final = ("Order", "Tools", "Merged")
FEW: Final = 4
"""Runs that lie under one another; more are drawn as one merged graph."""
TABS: Final = ("Row", "Metrics", "Tools", "Only in some", "Loops and errors", "Final answers")
WINDOWED: Final = 300
"""With more rows than this the table lists those of the window above it."""
ACCOUNT: Final = 110


@st.fragment
def draw(found: Compared) -> None:
    """Everything moves together, without the rest of the page."""
    with st.container(gap=None):  # first: what a broken off run has not drawn does not hear the next key
        key_element(COMPARE_KEYS, lambda key: _go(found, key))
        top = st.container(gap="xsmall")
    rows = found.found.rows
    selected = session.chosen("at", found.scope, len(rows), found.first_look)
    with top:
        _first_line(found)
        view, laid, size = _second_line(found)
        window = _graphs(found, view, laid, size, selected)
    left, right = st.columns([1.2, 1], gap="small")
    with left, st.container(gap="xsmall"):
        _table(found, laid, selected, window)
    with right:
        _panels(found, selected)


def _first_line(found: Compared) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if found.same_task is None:
            st.badge("task not recorded", icon=":material/help:", color="gray")
        elif found.same_task:
            st.badge("same task", icon=":material/check:", color="green")
        else:
            st.badge("different tasks", icon=":material/warning:", color="orange")
        st.markdown(f"**{found.outcomes}**", width="content")
        st.text(shortened(found.account, ACCOUNT), width="content")
        st.space("stretch")
        compare_runs.draw(found)


def _second_line(found: Compared) -> tuple[str, Layout, int]:
    star = found.found
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        jumps = (
            ("First divergence", "first_divergence", star.first_divergence, ":material/call_split:"),
            ("Decisive", "decisive", star.decisive, ":material/target:"),
            ("Sustained", "first_sustained_divergence", star.first_sustained_divergence, ":material/alt_route:"),
        )
        for words, name, row, icon in jumps:
            if row is not None:
                st.button(
                    f"{words}: row {row + 1}",
                    icon=icon,
                    key=f"jump-{name}",
                    on_click=_choose,
                    args=(found, row),
                    help=DEFINITIONS[name],
                )
        if star.first_divergence is not None and star.first_divergence != star.decisive:
            st.text(shortened(_did(found, star.first_divergence), 90), width="content")
        st.space("stretch")
        folded = True
        if folds(star) and len(found.runs) <= FEW:
            folded = st.toggle(
                "Fold twins",
                value=True,
                key="fold",
                help="Runs that made the same calls with the same ends share a lane.",
            )
        laid = found.folded if folded else found.unfolded
        count = len(laid.columns)
        view = VIEWS[-1]
        if len(found.runs) <= FEW:
            view = st.segmented_control(
                "View",
                VIEWS,
                default=VIEWS[0],
                required=True,
                key="view",
                bind="query-params",
                label_visibility="collapsed",
            )
        size = SIZES[0]
        if count > SIZES[0] and view == VIEWS[0]:
            size = st.segmented_control(
                "Rows at once",
                [size for size in SIZES if size < count] + [min(count, SIZES[-1])] * (count <= SIZES[-1]),
                default=SIZES[0],
                required=True,
                key="size",
                label_visibility="collapsed",
                help="Rows in the window",
            )
    return view, laid, size


def _did(found: Compared, row: int) -> str:
    """``A —   B #2 exec_command python3 -m unittest``: what each run did there."""
    parts = []
    for letter, run, index in zip(LETTERS, found.runs, found.found.rows[row].calls, strict=False):
        did = "—" if index is None else f"#{index + 1} {run.trajectory.calls[index].name} {run.words(index)}"
        parts.append(f"{letter} {shortened(did, 34)}")
    return " · ".join(parts)


def _graphs(found: Compared, view: str, laid: Layout, size: int, selected: int | None) -> tuple[int, int]:
    """Draws the view; gives the first and the last row of the window."""
    colours = session.theme()

    def go(row: int) -> None:
        _choose(found, row)

    start = _window(found, laid, size, selected)
    with st.container(gap=None, key="instrument"):
        if view == "Order":
            _stacked(found, laid, start, size, selected, go)
        elif view == "Tools":
            figure = found.figure(
                ("tools", colours.name), lambda: habits_figure(found.trajectories, found.names, colours)
            )
            draw_graph(figure, (found.scope, "tools", colours.name), habits_sentence(found.trajectories), go)
            st.caption(habits_sentence(found.trajectories))
        else:
            part, first, depth = window(found.merged, selected or 0, LAYERS)
            figure = found.figure(
                ("merged", colours.name, first),
                lambda: merged_figure(part, found.trajectories, found.names, colours),
            )
            words = merged_sentence(found.merged, found.trajectories)
            draw_graph(figure, (found.scope, "merged", colours.name, first), words, go)
            if depth > LAYERS:
                words = f"Steps {first + 1:,} to {min(depth, first + LAYERS):,} of {depth:,}, around the row · {words}"
            st.caption(words, help=" ".join(MARKS.values()))
    shown = laid.columns[start : start + size]
    return (min(column.row for column in shown), max(column.row for column in shown)) if shown else (0, 0)


def _stacked(
    found: Compared, laid: Layout, start: int, size: int, selected: int | None, go: Callable[[int], None]
) -> None:
    colours = session.theme()
    identity = (found.scope, colours.name, len(laid.lanes), start, size)
    figure = found.figure(identity, lambda: stacked_figure(laid, colours, start=start, size=size))
    draw_graph(figure, identity, stacked_sentence(laid, start, size), go)
    rail = stacked_rail(laid, colours, start=start, size=size, selected=selected)
    draw_quiet(rail, f"Row {(selected or 0) + 1} is selected.", key=RAIL)
    if len(laid.columns) > size:
        strip = stacked_strip(laid, colours, start=start, size=size, selected=selected)
        draw_quiet(strip, f"All {len(laid.columns):,} rows, row {(selected or 0) + 1} selected.", go, key=STRIP)


def _window(found: Compared, laid: Layout, size: int, selected: int | None) -> int:
    """The first column of the window. It stays while one steps inside it and moves in half windows."""
    count = len(laid.columns)
    if count <= size or selected is None:
        return 0
    at = laid.places[selected]
    memory = (found.scope, size, len(laid.lanes))
    start: int
    then, start = st.session_state.get("compare window", (None, 0))
    if then != memory:
        start = max(0, at - size // 4)
    half = max(1, size // 2)
    if not start <= at < start + size:
        start = max(0, at // half * half - half // 2)
    start = min(start, count - size)
    st.session_state["compare window"] = (memory, start)
    return start


def _table(found: Compared, laid: Layout, selected: int | None, window: tuple[int, int]) -> None:
    rows = found.found.rows
    counts = filters(rows)
    written = st.query_params.get("kind", ALL)

    def publish() -> None:  # the URL holds the words alone; a bound widget would put the count behind them there, too
        st.query_params["kind"] = st.session_state["kind filter"]

    chosen = st.segmented_control(
        "Rows",
        tuple(counts),
        default=written if written in counts else ALL,
        required=True,
        key="kind filter",
        label_visibility="collapsed",
        format_func=lambda words: f"{words} {counts[words]:,}",
        on_change=publish,
    )
    shown = [at for at, row in enumerate(rows) if passes(row, chosen)]
    if not shown:
        st.caption("No calls in these runs." if not rows else "No differences: the same calls with the same ends.")
        return
    if len(shown) > WINDOWED:
        total = len(shown)
        shown = [at for at in shown if window[0] <= at <= window[1]]
        st.caption(
            f"{len(shown):,} of {total:,} rows: those of the window above, rows {window[0] + 1:,} to {window[1] + 1:,}."
        )
    draw_alignment(
        rows,
        shown,
        found.trajectories,
        found.names,
        [run.words for run in found.runs],
        selected,
        session.theme(),
        lambda row: _choose(found, row),
        height=TABLE,
    )


def _panels(found: Compared, selected: int | None) -> None:
    tabs = dict(zip(TABS, st.tabs(TABS, key="tab", bind="query-params"), strict=True))
    words = [run.words for run in found.runs]

    def go(row: int) -> None:
        _choose(found, row)

    def metrics() -> None:
        draw_metric_table(found.metrics, len(found.runs), found.found.reference)
        if len(found.runs) > 2:
            draw_similarity(found.found)

    def troubles() -> None:
        draw_troubles(
            found.trajectories,
            [run.loops for run in found.runs],
            [run.errors for run in found.runs],
            [run.failed_checks for run in found.runs],
            [run.first_unrecovered for run in found.runs],
            found.diagnoses,
            words,
            found.row_of,
            go,
        )

    panels: dict[str, Callable[[], Any]] = {
        "Row": lambda: _row(found, selected),
        "Metrics": metrics,
        "Tools": lambda: draw_tools(found.trajectories),
        "Only in some": lambda: draw_only(found.found, found.trajectories, words, go),
        "Loops and errors": troubles,
        "Final answers": lambda: draw_final_answers(found.trajectories),
    }
    for name, tab in tabs.items():
        if tab.open:
            with tab:
                panels[name]()


def _row(found: Compared, selected: int | None) -> None:
    if selected is None:
        st.caption("No calls in these runs.")
        return
    row = found.found.rows[selected]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**Row {selected + 1}** of {len(found.found.rows):,} · {row_words(row)}", width="content")
        st.space("stretch")
        for words, key, hint in (("←", "ArrowLeft", "←"), ("→", "ArrowRight", "→"), ("Next difference", "d", "D")):
            st.button(words, key=f"row-{key}", on_click=_go, args=(found, key), help=f"Key {hint}")
        part = st.segmented_control(
            "Part",
            PARTS,
            default=PARTS[0],
            required=True,
            key="part",
            bind="query-params",
            label_visibility="collapsed",
            help="Raw: the very bytes of each run",
        )
    with st.container(height=TABLE - 46, border=False, key="row-panel", gap="xsmall"):
        st.text(row_sentence(row, found.trajectories))

        def opened(run: int, index: int) -> None:
            call = found.runs[run].trajectory.calls[index]
            st.page_link(
                "views/run.py",
                label=label(f"#{index + 1} {call.name}"),
                query_params={"run": found.runs[run].run_id, "call": str(index + 1)},
                help="Open this call in its run",
            )

        draw_row(row, found.sides, part, opened)


def _choose(found: Compared, row: int | None) -> None:
    if row is not None:
        session.choose("at", row, found.scope)


def _go(found: Compared, key: str) -> None:
    at = session.current("at", found.scope) or 0
    rows = found.found.rows
    if key == "ArrowLeft":
        _choose(found, max(0, at - 1))
    elif key == "ArrowRight":
        _choose(found, min(len(rows) - 1, at + 1))
    elif key == "d":
        later = [row for row, aligned in enumerate(rows) if passes(aligned, DIFFERENCES)]
        _choose(found, next((row for row in later if row > at), later[0] if later else None))
