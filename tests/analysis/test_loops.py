"""Each loop rule on a run counted by hand, with its near misses."""

from typing import Any

import pytest

from tests.trajectories import By, Compaction, Say, User, trajectory
from viewer.analysis.chanting import chants_at
from viewer.analysis.loops import in_loops, loops, stops
from viewer.model import Trajectory

FAIL = "bash make => exit 2"


def found(run: Trajectory) -> list[tuple[str, int, tuple[int, ...]]]:
    return [(loop.kind, loop.count, loop.calls) for loop in loops(run)]


def fillers(count: int, start: int = 0) -> list[str]:
    return [f"bash echo {number} => ok {number}" for number in range(start, start + count)]


class TestRepeatedFailure:
    def test_three_equal_calls_that_fail(self) -> None:
        assert found(trajectory(FAIL, "Read a", FAIL, "Read b", FAIL)) == [("repeated_failure", 3, (0, 2, 4))]

    def test_two_are_none(self) -> None:
        assert found(trajectory(FAIL, "Read a", FAIL)) == []

    def test_eight_calls_between_two_are_allowed(self) -> None:
        run = trajectory(FAIL, *fillers(8), FAIL, *fillers(8, 8), FAIL)
        assert found(run) == [("repeated_failure", 3, (0, 9, 18))]

    def test_nine_are_not(self) -> None:
        assert found(trajectory(FAIL, *fillers(9), FAIL, FAIL)) == []

    def test_a_success_in_between_ends_the_chain(self) -> None:
        assert found(trajectory(FAIL, "Read a", FAIL, "Read b", "bash make => ok", FAIL, "Read c", FAIL)) == []

    def test_edits_in_between_do_not(self) -> None:
        run = trajectory(FAIL, "Edit a.py 1", FAIL, "Edit a.py 2", FAIL)
        assert found(run) == [("repeated_failure", 3, (0, 2, 4))]

    @pytest.mark.parametrize("outcome", ["denied", "timeout", "nothing", "ok Traceback (most recent call last)"])
    def test_whatever_did_not_end_ok(self, outcome: str) -> None:
        call = f"bash make => {outcome}"
        assert found(trajectory(call, "Read a", call, "Read b", call)) == [("repeated_failure", 3, (0, 2, 4))]

    def test_other_arguments_are_another_call(self) -> None:
        assert found(trajectory(FAIL, "bash make a => exit 2", "bash make b => exit 2")) == []

    def test_two_agents_do_not_loop_together(self) -> None:
        assert found(trajectory(FAIL, By("sub", FAIL), FAIL, By("sub", FAIL))) == []


class TestInARow:
    def test_three_equal_calls(self) -> None:
        assert found(trajectory("bash ls => ok a", "bash ls => ok b", "bash ls => ok c")) == [
            ("consecutive", 3, (0, 1, 2))
        ]

    def test_two_are_none(self) -> None:
        assert found(trajectory("bash ls", "bash ls", "bash pwd")) == []

    def test_within_a_failing_chain_it_is_told_once(self) -> None:
        assert found(trajectory(FAIL, FAIL, FAIL, FAIL)) == [("repeated_failure", 4, (0, 1, 2, 3))]

    def test_sub_agents_calls_in_between_do_not_end_it(self) -> None:
        assert found(trajectory("Read a", By("sub", "Read b"), "Read a", "Read a")) == [("consecutive", 3, (0, 2, 3))]


class TestOscillation:
    def test_six_in_turn(self) -> None:
        run = trajectory(*["Read a", "Read b"] * 3)
        assert found(run) == [("oscillation", 3, (0, 1, 2, 3, 4, 5))]

    def test_five_are_none(self) -> None:
        assert found(trajectory("Read a", "Read b", "Read a", "Read b", "Read a")) == []

    def test_other_results_are_news(self) -> None:
        assert found(trajectory(*[call for n in range(3) for call in (f"Read a => ok {n}", f"Read b => ok {n}")])) == []

    def test_times_and_process_ids_are_no_news(self) -> None:
        run = trajectory(
            *[call for n in range(3) for call in (f"bash a => ok took 0.{n}s pid {n}", f"bash b => ok at 10:00:0{n}")]
        )
        assert found(run) == [("oscillation", 3, (0, 1, 2, 3, 4, 5))]


