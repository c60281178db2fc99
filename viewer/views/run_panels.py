"""The tabs of the run page. Only the open one computes and draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

from components.action_log_panel import draw_action_log
from components.conversation import draw_conversation
from components.coverage_panel import draw_coverage
from components.diagnosis_panel import draw_diagnosis
from components.loops_panel import draw_loops
from components.metric_panel import draw_metrics
from components.network_panel import draw_network
from components.repetition_panel import draw_repetition
from components.tool_selection_panel import draw_tool_selection
from viewer import session
from viewer.analysis.action_log import action_log
from viewer.figures.decisions import decisions_figure
from viewer.session import OpenRun
from viewer.views.run_judge import judged_diagnosis, judged_selection

Panel = Callable[[OpenRun], None]


def _metrics(run: OpenRun) -> None:
    draw_metrics(
        run.trajectory, run.metrics, run.repetition, run.agentcompass, run.as_shipped, lambda call: _go(run, call)
    )


def _repetition(run: OpenRun) -> None:
    draw_repetition(run.trajectory, run.repetition, _theirs(run), run.words, lambda call: _go(run, call))


def _theirs(run: OpenRun) -> dict[str, str]:
    """AgentCompass's own numbers of the three repetition metrics, where they differ from ours."""
    found: dict[str, str] = {}
    for analyzer, details in (run.as_shipped or {}).items():
        for name, value in run.agentcompass[analyzer].items():
            own = "an error" if set(details) == {"error"} else details.get(name)
            if isinstance(value, int | float) and own is not None and own != value:
                found.setdefault(name, str(own))
    return found


def _loops(run: OpenRun) -> None:
    draw_loops(run.loops, run.stops, run.words, lambda call: _go(run, call))


def _network(run: OpenRun) -> None:
    draw_network(run.trajectory, run.network, run.words, lambda call: _go(run, call))


def _diagnosis(run: OpenRun) -> None:
    draw_diagnosis(
        run.trajectory,
        lambda verdict: judged_diagnosis(run, run.diagnosis(verdict)),
        run.words,
        lambda call: _go(run, call),
    )


def _tool_selection(run: OpenRun) -> None:
    found = judged_selection(run, run.tool_selection)
    shown = found.judge or found.rules
    strip = session.figure(
        run, ("decisions", found.judge is not None), lambda _, theme: decisions_figure(found.decisions, shown, theme)
    )
    draw_tool_selection(found, strip, lambda call: _go(run, call))


def _action_log(run: OpenRun) -> None:
    draw_action_log(lambda cuts: action_log(run.trajectory, cuts), run.name)


def _conversation(run: OpenRun) -> None:
    draw_conversation(run.trajectory, session.current("call", run.run_id), run.words, lambda call: _go(run, call))


def _coverage(run: OpenRun) -> None:
    draw_coverage(run.trajectory, run.source)


def _go(run: OpenRun, call: int) -> None:
    """A callback: the graph and the inspector live in another fragment, so the whole page has to follow."""
    session.choose("call", call, run.run_id)
    st.session_state["moved below"] = True


PANELS: Final[dict[str, Panel]] = {
    "Metrics": _metrics,
    "Repetition": _repetition,
    "Loops": _loops,
    "Network": _network,
    "Diagnosis": _diagnosis,
    "Tool selection": _tool_selection,
    "Conversation": _conversation,
    "Action log": _action_log,
    "Coverage": _coverage,
}


@st.fragment
def draw(run: OpenRun, only: Sequence[str] = tuple(PANELS)) -> None:
    """Names are the words in the URL."""
    if st.session_state.pop("moved below", False):
        st.rerun()
    names = [name for name in PANELS if name in only]
    for name, tab in zip(names, st.tabs(names, key="tab", bind="query-params"), strict=True):
        if tab.open:
            with tab:
                PANELS[name](run)
