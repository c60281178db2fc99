"""Which sources are ticked: a choice of this visitor that Runs, Batch and Compare share."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from viewer.session.sources import Group, groups

_CHOICE = "ticked sources"


def ticked(listed: Sequence[Group]) -> tuple[bool, ...]:
    """One a group. Who did not choose has all but the samples, or these where there is nothing else."""
    chosen = st.session_state.get(_CHOICE, {})
    return tuple(chosen.get(name, usual) for name, usual in _usual(listed))


def keep(listed: Sequence[Group], ticks: Sequence[bool]) -> None:
    """Remembers what was ticked, for the other pages; a page's own boxes are forgotten when one leaves it."""
    names = _usual(listed)
    st.session_state[_CHOICE] = {name: tick for (name, usual), tick in zip(names, ticks, strict=True) if tick != usual}


def in_use() -> tuple[Group, ...]:
    """The ticked sources."""
    listed = groups()
    return tuple(group for group, tick in zip(listed, ticked(listed), strict=True) if tick)


def _usual(listed: Sequence[Group]) -> list[tuple[str, bool]]:
    """(what a group is remembered by, whether it is ticked at first); the name of uploads counts their files."""
    others = any(group.kind != "samples" for group in listed)
    return [
        ("uploaded" if group.kind == "uploaded" else f"{number} {group.name}", group.kind != "samples" or not others)
        for number, group in enumerate(listed)
    ]
