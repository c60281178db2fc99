"""From a node a call to a graph of transitions: what all graphs of this room but the trees are made of.

Transitions are steps from one call to the next within one agent, on the main line. Definitions after Graphectory
(arXiv 2512.02393).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import networkx as nx
import numpy as np

from viewer.analysis.errors import failed_checks
from viewer.analysis.remembered import remembered
from viewer.analysis.scope import sequences
from viewer.graphs.order import Booleans, Integers
from viewer.model import Trajectory

LONGEST_CYCLE: Final = 10
MOST_CYCLES: Final = 5_000


@remembered
def steps(trajectory: Trajectory) -> tuple[Integers, Integers]:
    """All transitions of a run as two arrays of call indexes, from and to; in file order within an agent."""
    before: list[Integers] = [np.empty(0, dtype=np.int32)]
    after: list[Integers] = [np.empty(0, dtype=np.int32)]
    for calls in sequences(trajectory):
        line = np.fromiter((call.index for call in calls), dtype=np.int32, count=len(calls))
        before.append(line[:-1])
        after.append(line[1:])
    return np.concatenate(before), np.concatenate(after)


def transition_graph(
    trajectory: Trajectory, node: Integers, attributes: Sequence[Mapping[str, Any]]
) -> nx.DiGraph[int]:
    """The graph of a run whose call ``i`` visits the node ``node[i]`` (-1: none). Linear in calls.

    Nodes 0 .. len(attributes)-1, in order of first visit if the caller numbers them so, with ``attributes`` and:
    ``visits``, ``errors`` (failed checks among them), ``checks``, ``first`` (index of the first call).
    Edges: ``count`` transitions, ``probability`` among those that leave the node, ``back`` (to itself, or to a node
    whose first visit was earlier), ``first`` (index of the call that the first transition led to), and ``delegation``
    for the step from a call into the sub-agent it started, which counts as no transition.
    ``graph.graph["node"]`` holds ``node``.
    """
    size = len(attributes)
    failed = np.fromiter((call.state == "error" for call in trajectory.calls), dtype=bool, count=len(trajectory.calls))
    check = np.zeros(len(trajectory.calls), dtype=bool)
    check[list(failed_checks(trajectory))] = True
    main = np.fromiter((call.line == "main" for call in trajectory.calls), dtype=bool, count=len(trajectory.calls))
    counted = main & (node >= 0)
    graph: nx.DiGraph[int] = nx.DiGraph(node=node)
    visits, errors, checks = (_sums(node, counted & marked, size) for marked in (counted, failed, check))
    first = np.full(size, len(node), dtype=np.int64)
    at = np.flatnonzero(counted)
    first[node[at][::-1]] = at[::-1]
    graph.add_nodes_from(
        (position, {**own, "visits": seen, "errors": wrong, "checks": checked, "first": begin})
        for position, (own, seen, wrong, checked, begin) in enumerate(
            zip(attributes, visits.tolist(), errors.tolist(), checks.tolist(), first.tolist(), strict=True)
        )
    )
    before, after = steps(trajectory)
    u, v = node[before].astype(np.int64), node[after].astype(np.int64)
    real = (u >= 0) & (v >= 0)
    u, v, to = u[real], v[real], after[real]
    keys, starts, counts = np.unique(u * max(size, 1) + v, return_index=True, return_counts=True)
    sources, targets = keys // max(size, 1), keys % max(size, 1)
    leaving = np.bincount(u, minlength=size)
    back = first[targets] <= first[sources]
    columns = (sources, targets, counts, counts / leaving[sources], back, to[starts])
    graph.add_edges_from(
        (source, target, {"count": count, "probability": share, "back": goes_back, "first": led, "delegation": False})
        for source, target, count, share, goes_back, led in zip(*(column.tolist() for column in columns), strict=True)
    )
    _delegate(graph, trajectory, node)
    return graph


def _sums(node: Integers, marked: Booleans, size: int) -> Integers:
    return np.bincount(node[marked], minlength=size).astype(np.int32)


def _delegate(graph: nx.DiGraph[int], trajectory: Trajectory, node: Integers) -> None:
    for calls in sequences(trajectory):
        first = calls[0]
        if first.parent is None:
            continue
        source, target = int(node[first.parent]), int(node[first.index])
        if source >= 0 and target >= 0 and not graph.has_edge(source, target):
            graph.add_edge(
                source, target, count=0, probability=0.0, back=False, first=first.index, delegation=True
            )  # fmt: skip


def transition_calls(trajectory: Trajectory, graph: nx.DiGraph[int], source: int, target: int) -> Integers:
    """Indexes of the calls to which a transition led from ``source`` to ``target``, in order."""
    node = graph.graph["node"]
    before, after = steps(trajectory)
    return np.sort(after[(node[before] == source) & (node[after] == target)])


def visiting_calls(graph: nx.DiGraph[int], visited: int) -> Integers:
    """Indexes of the calls that visit a node, in order."""
    return np.flatnonzero(graph.graph["node"] == visited).astype(np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """``backedge_fraction``: share of transitions to the node itself or to one visited before; None without any.

    ``cycle_groups``: sizes of the strongly connected components larger than one node, largest first.
    ``most_visited`` is a node, None in an empty graph.
    """

    nodes: int
    edges: int
    transitions: int
    backedge_fraction: float | None
    cycle_groups: tuple[int, ...]
    most_visited: int | None
    most_visits: int


def measures(graph: nx.DiGraph[int]) -> Measures:
    """The measures of a transition graph; linear in nodes and edges."""
    counts = [(count, back) for _, _, count, back in _edges(graph)]
    transitions = sum(count for count, _ in counts)
    groups = sorted((len(group) for group in nx.strongly_connected_components(graph) if len(group) > 1), reverse=True)
    visits = {node: data["visits"] for node, data in graph.nodes(data=True)}
    most = max(visits, key=lambda node: (visits[node], -node), default=None)
    return Measures(
        nodes=graph.number_of_nodes(),
        edges=len(counts),
        transitions=transitions,
        backedge_fraction=sum(count for count, back in counts if back) / transitions if transitions else None,
        cycle_groups=tuple(groups),
        most_visited=most,
        most_visits=visits[most] if most is not None else 0,
    )


def _edges(graph: nx.DiGraph[int]) -> list[tuple[int, int, int, bool]]:
    return [(u, v, data["count"], data["back"]) for u, v, data in graph.edges(data=True) if not data["delegation"]]


def cycles(graph: nx.DiGraph[int], seconds: float = 0.2) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """Simple cycles of at most ten nodes, at most 5,000, and whether these are all: it stops after ``seconds``."""
    until = time.monotonic() + seconds
    found: list[tuple[int, ...]] = []
    for cycle in islice(nx.simple_cycles(graph, length_bound=LONGEST_CYCLE), MOST_CYCLES):
        found.append(tuple(cycle))
        if time.monotonic() > until:
            return tuple(found), False
    return tuple(found), len(found) < MOST_CYCLES
