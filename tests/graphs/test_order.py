from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.graphs.made_runs import Made, bash, edit, random_run, read, run
from viewer import formats
from viewer.graphs.order import MOST_LANES, OTHER, order, window
from viewer.source import Source


def names(lanes) -> list[str]:
    return [lane.head or lane.tool for lane in lanes]


def test_shells_have_a_lane_a_program_and_lanes_come_by_first_appearance() -> None:
    facts = order(
        run(read("a"), bash("git diff"), bash("python3 -m unittest"), bash("git status"), read("b"), bash("git diff x"))
    )
    assert names(facts.lanes) == ["Read", "git diff", "python3 -m unittest", "git status"]
    assert facts.lane.tolist() == [0, 1, 2, 3, 0, 1]


def test_lanes_keep_their_order_when_the_window_moves() -> None:
    made = [read("a"), bash("ls"), bash("make"), *[bash("make"), read("a"), bash("ls")] * 40]
    facts = order(run(*made))
    assert names(window(facts, 3, 40).lanes) == ["Read", "ls", "make"]


def test_at_most_twelve_lanes_and_the_rest_is_counted() -> None:
    made = [Made(f"tool{number}", {}) for number in range(20) for _ in range(20 - number)]
    seen = window(order(run(*made)), 0, len(made))
    assert len(seen.lanes) == MOST_LANES
    assert seen.lanes[-1].tool == OTHER
    assert seen.lanes[-1].kinds == 9
    assert seen.counts().sum() == len(made)
    assert names(seen.lanes)[:11] == [f"tool{number}" for number in range(11)]


def test_many_sub_agents_become_one_lane_each() -> None:
    made: list[Made] = []
    for number in range(4):
        made.append(Made("Task", {"prompt": "look"}, starts=f"agent{number}"))
        made += [read("a", by=f"agent{number}"), bash("ls", by=f"agent{number}"), bash("make", by=f"agent{number}")]
    seen = window(order(run(*made)), 0, len(made))
    own = [lane for lane in seen.lanes if lane.agent is not None]
    assert [(lane.tool, lane.kinds, lane.parent) for lane in own] == [("", 3, 0), ("", 3, 4), ("", 3, 8), ("", 3, 12)]
    assert names(seen.lanes)[0] == "Task"


def test_a_repeat_knows_whether_something_was_edited_since() -> None:
    facts = order(run(bash("make", 1), bash("make", 1), edit("a.py"), read("b.py"), bash("make", 0)))
    assert facts.previous.tolist() == [-1, 0, -1, -1, 1]
    assert facts.changed.tolist() == [False, False, False, False, True]
    assert facts.last_edit.tolist() == [-1, -1, -1, 2, 2]


@given(count=st.integers(0, 60), start=st.integers(-5, 80), size=st.integers(1, 80))
def test_a_window_lies_in_the_run(count: int, start: int, size: int) -> None:
    seen = window(order(run(*[read(str(number % 7)) for number in range(count)])), start, size)
    assert 0 <= seen.start <= seen.stop <= count
    assert seen.stop - seen.start == min(size, count)
    assert len(seen.row) == len(seen.calls) == seen.stop - seen.start
    if 0 <= start < count:
        assert seen.start <= start < seen.stop


def test_each_row_of_a_window_names_its_call() -> None:
    facts = order(random_run(2_000, 3))
    for start in (0, 777, 1_900):
        seen = window(facts, start, 120)
        for call, row in zip(seen.calls, seen.row.tolist(), strict=True):
            lane = seen.lanes[row]
            assert lane.tool in (call.name, OTHER, "")
            assert lane.tool == OTHER or lane.agent == call.agent


def test_facts_are_remembered_by_identity() -> None:
    first, second = random_run(50), random_run(50)
    assert order(first) is order(first)
    assert order(first) is not order(second)


def test_the_recorded_looping_run_shows_its_loop(shared: Path) -> None:
    trajectory, = formats.read(Source.open(shared / "recorded/claude-code/looping.stream.jsonl"))  # fmt: skip
    facts = order(trajectory)
    assert names(facts.lanes)[:3] == ["Read", "python3 -m unittest", "Edit"]
    loop = next(loop for loop in facts.loops if loop.kind == "repeated_failure")
    assert loop.calls == (1, 3, 4, 6, 13, 14)
    assert np.flatnonzero(facts.check).tolist() == [1, 3, 4, 6, 13, 14]
    assert facts.first_unrecovered == 3
    assert facts.changed[3] and not facts.changed[4]
