"""What could be compared: tasks with several runs, each with a way to open them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components import amounts
from components.labels import label


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalLine:
    """A task. ``chosen`` are (run id, what it is) of the runs to compare first; names are untrusted text."""

    name: str
    runs: int
    passed: int
    failed: int
    harnesses: tuple[str, ...]
    chosen: tuple[tuple[str, str], ...]
    attempts: tuple[str, ...]


def draw_proposals(lines: Sequence[ProposalLine]) -> None:
    """One box a task: its name, what its runs are, and links that open them."""
    for number, line in enumerate(lines):
        with st.container(border=True, key=f"proposal-{number}", gap="xsmall"):
            st.markdown(f"**{label(line.name, 160)}**")
            facts = [amounts.count(line.runs, "run")]
            if line.passed or line.failed:
                facts.append(f"{line.passed:,} passed, {line.failed:,} failed")
            if line.harnesses:
                facts.append(", ".join(line.harnesses[:8]) + (" …" if len(line.harnesses) > 8 else ""))
            st.text(" · ".join(facts))
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.page_link(
                    "views/compare.py",
                    label=f"Compare {len(line.chosen)}",
                    icon=":material/compare_arrows:",
                    query_params={"run": [run for run, _ in line.chosen]},
                )
                if len(line.attempts) > len(line.chosen) and len(line.attempts) > 2:
                    st.page_link(
                        "views/compare.py",
                        label=f"Merge {len(line.attempts)} into a graph",
                        icon=":material/merge:",
                        query_params=[*(("run", run) for run in line.attempts), ("view", "Merged")],
                    )
                st.caption(label("; ".join(name for _, name in line.chosen), 200))
