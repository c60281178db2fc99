"""Two runs compared: row kinds, divergences, the decisive row, and the recorded runs of one task."""

from typing import Any

import pytest

from tests.places import SHARED
from viewer import formats
from viewer.comparison.pairwise import compare
from viewer.comparison.star import CannotCompare, star
from viewer.draft import Draft
from viewer.model import Coverage, Trajectory, Where
from viewer.source import Source
from viewer.tool_calls import FoundCall, FoundResult


def run(*calls: tuple[str, dict[str, Any], str | None], harness: str = "h") -> Trajectory:
    """A run of (name, arguments, result text or None); a text that starts with "!" is a stated error."""
    draft = Draft(Source("test", b"{}"))
    draft.harness = harness
    for row, (name, arguments, text) in enumerate(calls):
        step = draft.step("model", Where(row=row))
        result = None if text is None else FoundResult(text=text.lstrip("!"), is_error=text.startswith("!"))
        draft.call(step, FoundCall(name=name, arguments=arguments, result=result), Where(row=row))
    return draft.finish("t.0", "test")


READ = ("Read", {"file_path": "a.py"}, "x")
TEST = ("Bash", {"command": "python3 -m unittest"}, "OK")
FAIL = ("Bash", {"command": "python3 -m unittest"}, "!FAILED")
EDIT = ("Edit", {"file_path": "a.py", "old_string": "x\n", "new_string": "y\n"}, "ok")
OTHER_EDIT = ("Edit", {"file_path": "a.py", "old_string": "x\n", "new_string": "z\n"}, "ok")
PATCH = ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"}, "done")
WEB = ("Bash", {"command": "curl http://x"}, "x")


def kinds(left: Trajectory, right: Trajectory) -> list[str]:
    return [row.kind for row in compare(left, right).rows]


def test_equal_runs_have_no_divergence():
    found = compare(run(READ, TEST), run(READ, TEST))
    assert [row.kind for row in found.rows] == ["same", "same"]
    assert (found.first_divergence, found.first_sustained_divergence, found.decisive) == (None, None, None)
    assert (found.recall, found.precision, found.f1, found.order_agreement, found.overhead) == (1, 1, 1, 1, 1)


def test_another_result_is_a_difference_within_one_harness_only():
    other = ("Read", {"file_path": "a.py"}, "y")
    assert kinds(run(READ), run(other)) == ["changed_result"]
    assert kinds(run(READ), run(other, harness="i")) == ["same"]


def test_another_state_is_a_difference_everywhere():
    assert kinds(run(TEST), run(FAIL, harness="i")) == ["changed_result"]


def test_what_differs_from_run_to_run_is_masked():
    one = ("Bash", {"command": "make"}, "built in 12.3s at 2026-01-02T03:04:05Z, pid 77, 0123456789abcdef")
    two = ("Bash", {"command": "make"}, "built in 9.1s at 2026-01-03T13:04:05Z, pid 78, fedcba9876543210")
    assert kinds(run(one), run(two)) == ["same"]


def test_the_same_edit_in_another_spelling_is_the_same():
    assert kinds(run(EDIT), run(PATCH, harness="i")) == ["same"]


def test_another_edit_of_the_file_is_changed_arguments_and_decisive():
    found = compare(run(READ, EDIT, TEST), run(READ, OTHER_EDIT, FAIL))
    assert [row.kind for row in found.rows] == ["same", "changed_arguments", "changed_result"]
    assert (found.first_divergence, found.decisive) == (1, 1)


SILENT = ("file_change", {"changes": [{"path": "a.py", "kind": "update"}]}, "done")
BROKEN = (*EDIT[:2], "!no such text")


def test_an_edit_that_failed_everywhere_is_not_decisive():
    found = compare(run(READ, BROKEN, EDIT), run(READ, (*OTHER_EDIT[:2], "!no"), OTHER_EDIT))
    assert [row.kind for row in found.rows] == ["same", "changed_arguments", "changed_arguments"]
    assert (found.first_divergence, found.decisive) == (1, 2)
    assert compare(run(READ, BROKEN), run(READ)).decisive is None


def test_an_edit_of_unknown_sameness_is_decisive_only_where_none_is_known_to_differ():
    later = ("Edit", {"file_path": "b.py", "old_string": "x\n", "new_string": "y\n"}, "ok")
    failed = (*later[:2], "!no such text")
    found = compare(run(READ, EDIT, failed), run(READ, SILENT, harness="i"))
    assert [row.kind for row in found.rows] == ["same", "same", "only_left"]
    assert found.decisive == 1
    assert compare(run(READ, EDIT, later), run(READ, SILENT, harness="i")).decisive == 2


