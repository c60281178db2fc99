import itertools
from pathlib import Path

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from tests.graphs.made_runs import Made, bash, edit, random_run, read, run
from viewer import formats
from viewer.graphs.agents import agent_graph
from viewer.graphs.calls import BUDGET, call_graph, condensed
from viewer.graphs.files import file_graph
from viewer.graphs.layout import layered
from viewer.graphs.phases import LETTERS, phase_graph
from viewer.graphs.tools import tool_graph
from viewer.graphs.transitions import cycles, measures, transition_calls, visiting_calls
from viewer.source import Source


def made_of(letters: str) -> list[Made]:
    return [read(letter) for letter in letters]


def edges(graph) -> dict[tuple[int, int], int]:
    return {(u, v): data["count"] for u, v, data in graph.edges(data=True) if not data["delegation"]}


def test_a_b_a_b_is_a_cycle_of_two_nodes() -> None:
    graph = call_graph(run(*made_of("ABABAB")))
    assert edges(graph) == {(0, 1): 3, (1, 0): 2}
    assert [graph.nodes[node]["visits"] for node in graph] == [3, 3]
    assert graph.edges[1, 0]["back"] and not graph.edges[0, 1]["back"]
    found = measures(graph)
    assert (found.nodes, found.edges, found.transitions, found.cycle_groups) == (2, 2, 5, (2,))
    assert found.backedge_fraction == 2 / 5
    assert cycles(graph) == (((0, 1),), True)


def test_measures_of_an_empty_and_of_a_lone_call() -> None:
    empty, lone = measures(call_graph(run())), measures(call_graph(run(read("A"))))
    assert (empty.nodes, empty.backedge_fraction, empty.most_visited) == (0, None, None)
    assert (lone.nodes, lone.backedge_fraction, lone.most_visited, lone.most_visits) == (1, None, 0, 1)


@given(st.text(alphabet="ABCDE", max_size=40))
def test_measures_by_hand(letters: str) -> None:
    graph = call_graph(run(*made_of(letters)))
    steps = list(itertools.pairwise(letters))
    first = {letter: letters.index(letter) for letter in letters}
    back = sum(1 for u, v in steps if u == v or first[v] < first[u])
    found = measures(graph)
    assert sum(edges(graph).values()) == len(steps) == found.transitions
    assert found.backedge_fraction == (back / len(steps) if steps else None)
    assert found.nodes == len(set(letters))
    assert [graph.nodes[node]["first"] for node in graph] == sorted(first.values())


def test_transitions_stay_within_one_agent() -> None:
    made = [
        read("A"),
        Made("Task", {"prompt": "look"}, starts="sub"),
        read("C", by="sub"),
        read("B"),
        read("D", by="sub"),
        read("A"),
    ]
    graph = call_graph(run(*made))
    assert edges(graph) == {(0, 1): 1, (1, 3): 1, (3, 0): 1, (2, 4): 1}
    assert graph.edges[1, 2]["delegation"]
    assert measures(graph).transitions == 4


def test_edges_and_nodes_lead_to_their_calls() -> None:
    trajectory = run(*made_of("ABCABAB"))
    graph = call_graph(trajectory)
    assert transition_calls(trajectory, graph, 0, 1).tolist() == [1, 4, 6]
    assert visiting_calls(graph, 0).tolist() == [0, 3, 5]
    assert graph.edges[0, 1]["first"] == 1


def test_failed_checks_are_counted_apart() -> None:
    graph = call_graph(run(edit("a"), bash("python3 -m unittest", 1), bash("make", 2), bash("python3 -m unittest", 1)))
    assert [(own["visits"], own["errors"], own["checks"]) for _, own in graph.nodes(data=True)] == [
        (1, 0, 0),
        (2, 2, 2),
        (1, 1, 0),
    ]


def test_the_recorded_looping_run(shared: Path) -> None:
    trajectory, = formats.read(Source.open(shared / "recorded/claude-code/looping.stream.jsonl"))  # fmt: skip
    found = measures(call_graph(trajectory))
    assert (found.nodes, found.edges, found.most_visits, found.cycle_groups) == (10, 13, 6, (9,))
    assert found.backedge_fraction == 5 / 14


@given(st.integers(0, 10_000), st.integers(1, 400))
def test_condensing_loses_no_call_and_no_error(seed: int, count: int) -> None:
    trajectory = random_run(count, seed)
    full, small = call_graph(trajectory), condensed(trajectory)
    assert small.graph.number_of_nodes() <= BUDGET
    for key in ("visits", "errors", "checks", "members"):
        assert sum(own[key] for _, own in small.graph.nodes(data=True)) == sum(
            own[key] for _, own in full.nodes(data=True)
        )
    assert [own["first"] for _, own in small.graph.nodes(data=True)] == sorted(
        own["first"] for _, own in small.graph.nodes(data=True)
    )
    assert small.distinct == full.number_of_nodes()


