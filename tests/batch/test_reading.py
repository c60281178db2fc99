"""Many entries to facts: the same in parallel and alone, remembered on disk, stopped, killed, broken."""

import shutil
import sqlite3
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from tests.places import ROOT
from viewer.batch import cache as cache_module
from viewer.batch.cache import Cache, folder, stamp
from viewer.batch.reading import collect
from viewer.batch.run_facts import RunFacts, facts
from viewer.runs import Entry, index, samples, uploaded

SOURCE = ROOT / "sample_runs" / "actf"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A copy of the sample results that a test may change."""
    copy = tmp_path / "results"
    shutil.copytree(SOURCE, copy)
    return copy


def read(root: Path, cache: Cache | None = None, workers: int | None = 0) -> dict[str, tuple[RunFacts, ...]]:
    return {entry.run_id: found for entry, found in collect(list(index([root])), cache=cache, workers=workers)}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The labels of the entries that were really read."""
    seen: list[str] = []

    def counting(entry: Entry) -> tuple[RunFacts, ...]:
        seen.append(entry.label)
        return facts(entry)

    monkeypatch.setattr("viewer.batch.reading.facts", counting)
    return seen


def test_processes_find_the_same(results: Path) -> None:
    assert read(results, workers=2) == read(results, workers=0)


def test_uploads_are_read_here_and_leave_nothing_on_disk(tmp_path: Path) -> None:
    entries = list(uploaded([("good.jsonl", (ROOT / "sample_runs/claude_code_stream_json/good.jsonl").read_bytes())]))
    held = Cache(tmp_path)
    ((entry, found),) = collect(entries, cache=held, workers=2)
    assert found[0].row.calls == 6
    assert stamp(entry) is None and held.known(entries) == {}


def test_the_second_look_reads_nothing(results: Path, tmp_path: Path, counted: list[str]) -> None:
    first = read(results, Cache(tmp_path / "cache"))
    assert len(counted) == len(first) > 10
    counted.clear()
    assert read(results, Cache(tmp_path / "cache")) == first
    assert counted == []


def test_a_second_look_reads_what_changed_and_nothing_else(results: Path, tmp_path: Path, counted: list[str]) -> None:
    read(results, Cache(tmp_path / "cache"))
    counted.clear()
    changed = next(results.rglob("normal/fix-median--*/attempt-1/result.json"))
    changed.write_bytes(changed.read_bytes() + b"\n")
    read(results, Cache(tmp_path / "cache"))
    assert [label for label in counted if "fix-median--" not in label or "attempt-1" not in label] == []
    assert len(counted) == 1


def test_what_lies_beside_a_run_counts_too(tmp_path: Path, counted: list[str]) -> None:
    trial = tmp_path / "job" / "task__1"
    (trial / "agent").mkdir(parents=True)
    shutil.copy(ROOT / "sample_runs/claude_code_stream_json/good.jsonl", trial / "agent" / "claude.jsonl")
    (trial / "reward.txt").write_text("1")
    read(tmp_path / "job", Cache(tmp_path / "cache"))
    (trial / "reward.txt").write_text("0")
    (found,) = read(tmp_path / "job", Cache(tmp_path / "cache")).values()
    assert found[0].row.outcome == "failed"
    assert len(counted) == 2


