"""Several runs on a base, by hand: variants, moved calls, twins, marks, numbers, and one axis for all."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparison.test_pairwise import EDIT, FAIL, OTHER_EDIT, PATCH, READ, TEST, WEB, run
from viewer.comparison.axis import columns
from viewer.comparison.pairwise import compare, row_kind
from viewer.comparison.star import MOST, CannotCompare, star

SEARCH = ("Grep", {"pattern": "median"}, "x")


def kinds(found: Any) -> list[str]:
    return [row.kind for row in found.rows]


def test_runs_that_asked_for_the_same_share_a_variant() -> None:
    found = star([run(READ, EDIT), run(READ, OTHER_EDIT, harness="i"), run(READ, OTHER_EDIT, harness="j")])
    assert kinds(found) == ["same", "changed_arguments"]
    assert found.rows[1].variants == (0, 1, 1)
    assert found.rows[1].groups == ((0,), (1, 2))
    assert found.rows[1].cells == ("base", "changed_arguments", "changed_arguments")
    assert (found.first_divergence, found.decisive) == (1, 1)


def test_an_edit_that_says_nothing_contradicts_nothing_and_is_silent() -> None:
    silent = ("file_change", {"changes": [{"path": "a.py", "kind": "update"}]}, "ok")
    found = star([run(READ, EDIT), run(READ, silent, harness="i"), run(READ, OTHER_EDIT, harness="j")])
    row = found.rows[1]
    assert row.silent == (1,)
    assert row.groups == ((0,), (2,)), "the silent one is in neither group"


def test_a_script_contradicts_an_edit_whose_lines_are_not_in_it() -> None:
    script = "python3 - <<'PY'\ns = open('a.py').read()\nopen('a.py', 'w').write(s.replace('x', 'z'))\nPY"
    edit = ("Bash", {"command": script}, "")
    assert kinds(star([run(OTHER_EDIT), run(edit, harness="i")])) == ["same"]
    other = ("Edit", {"file_path": "a.py", "old_string": "x\n", "new_string": "return 42\n"}, "ok")
    assert kinds(star([run(other), run(edit, harness="i")])) == ["changed_arguments"]


def test_twins_make_the_same_calls_with_the_same_ends() -> None:
    found = star([run(READ, EDIT, TEST), run(READ, PATCH, TEST, harness="i"), run(READ, EDIT, FAIL, harness="j")])
    assert found.twins == ((0, 1),)
    assert found.similarity[0] == (1, 1, 1)


def test_another_result_parts_twins_of_one_harness() -> None:
    other = ("Read", {"file_path": "a.py"}, "y")
    assert star([run(READ), run(other)]).twins == ()
    assert star([run(READ), run(other, harness="i")]).twins == ((0, 1),)


def test_a_moved_call_is_one_row_and_two_columns() -> None:
    found = star([run(READ, WEB, EDIT, TEST), run(READ, EDIT, TEST, WEB), run(READ, EDIT, TEST)])
    assert kinds(found) == ["same", "moved", "same", "same"]
    assert found.rows[1].calls == (1, 3, None)
    assert found.rows[1].cells == ("base", "moved", "absent")
    assert [(column.row, column.calls) for column in columns(found)] == [
        (0, (0, 0, 0)),
        (1, (1, None, None)),
        (2, (2, 1, 1)),
        (3, (3, 2, 2)),
        (1, (None, 3, None)),
    ]


def test_two_runs_that_moved_a_call_to_one_place_share_its_column() -> None:
    late = run(READ, EDIT, TEST, WEB)
    found = star([run(READ, WEB, EDIT, TEST), late, late])
    assert [column.calls for column in columns(found)][-1] == (None, 3, 3)


def test_an_edit_that_only_moved_is_not_decisive() -> None:
    found = star([run(EDIT, READ, TEST), run(READ, TEST, EDIT)])
    assert "moved" in kinds(found)
    assert found.decisive is None


def test_the_run_that_passed_is_the_reference() -> None:
    from dataclasses import replace

    failed = replace(run(READ, WEB, EDIT, TEST), outcome="failed")
    passed = replace(run(READ, EDIT, TEST, harness="i"), outcome="passed")
    found = star([failed, passed])
    assert found.reference == 1
    ours, theirs = found.against
    assert (theirs.shared, theirs.f1, theirs.overhead) == (3, 1, 1)
    assert (ours.shared, ours.recall, ours.precision) == (3, 1, 0.75)
    assert ours.f1 == pytest.approx(2 * 0.75 / 1.75)
    assert ours.overhead == pytest.approx(4 / 3)


@pytest.mark.parametrize("count", [0, 1, MOST + 1])
def test_too_few_and_too_many_runs_are_refused(count: int) -> None:
    with pytest.raises(CannotCompare, match=f"these are {count}"):
        star([run(READ)] * count)


def test_a_run_without_calls_has_an_empty_column() -> None:
    found = star([run(), run(READ), run(READ)])
    assert [row.calls for row in found.rows] == [(None, 0, 0)]
    assert found.against[0].recall is None


def test_no_call_is_lost_where_moved_calls_of_three_runs_meet() -> None:
    found = star([run(READ, TEST), run(TEST, READ, READ), run(READ, READ, TEST, TEST)])
    for place, count in enumerate((2, 3, 4)):
        own = [call for row in found.rows if (call := row.calls[place]) is not None]
        assert sorted(own) == list(range(count))


CALLS = st.lists(st.sampled_from([READ, TEST, FAIL, EDIT, OTHER_EDIT, PATCH, WEB, SEARCH]), max_size=9)


@given(CALLS, CALLS)
def test_of_two_runs_it_is_the_pair(left: Any, right: Any) -> None:
    one, other = run(*left), run(*right, harness="i")
    found, pair = star([one, other], reference=0), compare(one, other)
    assert [(row_kind(row), *row.calls) for row in found.rows] == [(r.kind, r.left, r.right) for r in pair.rows]


@given(st.lists(CALLS, min_size=2, max_size=5))
def test_every_call_has_one_row_and_one_column_in_order(several: Any) -> None:
    runs = [run(*calls, harness=str(place % 2)) for place, calls in enumerate(several)]
    found = star(runs)
    axis = columns(found)
    for place, own in enumerate(runs):
        rows = [call for row in found.rows if (call := row.calls[place]) is not None]
        assert sorted(rows) == list(range(len(own.calls)))
        assert [column.calls[place] for column in axis if column.calls[place] is not None] == list(
            range(len(own.calls))
        ), "on the axis a run's calls come in its own order"
    for column in axis:
        for place, call in enumerate(column.calls):
            assert call is None or found.rows[column.row].calls[place] == call


@given(st.lists(CALLS, min_size=2, max_size=4))
def test_variants_are_counted_from_zero_and_same_rows_have_one(several: Any) -> None:
    found = star([run(*calls, harness=str(place % 2)) for place, calls in enumerate(several)])
    for row in found.rows:
        seen = [variant for variant in row.variants if variant is not None]
        assert sorted(set(seen)) == list(range(len(set(seen))))
        if row.kind in ("same", "changed_result"):
            assert set(seen) == {0}
        if row.kind == "changed_arguments":
            assert len(set(seen)) > 1
