"""The merged graph by hand: shared prefix once, branches, marks, folding; and what every one of them holds."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trajectories import trajectory
from viewer.comparison.star import star
from viewer.graphs.habits import habit_graph
from viewer.graphs.merged import Merged, layers, merged, window
from viewer.model import Trajectory

GOOD = ("Read a.py", "Bash pytest => exit 1", "Edit a.py right", "Bash pytest")
BAD = ("Read a.py", "Bash pytest => exit 1", "Edit a.py wrong", "Bash pytest => exit 1", "WebFetch http://x => error")


def passed(*calls: str) -> Trajectory:
    return replace(trajectory(*calls), outcome="passed")


def failed(*calls: str) -> Trajectory:
    return replace(trajectory(*calls), outcome="failed")


def of(*runs: Trajectory, **options: Any) -> Merged:
    return merged(star(runs), runs, **options)


def nodes(found: Merged) -> list[tuple[str, tuple[int, ...]]]:
    return [(found.graph.nodes[node]["tool"], found.graph.nodes[node]["runs"]) for node in sorted(found.graph.nodes)]


def marks(found: Merged) -> list[tuple[str, int, int]]:
    return sorted(
        (mark.kind, mark.run, data["row"] + 1) for _, data in found.graph.nodes(data=True) for mark in data["marks"]
    )


def test_a_shared_prefix_stands_once_and_the_branches_meet_again() -> None:
    found = of(passed(*GOOD), failed(*BAD))
    assert nodes(found) == [
        ("read", (0, 1)),
        ("test", (0, 1)),
        ("edit", (0,)),
        ("edit", (1,)),
        ("test", (0, 1)),
        ("web", (1,)),
    ]
    assert found.paths == ((0, 1, 2, 4), (0, 1, 3, 4, 5))
    assert found.graph.edges[0, 1]["runs"] == (0, 1)
    assert found.graph.edges[1, 2]["runs"] == (0,)
    assert nx.is_directed_acyclic_graph(found.graph)


def test_a_failed_run_leaves_the_reference_and_errs() -> None:
    found = of(passed(*GOOD), failed(*BAD))
    assert found.reference == 0
    assert marks(found) == [("key", 1, 5), ("leaves", 1, 3)]


def test_a_failed_test_behind_the_edit_is_a_key_node_where_the_run_is_on_its_own() -> None:
    found = of(passed(*GOOD), failed(*BAD[:4], "Bash pytest tests/ => exit 1"))
    assert ("key", 1, 5) in marks(found)


def test_without_a_passed_run_there_is_nothing_to_leave() -> None:
    found = of(trajectory(*GOOD), trajectory(*BAD))
    assert found.reference is None
    assert marks(found) == []


def test_of_three_runs_the_first_lone_call_is_marked() -> None:
    found = of(passed(*GOOD), passed(*GOOD), failed(*BAD))
    assert ("alone", 2, 3) in marks(found)
    assert not [mark for mark in marks(found) if mark[0] == "alone" and mark[1] != 2]


def test_equal_calls_in_a_row_are_one_node_that_says_how_often() -> None:
    again = ("Read a.py", *["Bash make => exit 2"] * 4, "Edit a.py x")
    found = of(trajectory(*again), trajectory(*again))
    assert nodes(found) == [("read", (0, 1)), ("shell", (0, 1)), ("edit", (0, 1))]
    assert found.graph.nodes[found.paths[0][1]]["repeated"] == 4
    assert found.graph.nodes[found.paths[0][1]]["calls"] == {0: (1, 2, 3, 4), 1: (1, 2, 3, 4)}


def test_another_state_is_not_the_same_call_again() -> None:
    calls = ("Bash make => exit 2", "Bash make")
    assert len(nodes(of(trajectory(*calls), trajectory(*calls)))) == 2


def test_loops_show_as_repeats() -> None:
    calls = ("Bash make => exit 2", "Read a.py", "Bash make => exit 2", "Read b.py", "Bash make => exit 2")
    found = of(trajectory(*calls), trajectory(*calls))
    assert found.repeats == ((0, 2), (2, 4))


def test_long_chains_fold_but_never_over_a_mark_or_a_branch() -> None:
    long = tuple(f"Read {n}.py" for n in range(30))
    found = of(passed(*long, *GOOD), failed(*long, *BAD), most_layers=10)
    assert nodes(found)[0] == ("32 calls", (0, 1))
    first = found.graph.nodes[0]
    assert first["members"] == len(first["rows"]) > 1
    assert marks(found) == [("key", 1, 35), ("leaves", 1, 33)]


def test_a_window_holds_its_layers_and_the_ways_through_them() -> None:
    calls = tuple(f"Read {n}.py" if n % 2 else f"Edit {n}.py x" for n in range(100))
    other = tuple(call.replace(" x", f" y{n}") if n % 4 == 0 else call for n, call in enumerate(calls))
    found = of(trajectory(*calls), trajectory(*other))
    part, start, depth = window(found, 50, 20)
    # four rows are a place where the runs part and a folded chain of three: row 51 lies at layer 25 of 50
    assert (start, depth, max(layers(part).values()) + 1) == (15, 50, 20)
    assert 50 in {row for _, data in part.graph.nodes(data=True) for row in data["rows"]}
    for path in part.paths:
        assert all(part.graph.has_edge(one, after) for one, after in pairwise(path))
    assert window(found, 50, 200)[0] is found


def test_runs_that_go_together_lie_together_below_the_reference() -> None:
    found = of(failed(*BAD), passed(*GOOD), failed(*BAD), passed(*GOOD))
    assert found.order[0] == 1
    assert set(found.order[:2]) == {1, 3} and set(found.order[2:]) == {0, 2}


def test_habits_count_steps_between_kinds() -> None:
    graph = habit_graph([trajectory(*GOOD), trajectory(*BAD)])
    assert graph.edges["test", "edit"]["counts"] == [1, 1]
    assert graph.edges["test", "web"]["counts"] == [0, 1]
    assert graph.nodes["test"]["calls"] == [2, 2]
    assert list(graph.nodes["test"]["tools"]) == ["Bash"]


STEPS = st.lists(st.sampled_from([*GOOD, *BAD, "Bash make => exit 2", "Grep x", "Read b.py"]), min_size=0, max_size=12)


@pytest.mark.parametrize("most_layers", [3, 22])
@given(several=st.lists(STEPS, min_size=2, max_size=5), verdicts=st.lists(st.booleans(), min_size=5, max_size=5))
def test_every_call_is_in_one_node_of_its_run_and_nothing_goes_in_circles(
    several: Any, verdicts: Any, most_layers: int
) -> None:
    runs = [(passed if good else failed)(*calls) for calls, good in zip(several, verdicts, strict=False)]
    found = of(*runs, most_layers=most_layers)
    assert nx.is_directed_acyclic_graph(found.graph)
    for run, own in enumerate(runs):
        calls = [index for node in found.paths[run] for index in found.graph.nodes[node]["calls"][run]]
        assert calls == list(range(len(own.calls)))
        for before, after in pairwise(found.paths[run]):
            assert run in found.graph.edges[before, after]["runs"]
    assert sorted(found.order) == list(range(len(runs)))
    assert sum(len(data["runs"]) for _, _, data in found.graph.edges(data=True)) == sum(
        max(0, len(path) - 1) for path in found.paths
    )