def test_nothing_folds_over_an_error() -> None:
    once = [read(f"{number}.py") for number in range(40)]
    made = [*once[:20], bash("make", 1), *once[20:]]
    small = condensed(run(*made))
    chains = [own for _, own in small.graph.nodes(data=True) if own["members"] > 1]
    assert [own["members"] for own in chains] == [20, 20]
    assert [own["errors"] for own in chains] == [0, 0]
    assert [own["tool"] for _, own in small.graph.nodes(data=True) if own["errors"]] == ["Bash"]
    assert small.chains == 2
    assert edges(small.graph) == {(0, 1): 1, (1, 2): 1}


def test_the_most_visited_calls_keep_their_nodes() -> None:
    rare = [read(f"{number}.py") for number in range(60)]
    made = [call for number, call in enumerate(rare) for call in (call, bash("make", number % 2))] * 2
    small = condensed(run(*made))
    own = [data for _, data in small.graph.nodes(data=True) if data["members"] == 1]
    assert {"make"} <= {data["text"] for data in own}
    assert small.groups == 1
    assert small.shown + sum(data["members"] for _, data in small.graph.nodes(data=True) if data["members"] > 1) == 61


@given(st.integers(0, 10_000), st.integers(1, 120))
def test_layers_are_shortest_distances_and_nodes_lie_apart(seed: int, count: int) -> None:
    graph = condensed(random_run(count, seed, sub_agents=False)).graph
    layers = layered(graph)
    distance = nx.single_source_shortest_path_length(graph, 0)
    assert {node: layers.layer[node] for node in distance} == distance
    for depth in range(layers.depth):
        slots = sorted(layers.slot[node] for node in graph if layers.layer[node] == depth)
        assert all(above - below > 0.999 for below, above in itertools.pairwise(slots))


def test_a_chain_is_drawn_as_a_straight_line() -> None:
    layers = layered(call_graph(run(*made_of("ABCDEF"))))
    assert set(layers.slot.values()) == {0.0}
    assert sorted(layers.layer.values()) == [0, 1, 2, 3, 4, 5]


def test_tools_have_probabilities() -> None:
    graph = tool_graph(run(read("a"), bash("ls"), read("b"), bash("ls"), bash("make")))
    assert [own["tool"] for _, own in graph.nodes(data=True)] == ["Read", "Bash"]
    assert graph.edges[0, 1]["probability"] == 1.0
    assert graph.edges[1, 0]["probability"] == 0.5
    assert graph.edges[1, 1]["probability"] == 0.5


def test_the_least_used_of_many_tools_are_one_node() -> None:
    graph = tool_graph(run(*[Made(f"tool{number}", {}) for number in range(30) for _ in range(number + 1)]))
    assert graph.number_of_nodes() == 20
    rest = [own for _, own in graph.nodes(data=True) if own["members"] > 1]
    assert [own["members"] for own in rest] == [11]
    assert sum(own["visits"] for _, own in graph.nodes(data=True)) == 30 * 31 // 2


def test_phases_go_on_and_back() -> None:
    graph = phase_graph(
        run(read("a"), edit("a"), bash("python3 -m unittest", 1), edit("a", "c"), bash("python3 -m unittest"))
    )
    assert [LETTERS[node] for node in graph] == ["L", "P", "V"]
    assert edges(graph) == {(0, 1): 1, (1, 2): 2, (2, 1): 1}
    assert graph.edges[2, 1]["back"]


def test_agents_say_who_asked() -> None:
    graph = agent_graph(
        run(
            read("a"),
            Made("Task", {"prompt": "look"}, starts="sub"),
            read("b", by="sub"),
            bash("make", 1, by="sub"),
            read("c", by="lost"),
        )
    )
    assert [(own["tool"], own["text"], own["visits"], own["errors"]) for _, own in graph.nodes(data=True)] == [
        ("main agent", "", 2, 0),
        ("sub-agent of #2", "look", 2, 1),
        ("sub-agent", "lost", 1, 0),
    ]
    assert [(u, v, data["first"]) for u, v, data in graph.edges(data=True)] == [(0, 1, 1)]


def test_files_know_what_was_changed_unread() -> None:
    made = [
        read("a.py"),
        edit("a.py"),
        edit("b.py"),
        read("b.py"),
        Made("Write", {"file_path": "new.py", "content": "x"}),
        edit("new.py"),
        bash("sed -i s/a/b/ c.py"),
        bash("python3 -m unittest"),
    ]
    graph = file_graph(run(*made))
    found = {own["tool"]: (own["file"], own["text"], own["unread"]) for _, own in graph.nodes(data=True)}
    assert found == {
        "a.py": (True, "1 read · 1 edit", False),
        "b.py": (True, "1 read · 1 edit", True),
        "new.py": (True, "2 edits", False),
        "c.py": (True, "1 edit", True),
        "python3 -m unittest": (False, "1 run", False),
    }
