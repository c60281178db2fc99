"""The aligned calls of two to four runs: one row a call, one column a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
import streamlit as st

from components.clicks import listener
from viewer.figures.theme import GLYPHS, RUN_LETTERS, Theme
from viewer.model import Trajectory

ROW: Final = 26
STYLED: Final = 1_500
LISTED: Final = 5_000
WORDS: Final = {
    "same": "same",
    "changed_arguments": "changed arguments",
    "changed_result": "changed result",
    "moved": "moved",
    "only_left": "only in A",
    "only_right": "only in B",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedRow:
    """``kind`` as ``words_of`` spells it; ``calls`` has an index a run, None where the run has no such call."""

    kind: str
    words: str
    calls: tuple[int | None, ...]

    @property
    def differs(self) -> bool:
        """Anything but the same call with the same end."""
        return self.kind != "same"


def only_in(calls: Sequence[int | None]) -> str:
    """``only in B C``: the letters of the runs that have the call."""
    return "only in " + " ".join(RUN_LETTERS[at] for at, call in enumerate(calls) if call is not None)


def draw_alignment(
    rows: Sequence[AlignedRow],
    shown: Sequence[int],
    runs: Sequence[Trajectory],
    names: Sequence[str],
    words: Sequence[Callable[[int], str]],
    selected: int | None,
    theme: Theme,
    clicked: Callable[[int], None],
    *,
    height: int,
    key: str = "alignment",
) -> None:
    """``shown`` are the positions in ``rows`` to list; ``clicked`` gets a position before the page reruns."""
    listed = list(shown[:LISTED])

    def read(state: Any) -> int | None:
        cells = state["selection"]["cells"]
        return listed[cells[0][0]] if cells else None

    frame = pd.DataFrame(
        {
            "row": [f"▸ {at + 1}" if at == selected else str(at + 1) for at in listed],
            "kind": [rows[at].words for at in listed],
            **{
                f"{RUN_LETTERS[place]}  {name}": [_cell(run, rows[at].calls[place], words[place]) for at in listed]
                for place, (run, name) in enumerate(zip(runs, names, strict=True))
            },
        }
    )
    data: Any = frame
    if len(frame) <= STYLED:
        data = frame.style.apply(lambda row: _styles(row, theme), axis=1)
    st.dataframe(
        data,
        hide_index=True,
        row_height=ROW,
        height=min(height, (len(listed) + 1) * ROW + 8),
        placeholder="",
        key=key,
        on_select=listener(key, (tuple(listed), selected), read, clicked),
        selection_mode="single-cell",
        column_config={
            "row": st.column_config.TextColumn(width=56),
            "kind": st.column_config.TextColumn(width=136),
            **{name: st.column_config.TextColumn(width=720 // len(runs)) for name in list(frame.columns)[2:]},
        },
    )
    if len(shown) > LISTED:
        st.caption(f"The first {LISTED:,} of {len(shown):,} rows.")


def _cell(run: Trajectory, index: int | None, words: Callable[[int], str]) -> str:
    if index is None:
        return ""
    call = run.calls[index]
    said = words(index)
    return f"{GLYPHS[call.state]} #{index + 1} {call.name}" + (f"  {said[:160]}" if said != call.name else "")


def _styles(row: Any, theme: Theme) -> list[str]:
    kind = str(row["kind"])
    fill = (
        theme.window_fill
        if kind.startswith("only")
        else f"{theme.denied}22"
        if kind == "changed arguments"
        else theme.loop_band
        if kind in ("changed result", "moved")
        else ""
    )
    styles = ["", f"background-color: {fill}" if fill else ""]
    for cell in list(row)[2:]:
        text = str(cell)
        styles.append(f"color: {theme.error}" if text.startswith(("✖", "⧗")) else "")
    if str(row["row"]).startswith("▸"):
        styles = [f"{style}; font-weight: 700" for style in styles]
    return styles