class TestCycle:
    def test_a_block_of_three_twice(self) -> None:
        run = trajectory(*["Read a => ok 1", "Read b => ok 1", "Read c => ok 1"], "Read a => ok 2", "Read b", "Read c")
        assert found(run) == [("cycle", 2, (0, 1, 2, 3, 4, 5))]

    def test_a_block_of_ten_twice(self) -> None:
        block = [f"Read {name}" for name in "abcdefghij"]
        assert [(kind, count) for kind, count, _ in found(trajectory(*block, *block))] == [
            ("cycle", 2),
        ]

    def test_a_block_of_eleven_is_too_long(self) -> None:
        block = [f"Read {name} => ok {name}" for name in "abcdefghijk"]
        assert [kind for kind, _, _ in found(trajectory(*block, *block))] == ["no_progress"]

    def test_one_and_a_half_rounds_are_none(self) -> None:
        assert found(trajectory("Read a", "Read b", "Read c", "Read a", "Read b", "Read d")) == []

    def test_a_row_or_an_oscillation_is_no_cycle_as_well(self) -> None:
        kinds = {kind for kind, _, _ in found(trajectory(*["Read a"] * 12, *["Read b", "Read c"] * 6))}
        assert "cycle" not in kinds


class TestNoProgress:
    def test_five_errors_in_a_row(self) -> None:
        run = trajectory("Read a", *[f"bash try {n} => exit 1" for n in range(5)], "Read b")
        assert found(run) == [("no_progress", 5, (1, 2, 3, 4, 5))]

    def test_four_are_none(self) -> None:
        assert found(trajectory("Read a", *[f"bash try {n} => exit 1" for n in range(4)], "Read b")) == []

    def test_an_edit_that_worked_is_progress(self) -> None:
        run = trajectory(*[f"bash try {n} => exit 1" for n in range(3)], "Edit a.py 1", "bash x => exit 1")
        assert found(run) == []

    def test_the_same_edit_once_more_is_not(self) -> None:
        run = trajectory(
            "Write a.py 1", *[f"bash try {n} => exit 1" for n in range(3)], "Write a.py 1", "bash x => exit 1"
        )
        assert found(run) == [("no_progress", 5, (1, 2, 3, 4, 5))]

    def test_a_known_call_with_a_new_result_is_progress(self) -> None:
        run = trajectory("Read a => ok 1", "bash x => exit 1", "bash y => exit 1", "Read a => ok 2", "bash z => exit 1")
        assert found(run) == []


class TestNotLoops:
    @pytest.mark.parametrize(
        "steps",
        [
            [f"Read {name}.py" for name in "abcdefgh"],
            [f"Edit a.py change-{number}" for number in range(8)],
            [
                "Edit a.py 1",
                "bash make => ok a",
                "Edit a.py 2",
                "bash make => ok b",
                "Edit a.py 3",
                "bash make => ok c",
            ],
            ["bash curl a => exit 6", "bash curl -L a => exit 6", "bash curl -k a => ok"],
            ["bash make => exit 2", "Edit a.py 1", "bash make => exit 2", "Edit a.py 2", "bash make => ok"],
        ],
        ids=["targets", "incremental edits", "build after a change", "retry with other arguments", "fixed at last"],
    )
    def test_no_loop(self, steps: list[str]) -> None:
        assert found(trajectory(*steps)) == []


def test_longest_first() -> None:
    run = trajectory("Read a", "Read a", "Read a", FAIL, "Read b", FAIL, "Read c", FAIL, "Read d", FAIL)
    assert [(loop.kind, loop.first, loop.last) for loop in loops(run)] == [
        ("repeated_failure", 3, 9),
        ("consecutive", 0, 2),
    ]
    assert in_loops(run) == {0, 1, 2, 3, 5, 7, 9}
    assert loops(run)[0].label == "the same call 4 times, none ended ok"


def test_calls_that_are_merely_not_new_come_last() -> None:
    run = trajectory(FAIL, "bash a => exit 1", FAIL, "bash b => exit 1", FAIL, "bash c => exit 1")
    assert found(run) == [("repeated_failure", 3, (0, 2, 4)), ("no_progress", 6, (0, 1, 2, 3, 4, 5))]


def fires(*steps: Any) -> dict[str, int | None]:
    """Rule -> the step at which it fires, for those that do."""
    return {stop.rule: stop.step for stop in stops(trajectory(*steps)) if stop.fires}


