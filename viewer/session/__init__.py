"""What a page knows about its visitor: the query parameters, the theme, what was uploaded, and the only cache.

A run is opened once and shared by all visitors: the model is frozen, so pages keep ids and never copies.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import streamlit as st

from components.recognition import Recognition
from viewer.analysis.search import Query
from viewer.errors import RunError
from viewer.figures.theme import Theme
from viewer.figures.theme import theme as named_theme
from viewer.runs import Entry, homes, index, open_entry, samples, uploaded
from viewer.session.compared import Compared
from viewer.session.compared import compared as align_runs
from viewer.session.lines import Line, lines_of
from viewer.session.open_run import OpenRun, run_name
from viewer.session.recognised import recognised, sample_marks
from viewer.session.shelf import Shelf

__all__ = [
    "Compared",
    "Gone",
    "Group",
    "Line",
    "OpenRun",
    "add_uploads",
    "choose",
    "chosen",
    "compared",
    "current",
    "entries_of",
    "figure",
    "follows",
    "groups",
    "keep_window",
    "known_lines",
    "lines",
    "load",
    "neighbours",
    "query",
    "question",
    "questions",
    "remember",
    "run_ids",
    "run_name",
    "sample_formats",
    "theme",
    "window_start",
]

OPEN_BYTES: Final = 1_500_000_000
"""Source bytes of the runs that stay open."""
UPLOAD_BYTES: Final = 1_000_000_000
LINES: Final = 50_000
"""Entries whose table lines are kept."""
FIGURES: Final = 64
COMPARISONS: Final = 8
FOLLOWING: Final = ("Conversation",)
"""Panels that show the selected call, so that they follow it."""


class Gone(RunError):
    """A link to a run that is not among the sources, or was uploaded and has left memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A source as the Runs page lists it: what it is called, where from, and its entries."""

    name: str
    entries: tuple[Entry, ...]
    kind: Literal["samples", "given", "local", "uploaded"]


@st.cache_resource(show_spinner=False)
def _opened() -> Shelf[tuple[OpenRun, ...]]:
    return Shelf(OPEN_BYTES)


@st.cache_resource(show_spinner=False)
def _lines() -> Shelf[tuple[Line, ...]]:
    return Shelf(LINES)


@st.cache_resource(show_spinner=False)
def _uploads() -> Shelf[tuple[Entry, ...]]:
    return Shelf(UPLOAD_BYTES)


@st.cache_resource(show_spinner=False)
def _compared() -> Shelf[Compared]:
    return Shelf(COMPARISONS)


@st.cache_resource(show_spinner=False)
def _figures() -> Shelf[Any]:
    return Shelf(FIGURES)


@st.cache_resource(show_spinner=False, ttl="10m", max_entries=20)
def _entries(roots: tuple[Path, ...]) -> tuple[Entry, ...]:
    return tuple(index(roots))


# -- sources -------------------------------------------------------------------------------------------------------


def groups(*, again: bool = False) -> tuple[Group, ...]:
    """The sources of this visitor: samples, the paths of the command line, local sessions once asked for, uploads.

    ``again`` looks at the folders anew; otherwise they are looked at every ten minutes.
    """
    if again:
        _entries.clear()
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


def sample_formats() -> dict[str, str]:
    """Run id of each sample -> its format. The folders of the samples are called like their formats."""
    folder = samples()
    entries = _entries((folder,)) if folder is not None else ()
    return {entry.run_id: _folder(entry) for entry in entries if entry.state == "run"}


def _folder(entry: Entry) -> str:
    return entry.label.removeprefix("sample_runs/").partition("/")[0]


def question(files: Iterable[tuple[str, bytes]]) -> None:
    """Files of which a visitor asks why they were not recognised."""
    st.session_state["questions"] = [entry.run_id for entry in add_uploads(files)]


def questions() -> tuple[Recognition, ...]:
    """The answers, one an entry."""
    found = []
    for stem in st.session_state.get("questions", ()):
        try:
            entry = _entry(stem)
        except Gone:
            continue
        try:
            found.append(recognised(entry, _marks(), _open(entry), None))
        except RunError as error:
            found.append(recognised(entry, _marks(), (), error))
    return tuple(found)


@st.cache_resource(show_spinner=False)
def _marks() -> dict[str, frozenset[str]]:
    folder = samples()
    entries = _entries((folder,)) if folder is not None else ()
    return sample_marks((_folder(entry), entry) for entry in entries if entry.state == "run")


def _entry(stem: str) -> Entry:
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


# -- runs ----------------------------------------------------------------------------------------------------------


def load(run_id: str) -> OpenRun:
    """The run of this id, open. Raises ``RunError`` with what was found, what was expected and what to do."""
    stem, _, ordinal = run_id.partition(".")
    runs = _open(_entry(stem))
    for run in runs:
        if run.run_id == run_id:
            return run
    if not ordinal and runs:
        return runs[0]
    raise Gone(run_id, f"The file has no run {run_id!r}; it holds {len(runs)}.", "", "Choose a run on the page Runs.")


def _open(entry: Entry) -> tuple[OpenRun, ...]:
    def make() -> tuple[OpenRun, ...]:
        source, found = open_entry(entry)
        siblings = tuple(run.run_id for run in found)
        return tuple(OpenRun(entry=entry, source=source, trajectory=run, siblings=siblings) for run in found)

    return _opened().get(_stamp(entry), make, lambda runs: sum(run.source.size for run in runs[:1]))


def _stamp(entry: Entry) -> tuple[object, ...]:
    return entry.run_id, entry.size, entry.modified


def lines(entry: Entry) -> tuple[Line, ...]:
    """The table lines of an entry: one a run, or one with the reason why there is none. Reads it when needed."""
    return _lines().get(_stamp(entry), lambda: lines_of(entry, lambda: _open(entry)), lambda _: 1)


def known_lines(entry: Entry) -> tuple[Line, ...] | None:
    """The same if the entry was read before; None otherwise."""
    return _lines().peek(_stamp(entry))


def compared(runs: tuple[OpenRun, ...]) -> Compared:
    """Two to four runs aligned, once for all visitors. Raises ``CannotCompare``."""
    key = tuple((run.run_id, id(run.source)) for run in runs)
    return _compared().get(key, lambda: align_runs(runs), lambda _: 1)


def run_ids() -> tuple[str, ...]:
    """The runs the URL names, in order, each once."""
    return tuple(dict.fromkeys(st.query_params.get_all("run")))


# -- what was chosen -----------------------------------------------------------------------------------------------


def choose(name: str, number: int | None, scope: str) -> None:
    """Remember a 0-based choice (a call, a row) for this visitor; the URL follows when the page runs.

    Fit for callbacks: nothing here can be broken off by the next rerun.
    """
    st.session_state[f"{name} chosen"] = (scope, number)


def chosen(name: str, scope: str, count: int, default: int | None) -> int | None:
    """The 0-based choice among ``count``, from the latest of: a click or a key, the URL, the default.

    ``scope`` is what the choice belongs to (the run's id). Writes it to the URL, counted from 1.
    """
    written = st.query_params.get(name)
    scope_then, remembered = st.session_state.get(f"{name} chosen", (None, None))
    if scope_then != scope or written != st.session_state.get(f"{name} published"):
        remembered = _index(written)
    number: int | None = remembered
    if number is None or not 0 <= number < count:
        number = default if default is not None and 0 <= default < count else None
    choose(name, number, scope)
    word = None if number is None else str(number + 1)
    if word != written:
        if word is None:
            del st.query_params[name]
        else:
            st.query_params[name] = word
    st.session_state[f"{name} published"] = word
    return number


def current(name: str, scope: str) -> int | None:
    """The choice as the page last showed it; fit for callbacks and for parts that only follow."""
    then, number = st.session_state.get(f"{name} chosen", (None, None))
    return int(number) if then == scope and number is not None else None


def follows(selected: int) -> bool:
    """True when the open panel shows the selected call and has not been told of it yet."""
    stale = st.session_state.get("tab") in FOLLOWING and st.session_state.get("panel shows") != selected
    st.session_state["panel shows"] = selected
    return stale


def query() -> Query:
    """What is searched for, from the widgets that the URL is bound to; fit for callbacks."""
    state = st.session_state
    return Query(
        pattern=state.get("q") or "",
        kinds=tuple(state.get("kind") or ()),
        states=tuple(state.get("state") or ()),
        agents=tuple(state.get("agent") or ()),
    )


def remember(run: OpenRun) -> None:
    """The page Run without a run in its address opens this one; so does Compare with the last two."""
    last = [run.run_id, *(found for found in st.session_state.get("last runs", ()) if found != run.run_id)]
    st.session_state["last runs"] = last[:4]
    if run_ids() != (run.run_id,):
        st.query_params["run"] = run.run_id


def neighbours(run: OpenRun) -> tuple[tuple[str, str], ...]:
    """(run id, name) of the other runs of the same file, then of those beside it that were read before."""
    found = [(sibling, run_name(run.entry, sibling)) for sibling in run.siblings if sibling != run.run_id]
    for group in groups():
        if any(entry.run_id == run.entry.run_id for entry in group.entries):
            for entry in group.entries:
                if entry.state == "run" and entry.run_id != run.entry.run_id:
                    found.append((entry.run_id, run_name(entry)))
    return tuple(found[:30])


def figure(run: OpenRun, key: Hashable, build: Callable[..., Any], **how: Any) -> Any:
    """A figure of a run in the visitor's theme, built once for all visitors."""
    colours = theme()
    return _figures().get(
        (run.run_id, id(run.source), colours.name, key), lambda: build(run.trajectory, colours, **how), lambda _: 1
    )


def window_start(scope: str) -> int | None:
    """Where the graph's window begins, as last kept or as the URL says (``at``, counted from 1)."""
    then, start = st.session_state.get("window", (None, None))
    return int(start) if then == scope else _index(st.query_params.get("at"))


def keep_window(scope: str, start: int) -> None:
    """The window begins here; the URL says so, too."""
    st.session_state["window"] = (scope, start)
    if st.query_params.get("at") != str(start + 1):
        st.query_params["at"] = str(start + 1)


def _index(written: str | None) -> int | None:
    """The 0-based number that a query parameter spells; None for anything else a link may hold."""
    return int(written) - 1 if written is not None and re.fullmatch("[1-9][0-9]{0,8}", written) else None


def theme() -> Theme:
    """The colours that the visitor's browser shows."""
    return named_theme(st.context.theme.type)


def entries_of(groups: Iterable[Group]) -> Iterator[Entry]:
    """The entries of several groups, each run once."""
    seen = set()
    for group in groups:
        for entry in group.entries:
            if entry.run_id not in seen:
                seen.add(entry.run_id)
                yield entry
