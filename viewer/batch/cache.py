"""Facts of runs on disk, so that a second look reads only what changed.

One SQLite file in the user's cache folder; ``TRAJECTORY_VIEWER_CACHE`` names another folder, or ``off``. A row is
keyed by root, path and run id, and holds for the sizes and times of all files of the run, for what lies beside it, and
for this very program: a changed reader or rule reads anew. Writes are transactions, so a process killed in the middle
loses at most its last few runs; a file that is no database any more is thrown away. The rows quote traces (error
texts, commands): the folder is readable for its owner only.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

import viewer
from viewer.batch.run_facts import RunFacts
from viewer.collector import no_collector
from viewer.runs import Entry

VARIABLE: Final = "TRAJECTORY_VIEWER_CACHE"
KEPT: Final = 200_000
"""Entries that stay, the newest."""
_NAME: Final = "batch.sqlite3"
_CHUNK: Final = 500
_ROOMS: Final = ("views", "session", "figures", "graphs", "comparison", "command_line")
"""Rooms that no fact depends on."""
_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(tuple[RunFacts, ...])


def folder() -> Path | None:
    """The cache folder by the habits of the system; None when it is switched off."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return None if named.strip().lower() in ("", "off", "0", "none") else Path(named).expanduser()
    if sys.platform == "win32":
        above = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        above = Path.home() / "Library" / "Caches"
    else:
        above = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return above / "trajectory-viewer"


class Cache:
    """What was learned of entries before. A cache that cannot be read or written is an empty one, never an error.

    Fit for several processes at once: readers never wait, writers wait at most two seconds and then go without.
    """

    def __init__(self, place: Path | None) -> None:
        self._place = place
        self._open: sqlite3.Connection | None = None
        if place is not None:
            try:
                place.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._open = _opened(place / _NAME)
            except (OSError, sqlite3.Error):
                self._open = None

    def known(self, entries: Sequence[Entry]) -> dict[str, tuple[RunFacts, ...]]:
        """Entry's run id -> its facts, for those whose files are as they were."""
        stamps = {key: (entry, own) for entry in entries if (own := stamp(entry)) for key in (_key(entry),)}
        found: dict[str, tuple[RunFacts, ...]] = {}
        keys = list(stamps)
        with no_collector():
            for at in range(0, len(keys), _CHUNK):
                for key, written, value in self._rows(keys[at : at + _CHUNK]):
                    entry, own = stamps[key]
                    if written == own:
                        try:
                            found[entry.run_id] = _DECODER.decode(value)
                        except (msgspec.MsgspecError, ValueError):
                            continue  # reads anew, and is written over
        return found

    def keep(self, learned: Iterable[tuple[Entry, tuple[RunFacts, ...]]]) -> None:
        """Writes them in one transaction. Entries that are not on disk are left out."""
        rows = [
            (_key(entry), own, _ENCODER.encode(found), time.time())
            for entry, found in learned
            if (own := stamp(entry)) is not None
        ]
        if self._open is None or not rows:
            return
        try:
            with self._open:
                self._open.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)", rows)
        except sqlite3.Error:
            self.close()

    def close(self) -> None:
        """Drops the oldest entries over the limit and lets go of the file."""
        if self._open is None:
            return
        try:
            with self._open:
                self._open.execute(
                    "DELETE FROM facts WHERE key IN (SELECT key FROM facts ORDER BY written DESC LIMIT -1 OFFSET ?)",
                    (KEPT,),
                )
        except sqlite3.Error:
            pass
        self._open.close()
        self._open = None

    def _rows(self, keys: Sequence[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        if self._open is None:
            return []
        marks = ",".join("?" * len(keys))
        try:
            return self._open.execute(f"SELECT key, stamp, value FROM facts WHERE key IN ({marks})", keys).fetchall()
        except sqlite3.Error:
            return []


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _made(path)
    except sqlite3.OperationalError:
        raise  # locked, or not writable: somebody else's
    except sqlite3.DatabaseError:  # no database, or a broken one
        for beside in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            beside.unlink(missing_ok=True)
        return _made(path)


def _made(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=2.0, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS facts (key BLOB PRIMARY KEY, stamp BLOB NOT NULL, value BLOB NOT NULL, "
            "written REAL NOT NULL)"
        )
        connection.execute("CREATE INDEX IF NOT EXISTS by_age ON facts (written)")
        connection.commit()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _key(entry: Entry) -> bytes:
    named = (str(entry.place.root), entry.place.archive or "", entry.path, entry.run_id, entry.label)
    return _digest("\0".join(named))


def stamp(entry: Entry) -> bytes | None:
    """A digest of all that an entry's facts depend on; None for what is not on disk, or not there any more."""
    root = entry.place.root
    if root is None:
        return None
    files = (
        (entry.place.archive,)
        if entry.place.archive is not None
        else (*entry.paths, *entry.companions, *entry.views)
        if entry.state == "run"
        else ()
    )
    parts: list[object] = [
        program(), entry.paths, entry.companions, entry.views, entry.facts, entry.state, entry.reason, entry.size,
    ]  # fmt: skip
    try:
        for name in files:
            state = (root / name).stat()
            parts.append((state.st_size, state.st_mtime_ns, state.st_ino))
    except (OSError, ValueError):
        return None
    return _digest(repr(parts))


@lru_cache(maxsize=1)
def program() -> str:
    """A digest of the source of every room that facts depend on."""
    package = Path(viewer.__file__).parent
    digest = blake2b(sys.version.encode(), digest_size=16)
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] not in _ROOMS:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).digest()
