"""The judge on the run page: configured from the environment, shown first, asked only by a click."""

from __future__ import annotations

import streamlit as st

from components import problem
from components.judge_box import draw_judge
from viewer.analysis.diagnosis import Diagnosis
from viewer.analysis.tool_selection import ToolSelection
from viewer.errors import ViewerError
from viewer.judge.configuration import Configuration, configuration
from viewer.judge.diagnosis import JudgedDiagnosis, diagnosis_prompt, judge_diagnosis
from viewer.judge.prompts import preview
from viewer.judge.tool_selection import JudgedSelection, judge_tool_selection, prompts
from viewer.session import OpenRun


def judged_diagnosis(run: OpenRun, found: Diagnosis) -> Diagnosis:
    """The diagnosis with the opinion this visitor asked for, if any. Draws the box to ask where a judge is set up."""
    judge = _judge()
    if judge is None or found.gate.passed:
        return found
    key = f"judged diagnosis {run.run_id} {found.gate.source}"
    known: JudgedDiagnosis | None = st.session_state.get(key)

    def ask() -> None:
        st.session_state[key] = judge_diagnosis(run.trajectory, found, judge)

    draw_judge(
        model=judge.model, host=judge.host, preview=diagnosis_prompt(run.trajectory, found).text, ask=ask,
        problems=known.problems if known else (), asked=known is not None, key="judge diagnosis",
    )  # fmt: skip
    return known.diagnosis if known else found


def judged_selection(run: OpenRun, found: ToolSelection) -> ToolSelection:
    """The selection with the judge's column this visitor asked for, if any."""
    judge = _judge()
    if judge is None or not found.decisions:
        return found
    key = f"judged selection {run.run_id}"
    known: JudgedSelection | None = st.session_state.get(key)

    def ask() -> None:
        st.session_state[key] = judge_tool_selection(run.trajectory, found, judge)

    draw_judge(
        model=judge.model, host=judge.host, preview=preview(prompts(run.trajectory, found, judge)), ask=ask,
        problems=known.problems if known else (), asked=known is not None, key="judge tool selection",
    )  # fmt: skip
    return known.selection if known else found


def _judge() -> Configuration | None:
    try:
        return configuration()
    except ViewerError as error:
        problem.draw_problem(error)
        return None
