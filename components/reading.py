"""What a number rests on: one grey line of coverage under the numbers of a panel, and what the format cannot tell."""

from __future__ import annotations

import streamlit as st

from components import amounts
from viewer.model import Trajectory

SILENT: dict[str, str] = {
    "exit_codes_not_recorded": "This format states no exit codes: a command that failed looks like one that worked.",
    "outputs_not_recorded": "This format records no outputs.",
}
"""Notes of readers that change what a number means."""


def reading_words(run: Trajectory) -> str:
    """``Coverage: all rows read. 15 calls on the main line, 2 abandoned ones left out.``"""
    coverage = run.coverage
    read = coverage.rows - coverage.not_understood
    words = "all rows read" if not coverage.not_understood else f"{read:,} of {coverage.rows:,} rows read"
    if coverage.calls < coverage.evidence:
        words += f", {coverage.calls:,} of {coverage.evidence:,} call-like objects read"
    main = len(run.main_line)
    line = amounts.count(main, "call") + " on the main line"
    aside = [
        f"{count:,} {name}"
        for name in ("abandoned", "inherited")
        if (count := sum(call.line == name for call in run.calls))
    ]
    return f"Coverage: {words}. {line}" + (f"; left out: {', '.join(aside)}." if aside else ".")


def draw_reading(run: Trajectory, without_exit_codes: str = "") -> None:
    """The line, and a warning where the format is silent on what the panel counts.

    ``without_exit_codes`` is what missing exit codes mean for this panel.
    """
    st.caption(reading_words(run))
    codes = {note.code for note in run.notes}
    for code, words in SILENT.items():
        if code in codes:
            more = without_exit_codes if code == "exit_codes_not_recorded" else ""
            st.caption(f":material/info: {words} {more}".rstrip())
