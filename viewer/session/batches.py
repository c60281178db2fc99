"""Many runs for the page Batch: facts that this server or an earlier one learned, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, Final

import streamlit as st

from viewer.batch import Batch, Dimension, RunFacts, batch
from viewer.batch.cache import Cache, folder
from viewer.batch.reading import collect
from viewer.runs import Entry
from viewer.session.shelf import Shelf

KEPT: Final = 100_000
"""Entries whose facts stay in memory."""
BATCHES: Final = 12
FIGURES: Final = 64


@st.cache_resource(show_spinner=False)
def _facts() -> Shelf[tuple[RunFacts, ...]]:
    return Shelf(KEPT)


@st.cache_resource(show_spinner=False)
def _batches() -> Shelf[Batch]:
    return Shelf(BATCHES)


@st.cache_resource(show_spinner=False)
def _figures() -> Shelf[Any]:
    return Shelf(FIGURES)


def _stamp(entry: Entry) -> tuple[object, ...]:
    return entry.run_id, entry.size, entry.modified, entry.facts, entry.state


def unknown(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries whose facts are not in memory."""
    return tuple(entry for entry in entries if entry.state != "other" and _facts().peek(_stamp(entry)) is None)


def learn(entries: Sequence[Entry], progress: Callable[[int, int], None]) -> None:
    """Fetches them from disk, reads the others in parallel. A rerun of the page, raised in ``progress``, stops it."""
    cache = Cache(folder())
    try:
        with closing(collect(entries, cache=cache, progress=progress)) as reading:
            for entry, found in reading:
                _keep(entry, found)
    finally:
        cache.close()


def _keep(entry: Entry, found: tuple[RunFacts, ...]) -> None:
    _facts().get(_stamp(entry), lambda: found, lambda _: 1)


def learned(entries: Sequence[Entry]) -> tuple[RunFacts, ...]:
    """The facts that are in memory, in the order of the entries."""
    known = (_facts().peek(_stamp(entry)) for entry in entries if entry.state != "other")
    return tuple(one for found in known if found is not None for one in found)


def summed(facts: tuple[RunFacts, ...], by: Dimension) -> Batch:
    """The batch of these facts, once for all visitors."""
    return _batches().get((by, key_of(facts)), lambda: batch(facts, by, dimensions=(by,)), lambda _: 1)


def key_of(facts: Sequence[RunFacts]) -> int:
    """Another number for other runs, or for the same runs when anything in or beside their files changed."""
    return hash(tuple(one.row for one in facts))


def figure(key: tuple[object, ...], build: Callable[[], Any]) -> Any:
    """A figure, built once for all visitors; ``key`` names all it depends on, the theme too."""
    return _figures().get(key, build, lambda _: 1)
