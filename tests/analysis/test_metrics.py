"""The numbers of a run, counted by hand."""

from dataclasses import replace

import pytest

from tests.trajectories import By, Say, User, trajectory
from viewer.analysis.clock import clock, tool_time
from viewer.analysis.metrics import Metrics, backedge_fraction, metrics
from viewer.model import Trajectory, Usage


def values(found: Metrics) -> dict[str, int | float | None]:
    return {item.key: item.value for item in found.items}


def test_counts() -> None:
    found = metrics(
        trajectory(
            User("Fix it."),
            ("Read a.py", "bash grep x a.py => exit 1"),
            "Read b.py => error",
            By("sub", "Read a.py"),
            By(None, "Read c.py", line="abandoned"),
            By(None, "Read d.py", line="inherited"),
            User("Go on."),
            Say("Done."),
        )
    )
    assert {key: value for key, value in values(found).items() if value is not None} == {
        "calls": 4, "steps": 4, "turns": 2, "errors": 1, "checks": 1, "distinct": 3, "distinct_ratio": 0.75,
        "backedge_fraction": 0.0, "sub_agent": 1, "abandoned": 1, "inherited": 1,
    }  # fmt: skip
    assert (found["errors"].calls, found["checks"].calls, found["turns"].steps) == ((2,), (1,), (0, 6))
    assert found.states == (("ok", 2), ("error", 2))
    assert found.phases == "L3"
    assert found.first_unrecovered == 2


def test_every_number_says_what_it_means() -> None:
    for item in metrics(trajectory("Read a")).items:
        assert item.definition.endswith(".")
        assert item.label


def test_what_is_not_recorded_is_none() -> None:
    found = values(metrics(trajectory("Read a")))
    missing = {"input_tokens", "cost", "wall", "model_time", "tool_time", "idle", "waiting", "context", "turns"}
    assert {key for key in missing if found[key] is not None} == set()
    assert values(metrics(trajectory()))["distinct_ratio"] is None


def test_tokens_come_with_their_rule() -> None:
    run = trajectory("Read a", usage=Usage(input_tokens=5, output_tokens=0, rule="as told"), cost=0.25)
    found = metrics(run)
    assert (found["input_tokens"].value, found["input_tokens"].note) == (5, "as told")
    assert found["output_tokens"].value == 0
    assert (found["cached_tokens"].value, found["cached_tokens"].note) == (None, "")
    assert found["cost"].value == 0.25


def test_context_is_the_main_agents() -> None:
    found = metrics(trajectory(Say("a", context=10), By("sub", Say("b", context=99)), Say("c", context=30), Say("d")))
    assert [(size.step, size.tokens) for size in found.context] == [(0, 10), (2, 30)]
    assert (found["context"].value, found["context"].steps) == (30, (2,))


class TestBackedges:
    @pytest.mark.parametrize(
        ("names", "fraction"),
        [("a", None), ("ab", 0.0), ("aa", 1.0), ("abab", 1 / 3), ("aba", 0.5), ("abcbc", 0.25)],
    )
    def test_fraction(self, names: str, fraction: float | None) -> None:
        """A move back goes to the same call, or to one first made before; forward again is forward."""
        found = backedge_fraction(trajectory(*[f"Read {name}" for name in names]))
        assert found == (fraction if fraction is None else pytest.approx(fraction))


class TestFiles:
    def test_by_effect_with_counts(self) -> None:
        run = trajectory(
            "Read /w/a.py", "bash cat a.py", "Read /w/b.py => error", "bash sed -i s/x/y/ a.py", "Edit /w/a.py 1",
            "Write /w/c.py 1 => error", "Edit /w/b.py 1", directory="/w",
        )  # fmt: skip
        found = metrics(run)
        assert [(use.path, use.calls, use.failed) for use in found.read] == [("a.py", (0, 1), ()), ("b.py", (), (2,))]
        assert [(use.path, use.calls, use.failed) for use in found.edited] == [
            ("a.py", (3, 4), ()), ("b.py", (6,), ()), ("c.py", (), (5,)),
        ]  # fmt: skip


class TestTests:
    @pytest.mark.parametrize(
        ("outcome", "result"),
        [
            ("ok OK", "passed"),
            ("exit 1 FAILED", "failed"),
            ("ok FAILED: see above", "suspect"),
            ("exit 127 pytest: command not found", "broken"),
            ("timeout", "broken"),
            ("nothing", "broken"),
        ],
    )
    def test_last_result(self, outcome: str, result: str) -> None:
        found = metrics(trajectory("bash pytest => exit 1 FAILED", "Read a", f"bash pytest -q => {outcome}")).tests
        assert (found.calls, found.last, found.last_result) == ((0, 2), 2, result)
        assert found.failed == 1 + (result == "failed")

    def test_none(self) -> None:
        found = metrics(trajectory("Read test_stats.py")).tests
        assert (found.calls, found.last, found.last_result) == ((), None, None)


def timed(run: Trajectory, *times: tuple[float | None, float | None, float | None]) -> Trajectory:
    calls = tuple(
        replace(call, started=started, ended=ended, duration=duration)
        for call, (started, ended, duration) in zip(run.calls, times, strict=True)
    )
    return replace(run, calls=calls)


class TestClock:
    def test_calls_side_by_side_count_once(self) -> None:
        run = timed(trajectory(("Read a", "Read b"), "Read c"), (0, 4, 4), (2, 5, 3), (10, 11, 1))
        assert tool_time(run) == 6

    def test_durations_without_times_are_added(self) -> None:
        assert tool_time(timed(trajectory("Read a", "Read b"), (None, None, 2.0), (None, None, None))) == 2
        assert tool_time(trajectory("Read a")) is None

    def test_a_delegating_call_spans_its_agents(self) -> None:
        run = timed(trajectory("Agent look", By("sub", "Read a")), (0, 10, 10), (2, 4, 2))
        assert tool_time(run) == 10

    def test_idle_needs_both(self) -> None:
        steps = Say("a", model_seconds=2.0, tool_seconds=1.0), Say("b", model_seconds=1.5)
        found = clock(trajectory(*steps, started=100.0, ended=110.0))
        assert (found.wall, found.model, found.tools, found.idle) == (10, 3.5, 1, 5.5)
        assert clock(trajectory(Say("a", model_seconds=2.0), started=100.0, ended=110.0)).idle is None

    def test_time_that_runs_backwards_is_not_recorded(self) -> None:
        assert clock(trajectory(Say("a"), started=110.0, ended=100.0)).wall is None

    def test_waits_for_the_user(self) -> None:
        run = timed(trajectory(User("Go", started=0), "Read a", User("On", started=60.0)), (1, 5, 4))
        assert [(wait.step, wait.seconds) for wait in clock(run).waits] == [(2, 55)]
        assert metrics(run)["waiting"].value == 55
