from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.graphs.made_runs import read, run
from viewer.graphs.timeline import IDLE, time_axis, timeline


def timed(*spans: tuple[float | None, float | None]):
    made = [read(str(at), started=begin, seconds=seconds) for at, (begin, seconds) in enumerate(spans)]
    times = timeline(run(*made))
    assert times is not None
    return times


def test_a_run_without_times_has_no_timeline() -> None:
    assert timeline(run(read("a"), read("b"))) is None
    assert timeline(run()) is None


def test_times_count_from_the_first_call() -> None:
    times = timed((1_000.0, 2.0), (1_001.0, 0.5), (1_010.0, None))
    assert times.begin.tolist() == [0.0, 1.0, 10.0]
    assert times.end.tolist() == [2.0, 1.5, 10.0]
    assert times.recorded == 3


def test_a_call_without_a_time_lies_after_the_one_before() -> None:
    times = timed((1_000.0, 2.0), (None, None), (1_010.0, 1.0))
    assert times.begin.tolist() == [0.0, 2.0, 10.0]
    assert times.recorded == 2


def test_a_stated_duration_gives_the_end() -> None:
    trajectory = run(read("a", started=5.0))
    call = replace(trajectory.calls[0], duration=3.0)
    times = timeline(replace(trajectory, calls=(call,)))
    assert times is not None
    assert times.end.tolist() == [3.0]


def test_idle_over_a_minute_is_folded_and_says_how_long_it_was() -> None:
    axis = time_axis(timed((0.0, 10.0), (10.0 + IDLE, 10.0), (1_000.0, 10.0)), 0, 3)
    assert [(fold.since, fold.seconds) for fold in axis.folds] == [(80.0, 920.0)]
    fold = axis.folds[0]
    assert fold.left == axis.end[1] == 80.0
    assert axis.begin[2] == pytest.approx(fold.right)
    assert axis.span == pytest.approx(90 + fold.right - fold.left)
    assert (fold.right - fold.left) / axis.span == pytest.approx(0.04)
    assert axis.place(75.0) == 75.0
    assert axis.place(500.0) is None
    assert axis.place(1_005.0) == pytest.approx(fold.right + 5)


def test_idle_is_when_nothing_runs() -> None:
    """A long call covers what lies between the short ones beside it."""
    assert time_axis(timed((0.0, 1.0), (1.0, 500.0), (300.0, 1.0)), 0, 3).folds == ()


@given(
    st.lists(st.tuples(st.floats(0, 500), st.floats(0, 200)), min_size=1, max_size=30),
    st.integers(0, 5),
)
def test_the_axis_keeps_order_and_lengths(steps: list[tuple[float, float]], start: int) -> None:
    clock, spans = 0.0, []
    for gap, seconds in steps:
        clock += gap
        spans.append((clock, seconds))
    start = min(start, len(spans) - 1)
    axis = time_axis(timed(*spans), start, len(spans))
    assert np.all(np.diff(axis.begin) >= -1e-6)
    assert axis.begin[0] == pytest.approx(0)
    assert np.all(axis.begin >= -1e-6) and np.all(axis.end <= axis.span + 1e-3)
    assert np.all(axis.end - axis.begin >= -1e-6)
    for begin, end, (_, seconds) in zip(axis.begin, axis.end, spans[start:], strict=True):
        assert end - begin == pytest.approx(seconds, abs=1e-3)  # a call is never folded
