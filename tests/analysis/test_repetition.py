"""The four views of repetition and its ratios, counted by hand."""

from tests.trajectories import By, Say, trajectory
from viewer.analysis.repetition import changed_between, earlier_equal, effect_keys, repetition
from viewer.model import Trajectory


def ratios(run: Trajectory) -> tuple[float | None, float | None, int]:
    found = repetition(run)
    return found.step_ratio, found.cross_ratio, found.max_consecutive


class TestRatios:
    """The worked examples of analysis.md 1."""

    def test_within_a_step(self) -> None:
        assert ratios(trajectory(("bash ls", "bash ls", "bash pwd"))) == (0.3333, 0.3333, 1)

    def test_across_steps(self) -> None:
        run = trajectory("bash ls", "bash pwd", "bash ls", "bash ls")
        assert ratios(run) == (0, 0.5, 2)
        assert repetition(run).between_ratio == 0.5

    def test_six_in_a_row(self) -> None:
        run = trajectory(*["bash ls"] * 6)
        assert ratios(run) == (0, 0.8333, 6)
        (row,) = repetition(run).consecutive
        assert (row.steps, row.calls, row.length) == ((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5), 6)

    def test_nine_different_ones(self) -> None:
        assert ratios(trajectory(*[f"command_execution echo {n}" for n in range(9)])) == (0, 0, 1)

    def test_no_calls(self) -> None:
        assert ratios(trajectory(Say("Hello."))) == (None, None, 0)

    def test_the_part_between_steps(self) -> None:
        found = repetition(trajectory(("bash ls", "bash ls"), ("bash ls", "bash pwd")))
        assert (found.within_step, found.repeated, found.between_steps) == (1, 2, 1)
        assert (found.step_ratio, found.cross_ratio, found.between_ratio) == (0.25, 0.5, 0.25)

    def test_a_step_without_calls_ends_the_row(self) -> None:
        assert ratios(trajectory("bash ls", Say("Hm."), "bash ls")) == (0, 0.5, 1)

    def test_order_within_a_step_does_not_matter(self) -> None:
        assert ratios(trajectory(("Read a", "Read b"), ("Read b", "Read a")))[2] == 2

    def test_rows_are_within_one_agent_counts_over_all(self) -> None:
        assert ratios(trajectory("bash ls", By("sub", "bash ls"), "bash ls")) == (0, 0.6667, 2)

    def test_other_lines_do_not_count(self) -> None:
        assert ratios(trajectory("bash ls", By(None, "bash ls", line="inherited"))) == (0, 0, 1)


class TestViews:
    def test_exact(self) -> None:
        (group,) = repetition(trajectory("bash ls", "bash pwd", ("bash ls", "Read a"))).exact
        assert (group.name, group.calls, group.steps, group.count) == ("bash", (0, 2), (0, 2), 2)

    def test_same_result(self) -> None:
        run = trajectory("bash ls => ok a", "bash ls => ok b", "bash ls => ok a", "Read a => ok a")
        assert [group.calls for group in repetition(run).same_result] == [(0, 2)]

    def test_an_error_is_another_result(self) -> None:
        assert repetition(trajectory("bash ls => ok a", "bash ls => error a")).same_result == ()

    def test_near(self) -> None:
        run = trajectory(
            "bash curl -sS -m 5 https://example.com/fix.patch -o fix.patch",
            "Read a",
            "bash curl -sS -m 9 https://example.com/fix.patch -o fix.patch",
            "bash curl https://example.org/",
        )
        assert [group.calls for group in repetition(run).near] == [(0, 2)]
        assert repetition(run).exact == ()

    def test_near_is_the_same_tool_and_target(self) -> None:
        run = trajectory("Read some/rather/long/path/a.py", "Read some/rather/long/path/b.py")
        assert repetition(run).near == ()

    def test_same_effect(self) -> None:
        run = trajectory("Read a.py", "bash cat a.py", "Read b.py", "exec cd /w && make all", "bash make all")
        assert [(group.name, group.calls) for group in repetition(run).same_effect] == [
            ("Read / bash", (0, 1)),
            ("exec / bash", (3, 4)),
        ]

    def test_two_edits_of_a_file_are_not_the_same(self) -> None:
        assert repetition(trajectory("Edit a.py 1", "Edit a.py 2")).same_effect == ()

    def test_two_subcommands_are_not_the_same(self) -> None:
        assert repetition(trajectory("bash git diff", "exec git status")).same_effect == ()


def test_the_key_of_a_command_is_the_same_in_any_tool() -> None:
    calls = ["bash make test", "command_execution bash -lc 'make test'", "terminal cd /x && make test"]
    assert {keys[0] for keys in map(effect_keys, map(trajectory, calls))} == {("test", "make test")}


def test_earlier_equal() -> None:
    run = trajectory("Read a", "Read b", "Read a", By("sub", "Read a"), "Read a")
    assert earlier_equal(run) == (None, None, 0, None, 2)


def test_changed_between() -> None:
    run = trajectory(
        "bash make", "Edit a.py 1", "bash make", "Edit a.py 2 => error", "bash make", By("sub", "Write b.py"),
        "bash make",
    )  # fmt: skip
    assert changed_between(run) == (None, None, True, None, False, None, True)