class TestStops:
    def test_nothing_fires_on_a_plain_run(self) -> None:
        assert fires("Read a", "Edit a.py 1", "bash make", Say("Done.")) == {}

    def test_one_row_a_rule(self) -> None:
        rows = stops(trajectory("Read a"))
        assert len({stop.rule for stop in rows}) == len(rows) == 15
        assert {stop.harness for stop in rows} == {
            "OpenCode", "Gemini CLI", "OpenHands", "deepeval", "AgentCompass", "ours"
        }  # fmt: skip

    def test_opencode_wants_three_parts_in_a_row(self) -> None:
        assert fires("Read a => ok 1", "Read a => ok 2", "Read a => ok 3")["doom_loop"] == 2
        call = Say("Again.", calls=("Read a => ok 1",))
        assert "doom_loop" not in fires(call, call, call)

    def test_gemini_wants_five(self) -> None:
        assert fires(*["Read a"] * 5)["tool_call_loop"] == 4
        assert "tool_call_loop" not in fires(*["Read a"] * 4, "Read b", "Read a")

    def test_gemini_sees_text_that_goes_round(self) -> None:
        assert fires("Read a", Say("I will now look at the file and then think about it again. " * 12)) == {
            "content_loop": 1
        }

    def test_openhands_wants_four_equal_results(self) -> None:
        assert fires(*["Read a"] * 4)["same_result"] == 3
        assert "same_result" not in fires("Read a", "Read a", "Read a", "Read a => ok other")

    def test_openhands_wants_three_equal_errors(self) -> None:
        assert fires(*["Read a => error"] * 3)["same_error"] == 2
        assert "same_error" not in fires("Read a => error", "Read a", "Read a => error", "Read a => error")

    def test_openhands_sees_a_monologue(self) -> None:
        assert fires(Say("Hm."), Say("Hm."), Say("Hm.")) == {"monologue": 2}
        assert fires(Say("Hm."), User("Go on"), Say("Hm."), Say("Hm.")) == {}

    def test_openhands_sees_alternation(self) -> None:
        assert fires(*["Read a", "Read b"] * 3)["alternation"] == 5
        assert "alternation" not in fires("Read a", "Read b", "Read a", "Read b", "Read a")

    def test_openhands_counts_condensations(self) -> None:
        apart = [step for number in range(8) for step in (Compaction(), f"Read {number}")]
        assert fires(*apart, Compaction(), Compaction()) == {"condensations": 17}
        assert fires(*apart, Compaction(), "Read x", Compaction()) == {}

    def test_deepeval_counts_anywhere(self) -> None:
        steps = [step for number in range(6) for step in ("Read a => ok " + str(number), *fillers(10, number * 10))]
        assert fires(*steps) == {"three_equal": 22, "six_equal": 55}

    def test_agentcompass_wants_more_than_five_steps(self) -> None:
        assert fires(*["Read a => ok 1"] * 6)["max_consecutive_repetition"] == 5
        assert "max_consecutive_repetition" not in fires(*["Read a"] * 5, Say("Hm."), *["Read a"] * 5)

    def test_agentcompass_compares_steps_as_multisets(self) -> None:
        assert fires(*[("Read a", "Read b"), ("Read b", "Read a")] * 3)["max_consecutive_repetition"] == 5

    def test_ours_fire_where_they_are_first_met(self) -> None:
        assert fires(FAIL, "Read a", FAIL, "Read b", FAIL, "Read c", FAIL)["repeated_failure"] == 4
        block = ["Read a", "Read b", "Read c"]
        assert fires(*block, *block, *block)["cycle"] == 5
        assert fires(*[f"bash {n} => exit 1" for n in range(9)]) == {"no_progress": 4}

    def test_agents_are_apart(self) -> None:
        assert fires(*[By(agent, "Read a") for agent in (None, "x", "y", "z")]) == {}

    def test_where(self) -> None:
        stop = next(stop for stop in stops(trajectory("Read a", Say("Hm."), *[FAIL] * 3)) if stop.rule == "same_error")
        assert (stop.call, stop.step, stop.why) == (3, 4, "would have stopped at call #4")


class TestChanting:
    CHUNK = "abcdefghijklmnopqrstuvwxyz, one two three four five six seven"

    def test_ten_copies(self) -> None:
        assert chants_at(self.CHUNK * 10) == len(self.CHUNK) * 9

    def test_nine_are_none(self) -> None:
        assert chants_at(self.CHUNK * 9) is None

    def test_far_apart_is_none(self) -> None:
        filler = [" ".join(str(n * n) for n in range(start, start + 40)) for start in range(1000, 11_000, 1000)]
        assert all(len(text) > 270 for text in filler)
        assert chants_at("".join(self.CHUNK + text for text in filler)) is None
        assert chants_at("".join(self.CHUNK + text[:180] for text in filler)) is not None

    def test_one_letter(self) -> None:
        assert chants_at("a" * 59) == 9
        assert chants_at("a" * 58) is None

    @pytest.mark.parametrize("text", ["", "short", "Let me look at the file. " * 2, "a b c " * 8])
    def test_plain(self, text: str) -> None:
        assert chants_at(text) is None

    def test_wide_gaps(self) -> None:
        assert chants_at(("x" + " " * 70 + "y") * 10) is not None
        assert chants_at(("x" + " " * 30 + "y" + " " * 30) * 12) is not None