def test_another_program_reads_anew(
    results: Path, tmp_path: Path, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(results, Cache(tmp_path / "cache"))
    counted.clear()
    monkeypatch.setattr(cache_module, "program", lambda: "another version")
    read(results, Cache(tmp_path / "cache"))
    assert len(counted) == len(first)


@pytest.mark.parametrize("damage", [b"", b"no database at all", b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_broken_cache_is_an_empty_one(results: Path, tmp_path: Path, damage: bytes) -> None:
    place = tmp_path / "cache"
    expected = read(results, Cache(place))
    (place / "batch.sqlite3").write_bytes(damage)
    assert read(results, Cache(place)) == expected
    assert read(results, Cache(place)) == expected


def test_a_broken_row_is_read_anew(results: Path, tmp_path: Path) -> None:
    place = tmp_path / "cache"
    expected = read(results, Cache(place))
    with sqlite3.connect(place / "batch.sqlite3") as open_:
        open_.execute("UPDATE facts SET value = x'93'")
    assert read(results, Cache(place)) == expected


def test_a_cache_that_cannot_be_written_is_none(results: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert read(results, Cache(tmp_path / "file" / "below"))


def test_only_its_owner_reads_the_cache(tmp_path: Path) -> None:
    Cache(tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("off", "", "0"):
        monkeypatch.setenv(cache_module.VARIABLE, word)
        assert folder() is None
    monkeypatch.setenv(cache_module.VARIABLE, "/somewhere")
    assert folder() == Path("/somewhere")
    monkeypatch.delenv(cache_module.VARIABLE)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/home/me/caches")
    assert folder() == Path("/home/me/caches/trajectory-viewer")


@pytest.mark.parametrize("workers", [0, 2])
def test_stopping_keeps_what_was_learned(results: Path, tmp_path: Path, workers: int) -> None:
    held = Cache(tmp_path / "cache")
    entries = list(index([results]))
    reading = collect(entries, cache=held, workers=workers)
    three = list(islice(reading, 3))
    reading.close()
    known = held.known(entries)
    assert {entry.run_id for entry, _ in three} <= known.keys()
    assert len(known) < len(entries) - 1


def test_progress_ends_at_all(results: Path) -> None:
    told: list[tuple[int, int]] = []
    found = list(collect(list(index([results])), workers=0, progress=lambda done, total: told.append((done, total))))
    assert told[0] == (0, len(found))
    assert told[-1] == (len(found), len(found))


def test_a_process_that_dies_costs_one_entry(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker killed by the system (out of memory): its entry says so, the others are read."""
    deadly = (
        "import os, sys\n"
        "from viewer.batch import run_facts as facts, worker\n"
        "real = facts.open_entry\n"
        "def dying(entry):\n"
        "    if 'fix-median-timeout' in entry.label and 'attempt-2' in entry.label:\n"
        "        print('MemoryError: too much', file=sys.stderr, flush=True)\n"
        "        os._exit(9)\n"
        "    return real(entry)\n"
        "facts.open_entry = dying\n"
        "worker.main()\n"
    )
    monkeypatch.setattr("viewer.batch.reading.COMMAND", (sys.executable, "-c", deadly))
    found = read(results, workers=2)
    expected = read(results, workers=0)
    assert found.keys() == expected.keys()
    lost = [key for key in found if found[key] != expected[key]]
    assert len(lost) == 1
    assert found[lost[0]][0].standing == "unreadable"
    assert "MemoryError: too much" in (found[lost[0]][0].row.reason or "")


def test_killed_in_the_middle_the_cache_is_whole(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "program", lambda: "this one")
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from viewer.batch import cache as module\n"
        "module.program = lambda: 'this one'\n"
        "Cache = module.Cache\n"
        "from viewer.batch.reading import collect\n"
        "from viewer.runs import index\n"
        "cache = Cache(Path(sys.argv[2]))\n"
        "for number, learned in enumerate(collect(list(index([Path(sys.argv[1])])), workers=0)):\n"
        "    cache.keep([learned])\n"
        "    if number == 5: os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(results), str(tmp_path / "cache")], cwd=ROOT, check=False, timeout=60
    )
    assert done.returncode == -9
    held = Cache(tmp_path / "cache")
    assert len(held.known(list(index([results])))) == 6
    assert read(results, held) == read(results)


def test_the_samples_have_no_unreadable_run() -> None:
    place = samples()
    assert place is not None
    assert [one.row.label for found in read(place).values() for one in found if one.standing == "unreadable"] == []
