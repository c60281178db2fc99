"""How long a folder of runs takes at the first and at the second look.

``uv run python -m tests.benchmarks.batch [RUNS]`` makes a folder of so many trials (1,000 by default) of 5 to 50
calls, reads it without and with what is remembered, with one changed run, and on one core; prints a table and one JSON
object. Wall time: processes share the work.
"""

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.generate import claude_stream
from viewer.batch import batch
from viewer.batch.cache import Cache
from viewer.batch.reading import collect
from viewer.runs import index

RUNS = 1_000
SIZES = (5, 10, 20, 30, 50)


def write(root: Path, runs: int) -> int:
    """Trials as benchmarks leave them: a stream and a reward. Returns the bytes written."""
    chance = random.Random(11)
    size = 0
    streams = [claude_stream(calls, seed) for calls in SIZES for seed in range(8)]
    for number in range(runs):
        trial = root / f"task-{number // 5:05d}__{number:06d}"
        (trial / "agent").mkdir(parents=True)
        data = chance.choice(streams)
        (trial / "agent" / "claude.jsonl").write_bytes(data)
        (trial / "reward.txt").write_text(chance.choice("01"))
        size += len(data)
    return size


def look(root: Path, cache: Path | None, workers: int | None = None) -> dict[str, float]:
    """Seconds of finding the entries, of their facts, and of counting."""
    seconds: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        found = work()
        seconds[name] = time.perf_counter() - started
        return found

    entries = timed("find", lambda: list(index([root])))
    held = Cache(cache)
    facts = timed("read", lambda: [one for _, found in collect(entries, cache=held, workers=workers) for one in found])
    held.close()
    timed("count", lambda: batch(facts, dimensions=("harness",)))
    seconds["all"] = sum(seconds.values())
    return seconds


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "results", Path(folder) / "cache"
        size = write(root, runs)
        looks = {"first look": look(root, cache), "second look": look(root, cache)}
        changed = next(root.iterdir()) / "reward.txt"
        changed.write_text(changed.read_text() + "\n")
        looks["one changed"] = look(root, cache)
        looks["first look, one core"] = look(root, None, 0)
    print(f"{runs:,} runs, {size / 1e6:,.1f} MB, {os.cpu_count()} cores")
    print(f"{'':22}{'find':>8}{'read':>8}{'count':>8}{'all':>8}  seconds")
    for name, seconds in looks.items():
        print(f"{name:22}" + "".join(f"{seconds[part]:8.2f}" for part in ("find", "read", "count", "all")))
    print(json.dumps({"benchmark": "batch", "runs": runs, "bytes": size, "seconds": looks}))


if __name__ == "__main__":
    main()
