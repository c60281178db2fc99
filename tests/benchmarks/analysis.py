"""Time of every analysis against the time of reading, at 5,000 and 50,000 calls.

Run: uv run python -m tests.benchmarks.analysis. Two shapes of a run: a stream without long outputs (1 kB a call, the
least that a reader can have to do) and a session file of 4 kB a call, as real ones are. Processor seconds, so that a
busy machine tells the same; after each shape a line of JSON. Linear is a ratio near 10. Reading pauses Python's cyclic
collector.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from tests.benchmarks.generate import claude_session, claude_stream
from viewer import formats
from viewer.analysis.action_log import action_log
from viewer.analysis.agentcompass import agentcompass
from viewer.analysis.errors import first_unrecovered
from viewer.analysis.headline import headline
from viewer.analysis.loops import loops, stops
from viewer.analysis.metrics import metrics
from viewer.analysis.network import network
from viewer.analysis.phases import phases
from viewer.analysis.repetition import changed_between, repetition
from viewer.collector import seldom_collect_all
from viewer.model import Trajectory
from viewer.source import Source
from viewer.tool_calls import effects

SIZES = (5_000, 50_000)
SESSION_BYTES = 4_000
"""A call. Real sessions have about 5 kB; memory of a small machine holds this."""
SHAPES: dict[str, Callable[[int], bytes]] = {
    "stream": claude_stream,
    "session": lambda calls: b"".join(claude_session(calls, calls * SESSION_BYTES)),
}
ANALYSES: tuple[Callable[[Trajectory], Any], ...] = (
    effects, metrics, repetition, changed_between, loops, stops, network, phases, first_unrecovered, agentcompass,
    headline, action_log,
)  # fmt: skip


def measured(calls: int, shape: str = "stream") -> dict[str, float]:
    """Seconds of reading and of each analysis; the first to need effects pays for them."""
    data = SHAPES[shape](calls)
    started = time.process_time()
    (run,) = formats.read(Source("generated.jsonl", data))
    seconds = {"read": time.process_time() - started}
    assert len(run.calls) == calls
    for analysis in ANALYSES:
        started = time.process_time()
        analysis(run)
        seconds[analysis.__name__] = time.process_time() - started
    seconds["all analyses"] = sum(seconds.values()) - seconds["read"]
    return seconds


def main() -> None:
    seldom_collect_all()  # as the app and the command line do
    measured(500)  # imports and regular expressions
    for shape in SHAPES:
        small, large = (measured(size, shape) for size in SIZES)
        print(f"{shape:20} {SIZES[0]:>9,} {SIZES[1]:>9,}  ratio")
        for name, seconds in large.items():
            print(f"{name:20} {small[name]:>9.3f} {seconds:>9.3f} {seconds / max(small[name], 1e-6):>6.1f}")
        print(
            json.dumps(
                {
                    "benchmark": "analysis",
                    "shape": shape,
                    "calls": SIZES,
                    "seconds": [small, large],
                    "ratio": large["all analyses"] / small["all analyses"],
                    "share_of_reading": large["all analyses"] / large["read"],
                }
            )
        )


if __name__ == "__main__":
    main()
