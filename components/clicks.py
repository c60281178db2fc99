"""Clicks on charts and tables as events: what was clicked, once for each click.

Streamlit reports a selection, not a click. Two things follow. A second click on the same mark takes the selection
back, though the reader meant to go there again. And when a run is broken off by a quick key, the browser sends the
old selection once more, which is no click at all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st


def listener(
    key: str, identity: Hashable, read: Callable[[Any], int | None], clicked: Callable[[int], None]
) -> Callable[[], None]:
    """For ``on_select``. ``read`` gets the number out of the widget's state, None for an empty selection.

    ``identity`` is what is drawn: with another one the browser starts without a selection.
    """
    memory = f"{key} clicks"
    if st.session_state.get(memory, (None,))[0] != identity:
        st.session_state[memory] = (identity, None, None)

    def hear() -> None:
        _, last_event, last_number = st.session_state[memory]
        event = read(st.session_state[key])
        if event == last_event:
            return
        number = last_number if event is None else event
        st.session_state[memory] = (identity, event, number)
        if number is not None:
            clicked(number)

    return hear
