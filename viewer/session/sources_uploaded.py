"""What this visitor uploaded: each uploader's present files, and those of uploaders that left the screen since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from viewer.runs import Entry, summary, uploaded
from viewer.session.shelf import Shelf

UPLOAD_BYTES: Final = 1_000_000_000
"""Uploaded bytes that stay in memory, of all visitors together."""
NAMED: Final = 3
"""Files that are named in one sentence, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """What an uploader held at one time. ``entries`` has the newest file first."""

    names: tuple[str, ...]
    """The newest first."""
    entries: tuple[Entry, ...]
    without_run: tuple[str, ...]
    """At most ``NAMED`` of the files that became no entry: name and reason."""


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf[Upload]:
    """All uploads of all visitors: a link to a run opens as long as its bytes are among them."""
    return Shelf(UPLOAD_BYTES)


def take(uploader: str, files: Iterable[tuple[str, bytes]]) -> tuple[Entry, ...]:
    """The files that an uploader holds now, in place of those it held; none at all when it was emptied."""
    held = tuple(files)
    current: dict[str, tuple[str, ...]] = st.session_state.setdefault("uploads", {})
    current.pop(uploader, None)
    st.session_state["upload edition"] = edition() + 1
    if not held:
        return ()
    entries = tuple(uploaded(held))
    names = tuple(name for name, _ in held)
    key = (*names, *(entry.run_id for entry in entries))
    upload = shelf().get(key, lambda: _upload(held, entries), lambda _: sum(len(data) for _, data in held))
    current[uploader] = key  # at the end: the newest
    return upload.entries


def fresh(uploader: str) -> None:
    """An uploader that came back to the screen is empty; what it held before stays, and no longer follows it."""
    key = st.session_state.get("uploads", {}).pop(uploader, None)
    if key is not None:
        st.session_state["earlier uploads"] = [key, *earlier()]


def earlier() -> list[tuple[str, ...]]:
    """Keys of what stays without an uploader that shows it, the newest first."""
    return list(st.session_state.get("earlier uploads", ()))


def forget_earlier() -> None:
    """Takes them off the list; links to their runs open while the bytes are in memory."""
    st.session_state["earlier uploads"] = []
    st.session_state["upload edition"] = edition() + 1


def edition() -> int:
    """A number that differs after every change of the uploads."""
    return int(st.session_state.get("upload edition", 0))


def uploads() -> tuple[Upload, ...]:
    """All of this visitor that are in memory, the newest first."""
    keys = [*reversed(st.session_state.get("uploads", {}).values()), *earlier()]
    found = (shelf().peek(key) for key in dict.fromkeys(keys))
    return tuple(upload for upload in found if upload is not None)


def _upload(held: tuple[tuple[str, bytes], ...], entries: tuple[Entry, ...]) -> Upload:
    names = tuple(dict.fromkeys(name for name, _ in reversed(held)))
    rank = {name: at for at, name in enumerate(names)}

    def place(entry: Entry) -> int:
        return rank.get(entry.path if entry.place.name == "upload" else entry.place.name, len(rank))

    return Upload(names=names, entries=tuple(sorted(entries, key=place)), without_run=_without_run(held, entries))


def _without_run(held: tuple[tuple[str, bytes], ...], entries: tuple[Entry, ...]) -> tuple[str, ...]:
    if not any(entry.state == "other" and entry.place.name == "upload" for entry in entries):
        return ()
    used = {path for entry in entries for path in (*entry.paths, *entry.companions, *entry.views)}
    archives = {entry.place.name for entry in entries}
    found: list[str] = []
    for name, data in held:
        if name in used or name in archives or len(found) == NAMED:
            continue
        alone = next(iter(uploaded([(name, data)])), None)
        reason = (summary(alone)[0].reason or "").partition(". ")[0] if alone else ""
        found.append(f"{name}: {reason[:1].lower()}{reason[1:]}" if reason else name)
    return tuple(found)
