"""The call graph: one node a distinct call, however often it was made. A-B-A-B is two nodes, not a chain of four."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import networkx as nx
import numpy as np

from viewer.analysis.remembered import remembered
from viewer.graphs.order import Booleans, Integers
from viewer.graphs.telling import command_head, run_directory, telling
from viewer.graphs.transitions import steps, transition_graph
from viewer.model import Trajectory

BUDGET: Final = 20
"""Nodes that a picture of 430 pixels can hold with their labels apart."""
_SHORTEST_CHAIN: Final = 3
_REST: Final = "rest"


@remembered
def call_graph(trajectory: Trajectory) -> nx.DiGraph[int]:
    """Nodes are distinct signatures in order of first visit, edges transitions: see ``transition_graph``.

    Node attributes beside those: ``signature``, ``tool``, ``head`` (program of a shell call), ``text`` (the telling
    argument), ``kind``, ``members`` (1; a condensed node holds more).
    """
    node, attributes = _visited(trajectory)
    return transition_graph(trajectory, node, attributes)


def _visited(trajectory: Trajectory) -> tuple[Integers, list[dict[str, Any]]]:
    known: dict[str, int] = {}
    attributes: list[dict[str, Any]] = []
    directory = run_directory(trajectory)
    node = np.full(len(trajectory.calls), -1, dtype=np.int32)
    for call in trajectory.main_line:
        position = known.get(call.signature)
        if position is None:
            position = known[call.signature] = len(attributes)
            attributes.append(
                {
                    "signature": call.signature,
                    "tool": call.name,
                    "head": command_head(call),
                    "text": telling(call, directory),
                    "kind": call.kind,
                    "members": 1,
                }
            )
        node[call.index] = position
    return node, attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensed:
    """A call graph that fits a picture, and what was put together for it.

    ``graph`` has the attributes of ``call_graph``; a node with ``members`` > 1 stands for so many distinct calls, and
    its ``signature`` is None. ``shown`` of ``distinct`` calls have a node of their own.
    """

    graph: nx.DiGraph[int]
    distinct: int
    shown: int
    chains: int
    groups: int


@remembered
def condensed(trajectory: Trajectory) -> Condensed:
    """The call graph in at most twenty nodes.

    First, chains of three and more calls that were made once and did not fail become one node each; an error is never
    folded into a chain. Then the most visited calls keep their nodes, and the rest is grouped by tool; the number of
    errors in a group stays visible. Linear in calls.
    """
    full = call_graph(trajectory)
    distinct = full.number_of_nodes()
    if distinct <= BUDGET:
        return Condensed(graph=full, distinct=distinct, shown=distinct, chains=0, groups=0)
    node = full.graph["node"]
    data = [full.nodes[position] for position in range(distinct)]
    visits = np.fromiter((own["visits"] for own in data), dtype=np.int64, count=distinct)
    errors = np.fromiter((own["errors"] for own in data), dtype=np.int64, count=distinct)
    unit = _chained(trajectory, node, (visits == 1) & (errors == 0))
    unit_visits = np.bincount(unit, weights=visits, minlength=distinct)
    unit_errors = np.bincount(unit, weights=errors, minlength=distinct)
    members = np.bincount(unit, minlength=distinct)
    alive = np.flatnonzero(members)
    grouped = len(alive) > BUDGET
    target: Integers = unit
    names: dict[int, str] = {}
    if grouped:
        # chains are the least telling: they are ranked as what they are, calls made once
        mean = np.where(members > 1, 1, unit_visits)
        ranked = alive[np.lexsort((alive, -unit_errors[alive], -mean[alive]))]
        target, names = _grouped(unit, ranked.astype(np.int32), data)
    used = np.unique(target)
    order = np.full(int(used.max()) + 1, -1, dtype=np.int32)
    first: dict[int, int] = {}
    for position, new in enumerate(target.tolist()):
        first.setdefault(new, position)
    numbering = sorted(first, key=first.__getitem__)
    order[numbering] = np.arange(len(numbering))
    sizes = np.bincount(target)
    attributes = [_attributes(data, first[new], int(sizes[new]), names.get(new)) for new in numbering]
    graph = transition_graph(trajectory, np.where(node >= 0, order[target[node]], -1).astype(np.int32), attributes)
    # steps inside a chain or a group are no returns: they led from one distinct call to another
    graph.remove_edges_from([(new, new) for new, own in enumerate(attributes) if own["members"] > 1])
    return Condensed(
        graph=graph,
        distinct=distinct,
        shown=sum(1 for own in attributes if own["members"] == 1),
        chains=sum(1 for own in attributes if own["members"] > 1 and own["chain"]),
        groups=len(names),
    )


def _chained(trajectory: Trajectory, node: Integers, once: Booleans) -> Integers:
    """For every node the node it is folded into: the first of its chain, or itself."""
    before, after = steps(trajectory)
    linked = once[node[before]] & once[node[after]]
    follows = np.full(len(once), -1, dtype=np.int32)
    follows[node[after[linked]]] = node[before[linked]]
    head = np.arange(len(once), dtype=np.int32)
    for position in np.flatnonzero(follows >= 0).tolist():  # first visits are in order, so heads are known in time
        head[position] = head[follows[position]]
    long = np.bincount(head, minlength=len(once)) >= _SHORTEST_CHAIN
    return np.where(long[head], head, np.arange(len(once))).astype(np.int32)


def _grouped(unit: Integers, ranked: Integers, data: list[Any]) -> tuple[Integers, dict[int, str]]:
    """Keeps the nodes ranked first and puts the rest together by tool; at most a quarter of the budget are groups."""
    most_groups = BUDGET // 4
    kept, rest = ranked[: BUDGET - most_groups], ranked[BUDGET - most_groups :]
    tools: dict[str, list[int]] = {}
    for position in rest.tolist():
        tools.setdefault(data[position]["tool"], []).append(position)
    by_size = sorted(tools, key=lambda tool: (-len(tools[tool]), tool))
    new = np.arange(len(unit), dtype=np.int32)
    names: dict[int, str] = {}
    own_groups = by_size if len(by_size) <= most_groups else by_size[: most_groups - 1]
    groups = [(tool, tools[tool]) for tool in own_groups]
    if len(by_size) > most_groups:
        groups.append((_REST, [position for tool in by_size[most_groups - 1 :] for position in tools[tool]]))
    for tool, positions in groups:
        if len(positions) > 1 or tool == _REST:
            new[positions] = len(unit) + len(names)
            names[len(unit) + len(names)] = tool
    assert len(kept) + len(names) <= BUDGET
    return new[unit], names


def _attributes(data: list[Any], first: int, members: int, group: str | None) -> dict[str, Any]:
    own = data[first]
    if members == 1:
        return {
            **{key: own[key] for key in ("signature", "tool", "head", "text", "kind")},
            "members": 1,
            "chain": False,
        }
    tool, text = f"{own['tool']} …", f"{members} calls, once each"
    if group is not None:
        tool, text = ("other tools" if group == _REST else group), f"{members:,} other calls"
    return {
        "signature": None,
        "tool": tool,
        "head": "",
        "text": text,
        "kind": own["kind"],
        "members": members,
        "chain": group is None,
    }