def test_runs_whose_edits_do_not_say_what_they_change_are_no_twins():
    assert star([run(READ, EDIT), run(READ, SILENT, harness="i")]).twins == ()
    assert star([run(READ, EDIT), run(READ, PATCH, harness="i")]).twins == ((0, 1),)


def test_a_moved_call_is_one_row_at_its_left_place():
    found = compare(run(READ, WEB, EDIT, TEST), run(READ, EDIT, TEST, WEB))
    assert [(row.kind, row.left, row.right) for row in found.rows] == [
        ("same", 0, 0),
        ("moved", 1, 3),
        ("same", 2, 1),
        ("same", 3, 2),
    ]
    assert found.first_divergence == 1
    assert found.order_agreement == pytest.approx(1 - 2 / 6)


def test_sustained_divergence_and_recovery():
    left = run(READ, WEB, READ, TEST, TEST, TEST, TEST)
    lost = [("Grep", {"pattern": f"p{n}"}, "x") for n in range(6)]
    right = run(READ, *lost, TEST, TEST, TEST, TEST)
    found = compare(left, right)
    assert found.first_divergence is not None
    assert found.first_sustained_divergence is not None
    assert found.recovery is not None
    assert found.rows[found.recovery].effect == "test"


def test_a_single_extra_call_is_not_sustained():
    found = compare(run(READ, EDIT, TEST), run(READ, WEB, EDIT, TEST))
    assert (found.first_divergence, found.first_sustained_divergence) == (1, None)


def test_empty_runs():
    found = compare(run(), run(READ))
    assert [row.kind for row in found.rows] == ["only_right"]
    assert (found.recall, found.overhead) == (None, None)


def test_a_blocked_run_says_why():
    from dataclasses import replace

    blocked = replace(run(READ), coverage=Coverage(evidence=9, blocked=True))
    with pytest.raises(CannotCompare, match="9 call-like objects"):
        compare(run(READ), blocked)


def test_star_puts_alike_calls_of_the_others_in_one_row():
    base = run(READ, EDIT, TEST)
    other = run(READ, WEB, EDIT, TEST)
    found = star([base, other, other])
    assert [row.calls for row in found.rows] == [(0, 0, 0), (None, 1, 1), (1, 2, 2), (2, 3, 3)]
    assert found.rows[1].cells == ("absent", "base", "same")
    assert found.first_divergence == 1
    assert found.similarity[1][2] == 1


# -- the recorded runs of one task ------------------------------------------------------------------------------------

GOOD = {
    "claude": "claude-code/good.session.jsonl",
    "codex": "codex/good.rollout.jsonl",
    "gemini": "gemini-cli/good.chat.jsonl",
    "opencode": "opencode/good.export.json",
    "openclaw": "openclaw/good.session.jsonl",
}


def recorded(name: str) -> Trajectory:
    return formats.read(Source.open(SHARED / "recorded" / name))[0]


@pytest.mark.parametrize("name", list(GOOD)[1:])
def test_good_runs_are_the_same_six_rows(shared, name):
    found = compare(recorded(GOOD["claude"]), recorded(GOOD[name]))
    assert [(row.kind, row.effect) for row in found.rows] == [
        ("same", effect) for effect in ("read", "read", "test", "edit", "mcp", "test")
    ]


def test_mini_swe_agent_shares_all_but_the_lint_call(shared):
    found = compare(recorded(GOOD["claude"]), recorded("mini-swe-agent/good.traj.json"))
    assert [(row.kind, row.effect) for row in found.rows] == [
        ("same", "read"),
        ("same", "read"),
        ("same", "test"),
        ("same", "edit"),
        ("only_left", "mcp"),
        ("same", "test"),
        ("only_right", "shell"),
    ]


def test_good_against_looping_pairs_the_successful_edits(shared):
    good, looping = recorded(GOOD["claude"]), recorded("claude-code/looping.session.jsonl")
    found = compare(good, looping)
    assert found.decisive is not None
    row = found.rows[found.decisive]
    assert row.left is not None
    assert row.right is not None
    assert (row.kind, good.calls[row.left].state, looping.calls[row.right].state) == ("changed_arguments", "ok", "ok")
    assert found.first_divergence == 1
