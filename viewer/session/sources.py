"""Where runs come from: samples, the paths of the command line, local sessions once asked for, uploads."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import streamlit as st

from viewer.errors import RunError
from viewer.runs import Entry, homes, index, samples, uploaded
from viewer.session.shelf import Shelf

UPLOAD_BYTES: Final = 1_000_000_000
"""Uploaded bytes that stay in memory, of all visitors together."""


class Gone(RunError):
    """A link to a run that is not among the sources, or was uploaded and has left memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A source as the Runs page lists it: what it is called, where from, and its entries."""

    name: str
    entries: tuple[Entry, ...]
    kind: Literal["samples", "given", "local", "uploaded"]


@st.cache_resource(show_spinner=False)
def _uploads() -> Shelf[tuple[Entry, ...]]:
    return Shelf(UPLOAD_BYTES)


@st.cache_resource(show_spinner=False, ttl=60.0, max_entries=20)  # a number: for a text Streamlit loads pandas
def _entries(roots: tuple[Path, ...]) -> tuple[Entry, ...]:
    return tuple(index(roots))


def look_again() -> None:
    """Folders are looked at once a minute; this makes the next look a new one."""
    _entries.clear()


def groups() -> tuple[Group, ...]:
    """The sources of this visitor: samples, the paths of the command line, local sessions once asked for, uploads."""
    found = []
    folder = samples()
    if folder is not None:
        found.append(Group(name="Samples", entries=_entries((folder,)), kind="samples"))
    for argument in sys.argv[1:]:
        path = Path(argument).expanduser()
        found.append(Group(name=path.name or str(path), entries=_entries((path.absolute(),)), kind="given"))
    if st.session_state.get("local sessions"):
        found += [Group(name=name, entries=_entries((path,)), kind="local") for name, path in homes.found()]
    for key in st.session_state.get("uploads", ()):
        entries = _uploads().peek(key)
        if entries:
            found.append(Group(name=f"Uploaded: {_together(entries)}", entries=entries, kind="uploaded"))
    return tuple(found)


def _together(entries: Sequence[Entry]) -> str:
    files = len(entries)
    return entries[0].label.removeprefix("upload/") if files == 1 else f"{files} entries"


def add_uploads(files: Iterable[tuple[str, bytes]]) -> tuple[Entry, ...]:
    """Takes uploaded files in; the same bytes are kept once a process, the least recently used leave first."""
    held = tuple(files)
    entries = tuple(uploaded(held))
    key = tuple(entry.run_id for entry in entries)
    weight = sum(len(data) for _, data in held)
    _uploads().get(key, lambda: entries, lambda _: weight)
    keys = st.session_state.setdefault("uploads", [])
    if key not in keys:
        keys.append(key)
    return entries


def sample_runs() -> tuple[Entry, ...]:
    """The entries of the samples that are runs."""
    folder = samples()
    return tuple(entry for entry in _entries((folder,)) if entry.state == "run") if folder is not None else ()


def sample_formats() -> dict[str, str]:
    """Run id of each sample -> its format: the folders of the samples are called like their formats."""
    return {entry.run_id: entry.label.removeprefix("sample_runs/").partition("/")[0] for entry in sample_runs()}


def entry_of(stem: str) -> Entry:
    """The entry whose runs' ids begin with ``stem``, among this visitor's sources and all uploads. Raises ``Gone``."""
    for group in groups():
        for entry in group.entries:
            if entry.run_id == stem:
                return entry
    for entries in _uploads().values():  # a link that another visitor of this server shared
        for entry in entries:
            if entry.run_id == stem:
                return entry
    raise Gone(
        stem,
        "This run is not among the sources.",
        "A run of the samples, of the paths this server was started with, or one that was uploaded since it started.",
        "If it was uploaded, upload it again. If it lies in a folder, start the viewer with that folder.",
    )


def entries_of(groups: Iterable[Group]) -> Iterator[Entry]:
    """The entries of several groups, each run once."""
    seen = set()
    for group in groups:
        for entry in group.entries:
            if entry.run_id not in seen:
                seen.add(entry.run_id)
                yield entry
