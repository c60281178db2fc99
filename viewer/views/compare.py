"""``/compare?run=...&run=...``: two to four runs of a task, call by call."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components import problem
from components.alignment_table import draw_alignment
from components.call_inspector import draw_call
from components.comparison_panels import (
    draw_difference,
    draw_final_answers,
    draw_metric_table,
    draw_tools,
    outcome_sentence,
    run_label,
)
from components.keys import COMPARE_KEYS, key_element
from components.labels import label, shortened
from viewer import session
from viewer.comparison.star import CannotCompare
from viewer.errors import ViewerError
from viewer.figures.theme import RUN_LETTERS
from viewer.session import Compared, OpenRun

TABLE = 300
"""Pixels of the aligned table: the two inspectors below it begin on the first screen."""
INSPECTOR = 480


def page() -> None:
    """Opens the runs that the URL names, else the two this visitor saw last."""
    named = session.run_ids()
    if not named:
        last = tuple(st.session_state.get("last compared", ())) or tuple(st.session_state.get("last runs", ()))[:2]
        if len(last) >= 2:
            named = last
            st.query_params["run"] = list(last)
    if len(named) < 2:
        problem.draw_nothing(
            "Two to four runs can be compared.", "Tick them on the page Runs.", "views/runs.py", "Runs"
        )
        return
    runs: list[OpenRun] = []
    for at, run_id in enumerate(named[:4]):
        try:
            with st.spinner("Reading the runs …", show_time=True):
                runs.append(session.load(run_id))
        except ViewerError as error:
            st.text(f"{RUN_LETTERS[at]} cannot be compared.")
            problem.draw_problem(error)
            return
    try:
        found = session.compared(tuple(runs))
    except CannotCompare as error:
        problem.draw_problem(error)
        return
    st.session_state["last compared"] = [run.run_id for run in runs]
    draw(runs, found)


@st.fragment
def draw(runs: Sequence[OpenRun], found: Compared) -> None:
    """First line, aligned table beside the panels, the inspectors of the selected row."""
    with st.container(gap=None):  # first: what a broken off run has not drawn does not hear the next key
        key_element(COMPARE_KEYS, lambda key: _go(found, key))
        line = st.container()
    default = found.first_divergence if found.first_divergence is not None else 0
    selected = session.chosen("at", found.scope, len(found.rows), default)
    with line:
        _first_line(runs, found)
    left, right = st.columns([1.9, 1], gap="small")
    with left:
        _rows(runs, found, selected)
    with right:
        _panels(runs, found)
    if selected is not None:
        _row(runs, found, selected)


def _first_line(runs: Sequence[OpenRun], found: Compared) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if found.same_task is None:
            st.badge("task not recorded", icon=":material/help:", color="gray")
        elif found.same_task:
            st.badge("same task", icon=":material/check:", color="green")
        else:
            st.badge("different tasks", icon=":material/warning:", color="orange")
        st.markdown(f"**{outcome_sentence([run.trajectory for run in runs])}**", width="content")
        jumps = (
            ("First divergence", found.first_divergence, ":material/call_split:"),
            ("Decisive edit", found.decisive, ":material/edit:"),
            ("First sustained divergence", found.sustained, ":material/alt_route:"),
        )
        for words, row, icon in jumps:
            if row is not None:
                st.button(f"{words}: row {row + 1}", icon=icon, key=words, on_click=_choose, args=(found, row))
        if found.first_divergence is None:
            st.badge("no divergence", icon=":material/check:", color="green")
        else:
            st.text(_did(runs, found, found.first_divergence))
        st.space("stretch")
        with st.popover("Runs", icon=":material/edit:"):
            for at, run in enumerate(runs):
                st.page_link("views/run.py", label=run_label(at, run.name), query_params={"run": run.run_id})
            st.page_link("views/runs.py", label="Choose other runs", icon=":material/list:")


def _did(runs: Sequence[OpenRun], found: Compared, row: int) -> str:
    parts = []
    for at, (run, index) in enumerate(zip(runs, found.rows[row].calls, strict=True)):
        did = "—" if index is None else f"#{index + 1} {run.trajectory.calls[index].name} {run.words(index)}"
        parts.append(f"{RUN_LETTERS[at]} {shortened(did, 40)}")
    return "   ".join(parts)


def _rows(runs: Sequence[OpenRun], found: Compared, selected: int | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        view = st.segmented_control(
            "Rows",
            ("All rows", "Differences"),
            default="All rows",
            required=True,
            key="view",
            bind="query-params",
            label_visibility="collapsed",
        )
        st.caption(" · ".join(f"{count:,} {words}" for words, count in found.counts), width="content")
    shown = [at for at, row in enumerate(found.rows) if view == "All rows" or row.differs]
    if not shown:
        st.caption(
            "No calls in these runs." if not found.rows else "No differences: the same calls with the same ends."
        )
        return
    draw_alignment(
        found.rows,
        shown,
        [run.trajectory for run in runs],
        [run.trajectory.harness or run.name for run in runs],
        [run.words for run in runs],
        selected,
        session.theme(),
        lambda row: _choose(found, row),
        height=TABLE,
    )


def _panels(runs: Sequence[OpenRun], found: Compared) -> None:
    trajectories = [run.trajectory for run in runs]
    metrics, tools, answers = st.tabs(["Metrics", "Tools", "Final answers"], key="tab", bind="query-params")
    if metrics.open:
        with metrics, st.container(height=TABLE + 8, border=False):
            draw_metric_table(found.metrics, len(runs))
    if tools.open:
        with tools, st.container(height=TABLE + 8, border=False):
            draw_tools(trajectories)
    if answers.open:
        with answers, st.container(height=TABLE + 8, border=False):
            draw_final_answers(trajectories)


def _row(runs: Sequence[OpenRun], found: Compared, selected: int) -> None:
    row = found.rows[selected]
    calls = [run.trajectory.calls[index] for run, index in zip(runs, row.calls, strict=True) if index is not None]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**Row {selected + 1}** · {row.words}", width="content")
        for words, key in (("←", "ArrowLeft"), ("→", "ArrowRight"), ("Next difference", "d")):
            st.button(words, key=f"row-{key}", on_click=_go, args=(found, key))
    if row.kind == "changed_arguments" and len(calls) == 2:
        draw_difference(calls)
    for at, (column, run, index) in enumerate(zip(st.columns(len(runs), gap="small"), runs, row.calls, strict=True)):
        with column:
            st.caption(run_label(at, f"{run.trajectory.harness or ''} · {run.name}"))
            with st.container(height=INSPECTOR, border=True, key=f"inspector-{RUN_LETTERS[at]}"):
                if index is None:
                    st.caption("No such call in this run.")
                else:
                    call = run.trajectory.calls[index]
                    equal = run.equal[call.signature]
                    go = found.goes_to(at)
                    draw_call(
                        call,
                        run.trajectory,
                        run.source,
                        equal,
                        lambda asked, go=go: _choose(found, go.get(asked)),  # type: ignore[misc]
                        key=f"call {RUN_LETTERS[at]}",
                    )
                    st.page_link(
                        "views/run.py",
                        label=label(f"Open {RUN_LETTERS[at]} at #{index + 1}"),
                        icon=":material/open_in_new:",
                        query_params={"run": run.run_id, "call": str(index + 1)},
                    )


def _choose(found: Compared, row: int | None) -> None:
    if row is not None:
        session.choose("at", row, found.scope)


def _go(found: Compared, key: str) -> None:
    at = session.current("at", found.scope) or 0
    if key == "ArrowLeft":
        _choose(found, max(0, at - 1))
    elif key == "ArrowRight":
        _choose(found, min(len(found.rows) - 1, at + 1))
    elif key == "d":
        later = [row for row, aligned in enumerate(found.rows) if aligned.differs]
        _choose(found, next((row for row in later if row > at), later[0] if later else None))


page()
