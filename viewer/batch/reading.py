"""Many entries to facts: what is known from disk at once, the rest in parallel, streaming, and it can be stopped."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock
from time import monotonic
from typing import Final, TypeAlias

import viewer
from viewer.batch.cache import Cache
from viewer.batch.run_facts import RunFacts, facts, without_run
from viewer.runs import Entry

Learned: TypeAlias = tuple[Entry, tuple[RunFacts, ...]]
FEW_ENTRIES: Final = 64
FEW_BYTES: Final = 8_000_000
"""Below both, starting processes costs more than it saves."""
COMMAND: Final = (sys.executable, "-m", "viewer.batch.worker")
_WRITE_EVERY: Final = 1.0
"""Seconds between writes to the cache."""


def collect(
    entries: Sequence[Entry],
    *,
    cache: Cache | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Generator[Learned, None, None]:
    """Yields (entry, facts) as they come: the known ones first, then in the order in which reading ends.

    ``workers`` processes, by default one a core; 0 reads in this one. ``progress`` gets (done, total), at least once a
    second where processes read. Closing the iterator stops it: the processes end, and what was learned so far is in
    the cache. A process that dies (out of memory, say) costs the entry it was reading, which says so.
    """
    wanted = [entry for entry in entries if entry.state != "other"]
    known = cache.known(wanted) if cache is not None else {}
    total, done = len(wanted), 0
    unknown = []
    for entry in wanted:
        found = known.get(entry.run_id)
        if found is None:
            unknown.append(entry)
            continue
        done += 1
        yield entry, found
    if progress is not None:
        progress(done, total)
    waiting: list[Learned] = []
    written = monotonic()
    with closing(_read(unknown, workers)) as reading:
        try:
            for learned in reading:
                if learned is None:  # nothing for a second: whoever watches may want to stop
                    if progress is not None:
                        progress(done, total)
                    continue
                done += 1
                waiting.append(learned)
                yield learned
                if progress is not None:
                    progress(done, total)
                if cache is not None and monotonic() - written > _WRITE_EVERY:
                    cache.keep(waiting)
                    waiting, written = [], monotonic()
        finally:
            if cache is not None:
                cache.keep(waiting)


def _read(entries: Sequence[Entry], workers: int | None) -> Generator[Learned | None, None, None]:
    held = [entry for entry in entries if entry.place.root is None]
    on_disk = [entry for entry in entries if entry.place.root is not None]
    few = len(on_disk) < FEW_ENTRIES and sum(entry.size for entry in on_disk) < FEW_BYTES
    count = (0 if few else os.cpu_count() or 1) if workers is None else workers
    if count < 1 or not on_disk:
        for entry in entries:
            yield entry, facts(entry)
        return
    for entry in held:  # uploaded bytes stay in this process
        yield entry, facts(entry)
    yield from _in_parallel(on_disk, min(count, len(on_disk)))


def _in_parallel(entries: Sequence[Entry], count: int) -> Generator[Learned | None, None, None]:
    # the largest first, or the last process would read it alone
    todo = iter(sorted(entries, key=lambda entry: -entry.size))
    lock, stop = Lock(), Event()
    results: SimpleQueue[Learned] = SimpleQueue()
    processes = [_Process() for _ in range(count)]

    def feed(process: _Process) -> None:
        while not stop.is_set():
            with lock:
                entry = next(todo, None)
            if entry is None:
                return
            results.put((entry, process.ask(entry)))

    with ThreadPoolExecutor(count, thread_name_prefix="batch") as threads:
        try:
            fed = [threads.submit(feed, process) for process in processes]
            for _ in entries:
                while True:
                    try:
                        learned = results.get(timeout=1.0)
                        break
                    except Empty:
                        for thread in fed:
                            if thread.done():
                                thread.result()  # raises what ended it
                        yield None
                yield learned
        finally:
            stop.set()
            for process in processes:
                process.end()


class _Process:
    """A worker process, started when first asked and again when it died."""

    def __init__(self) -> None:
        self._running: subprocess.Popen[bytes] | None = None
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process may
        self._ended = False
        self._lock = Lock()

    def ask(self, entry: Entry) -> tuple[RunFacts, ...]:
        """The facts of an entry; if the process dies on it, one that says so."""
        try:
            running = self._started()
            assert running.stdin is not None and running.stdout is not None
            pickle.dump(entry, running.stdin, pickle.HIGHEST_PROTOCOL)
            running.stdin.flush()
            found: tuple[RunFacts, ...] = pickle.load(running.stdout)
            return found
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            return (without_run(entry, "broken", f"Reading it ended the process that did: {self._last_words()}"),)

    def end(self) -> None:
        """Kills it; nothing it was doing is lost, since it only reads."""
        with self._lock:
            self._ended = True
            if self._running is not None:
                self._running.kill()
                self._running.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._ended:
                raise OSError("stopped")
            if self._running is None or self._running.poll() is not None:
                above = str(Path(viewer.__file__).resolve().parents[1])  # a bare clone is not installed
                paths = os.pathsep.join(path for path in (above, os.environ.get("PYTHONPATH")) if path)
                self._running = subprocess.Popen(
                    COMMAND,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._complaints,
                    env={**os.environ, "PYTHONPATH": paths},
                )
            return self._running

    def _last_words(self) -> str:
        status = self._running.wait() if self._running is not None else None
        self._running = None
        end = self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, end - 4_000))
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        self._complaints.seek(0, os.SEEK_END)
        return (lines[-1][:300] if lines else f"status {status}") + "."
