"""Several attempts as one graph: what they share stands once, and they branch where they part.

After AgentCompass's trajectory graph, but from the alignment alone: no model says which steps mean the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import networkx as nx

from viewer.analysis.errors import failed_checks
from viewer.analysis.loops import in_loops
from viewer.comparison.axis import columns
from viewer.comparison.star import Star
from viewer.graphs.telling import telling
from viewer.model import Trajectory
from viewer.tool_calls import effects

MarkKind: TypeAlias = Literal["alone", "leaves", "key"]
DEFINITIONS: Final[dict[MarkKind, str]] = {
    "alone": "From here on the run's call is shared with no other run.",
    "leaves": "Here the run leaves the reference, the first run that passed.",
    "key": "The first failing call of a failed run behind the place where it left the reference.",
}
MOST_LAYERS: Final = 22
"""Calls in a row that a picture can hold with their labels; of more, chains are folded."""
_SHORTEST_FOLD: Final = 3
_FAILED: Final = frozenset({"error", "denied", "timeout", "interrupted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What happens to a run at a node."""

    kind: MarkKind
    run: int


@dataclass(slots=True, kw_only=True)
class _Node:
    """A node while it is built: the calls of each run, by run."""

    row: int
    calls: dict[int, list[int]]
    rows: list[int]
    marks: list[Mark] = field(default_factory=list)
    repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """``graph``: a node a call that runs share, without cycles; ``order``: the runs from top to bottom.

    Nodes have ``row`` (of the alignment), ``runs``, ``calls`` (run -> indexes), ``tool``, ``text``, ``kind``,
    ``visits`` (calls in all), ``errors`` and ``checks`` of them, ``members`` (distinct calls: more than one in a folded
    chain), ``repeated`` (equal calls in a row that became one), ``first`` (the row), ``marks``. Edges have ``runs``.
    ``paths`` are the nodes of each run, in order; ``repeats`` pairs of nodes of equal calls inside a loop.
    """

    graph: nx.DiGraph[int]
    paths: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    repeats: tuple[tuple[int, int], ...]
    reference: int | None
    """The run that passed and that the others are held against; None where none passed."""


def layers(found: Merged) -> dict[int, int]:
    """Node -> how many nodes lie before it on the longest way; what comes later for some run lies further right."""
    layer: dict[int, int] = {}
    for node in sorted(found.graph.nodes):  # numbered along the axis: predecessors come first
        layer[node] = max((layer[other] + 1 for other in found.graph.predecessors(node)), default=0)
    return layer


def window(found: Merged, row: int, size: int) -> tuple[Merged, int, int]:
    """The part around a row of the alignment: ``size`` layers, and from which one of how many.

    It moves in half windows, so that it stays while one steps inside it.
    """
    layer = layers(found)
    depth = max(layer.values(), default=-1) + 1
    if depth <= size:
        return found, 0, depth
    at = next((layer[node] for node in sorted(layer) if row in found.graph.nodes[node]["rows"]), 0)
    half = size // 2
    start = max(0, min(at // half * half - half // 2, depth - size))
    kept = {node for node, place in layer.items() if start <= place < start + size}
    part = Merged(
        graph=found.graph.subgraph(kept),
        paths=tuple(tuple(node for node in path if node in kept) for path in found.paths),
        order=found.order,
        repeats=tuple(pair for pair in found.repeats if kept.issuperset(pair)),
        reference=found.reference,
    )
    return part, start, depth


def merged(found: Star, runs: Sequence[Trajectory], *, most_layers: int = MOST_LAYERS) -> Merged:
    """The merged graph of aligned runs. Linear in rows and runs."""
    nodes, paths = _nodes(found, len(runs))
    reference = found.reference if runs[found.reference].outcome == "passed" else None
    _mark(nodes, paths, runs, reference)
    nodes, paths = _contracted(nodes, paths, _again(nodes, paths, runs), repeated=True)
    if max((len(path) for path in paths), default=0) > most_layers:
        nodes, paths = _contracted(nodes, paths, _chains(nodes, paths), repeated=False)
    graph: nx.DiGraph[int] = nx.DiGraph()
    checks = [failed_checks(run) for run in runs]
    for number, node in nodes.items():
        graph.add_node(number, **_attributes(node, found, runs, checks))
    for run, path in enumerate(paths):
        for before, after in pairwise(path):
            known = graph.edges[before, after]["runs"] if graph.has_edge(before, after) else ()
            graph.add_edge(before, after, runs=(*known, run))
    return Merged(
        graph=graph,
        paths=tuple(tuple(path) for path in paths),
        order=_order(paths, reference),
        repeats=tuple(sorted(_repeats(nodes, runs))),
        reference=reference,
    )


def _nodes(found: Star, width: int) -> tuple[dict[int, _Node], list[list[int]]]:
    """A node for every column of the axis and what was asked there; and the way of each run over the nodes."""
    nodes: dict[int, _Node] = {}
    paths: list[list[int]] = [[] for _ in range(width)]
    for column in columns(found):
        variants = found.rows[column.row].variants
        own: dict[int | None, int] = {}
        for run, call in enumerate(column.calls):
            if call is None:
                continue
            number = own.setdefault(variants[run], len(nodes))
            nodes.setdefault(number, _Node(row=column.row, calls={}, rows=[column.row])).calls[run] = [call]
            paths[run].append(number)
    return nodes, paths


def _mark(
    nodes: dict[int, _Node], paths: Sequence[Sequence[int]], runs: Sequence[Trajectory], reference: int | None
) -> None:
    for run, path in enumerate(paths):
        alone = next((number for number in path if len(nodes[number].calls) == 1), None)
        if alone is not None and len(paths) > 2:
            nodes[alone].marks.append(Mark(kind="alone", run=run))
        if reference is None or run == reference:
            continue
        off = [number for number in path if reference not in nodes[number].calls]
        if not off:
            continue
        nodes[off[0]].marks.append(Mark(kind="leaves", run=run))
        if runs[run].outcome == "failed":
            erring = _erring(runs[run])
            key = next((number for number in off if nodes[number].calls[run][0] in erring), None)
            if key is not None:
                nodes[key].marks.append(Mark(kind="key", run=run))


def _erring(run: Trajectory) -> frozenset[int]:
    """Calls that failed: neither a test before the first edit, which reproduces the bug, nor a check that said no."""
    found = effects(run)
    checks = failed_checks(run)
    first_edit = next((call.index for call in run.main_line if found[call.index].effect in ("edit", "write")), None)
    erring = set()
    for call in run.main_line:
        test = found[call.index].effect == "test"
        if call.state not in _FAILED or (call.index in checks and not test):
            continue
        if not (test and (first_edit is None or call.index < first_edit)):
            erring.add(call.index)
    return frozenset(erring)


def _chained(nodes: Mapping[int, _Node], paths: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """(before, after), in order, where all runs of one node go to the other and no other run comes to it."""
    before: dict[int, set[int]] = defaultdict(set)
    for path in paths:
        for one, other in pairwise(path):
            before[other].add(one)
    for number, own in sorted(before.items()):
        previous = next(iter(own))
        if len(own) == 1 and nodes[previous].calls.keys() == nodes[number].calls.keys():
            yield previous, number


def _again(nodes: Mapping[int, _Node], paths: Sequence[Sequence[int]], runs: Sequence[Trajectory]) -> dict[int, int]:
    """Node -> the node that it repeats: the same call in a row, by every run, with the same state."""
    home: dict[int, int] = {}
    for before, after in _chained(nodes, paths):
        calls = [
            (runs[run].calls[nodes[before].calls[run][-1]], runs[run].calls[nodes[after].calls[run][0]])
            for run in nodes[before].calls
        ]
        if all((one.signature, one.state) == (other.signature, other.state) for one, other in calls):
            home[after] = home.get(before, before)
    return home


def _chains(nodes: Mapping[int, _Node], paths: Sequence[Sequence[int]]) -> dict[int, int]:
    """Node -> head of its chain, for chains of three nodes or more without a mark on any."""
    head: dict[int, int] = {}
    for before, after in _chained(nodes, paths):
        if not nodes[before].marks and not nodes[after].marks:
            head[after] = head.get(before, before)
    length = Counter(head.values())
    return {node: own for node, own in head.items() if length[own] + 1 >= _SHORTEST_FOLD}


def _contracted(
    nodes: Mapping[int, _Node], paths: Sequence[Sequence[int]], home: Mapping[int, int], *, repeated: bool
) -> tuple[dict[int, _Node], list[list[int]]]:
    """The same graph with every node of ``home`` put into the one it points to."""
    kept: dict[int, _Node] = {}
    for number, node in nodes.items():
        target = kept.get(home.get(number, number))
        if target is None:
            kept[number] = node
            continue
        target.rows += node.rows
        target.marks += node.marks
        target.repeated = (target.repeated or repeated) and repeated
        for run, calls in node.calls.items():
            target.calls[run] += calls
    return kept, [list(dict.fromkeys(home.get(number, number) for number in path)) for path in paths]


def _attributes(
    node: _Node, found: Star, runs: Sequence[Trajectory], checks: Sequence[frozenset[int]]
) -> dict[str, object]:
    row = found.rows[node.row]
    run = min(node.calls)
    call = runs[run].calls[node.calls[run][0]]
    calls = [(own, index) for own, indexes in node.calls.items() for index in indexes]
    failed = [(own, index) for own, index in calls if runs[own].calls[index].state in _FAILED]
    chain = len(node.rows) > 1 and not node.repeated
    path = row.effect in ("read", "edit", "write") and bool(row.target)
    return {
        "row": node.row,
        "rows": tuple(node.rows),
        "runs": tuple(sorted(node.calls)),
        "calls": {own: tuple(indexes) for own, indexes in node.calls.items()},
        "tool": f"{len(node.rows)} calls" if chain else row.effect,
        "text": "" if chain else row.target if path else telling(call, runs[run].directory),
        "kind": "read" if path else call.kind,
        "visits": len(calls),
        "errors": len(failed),
        "checks": sum(index in checks[own] for own, index in failed),
        "members": len(node.rows) if chain else 1,
        "repeated": len(node.rows) if node.repeated else 1,
        "first": node.row,
        "marks": tuple(node.marks),
    }


def _order(paths: Sequence[Sequence[int]], reference: int | None) -> tuple[int, ...]:
    """Top to bottom: runs that go together the longest lie together, the reference first."""
    if not paths:
        return ()
    lead = paths[reference] if reference is not None else paths[0]
    place = {number: at for at, number in enumerate(lead)}

    def key(run: int) -> tuple[bool, int, list[int], int]:
        path = list(paths[run])
        shared = next((at for at, number in enumerate(path) if number not in place), len(path))
        return run != (reference or 0), -shared, path, run

    return tuple(sorted(range(len(paths)), key=key))


def _repeats(nodes: dict[int, _Node], runs: Sequence[Trajectory]) -> Iterable[tuple[int, int]]:
    """(earlier, later) nodes of equal calls inside a loop of some run, each pair once."""
    pairs: set[tuple[int, int]] = set()
    looping = [in_loops(run) for run in runs]
    last: dict[tuple[int, str], int] = {}
    for number, node in nodes.items():
        for run, indexes in node.calls.items():
            if len(node.rows) > 1 and not node.repeated:
                continue
            call = runs[run].calls[indexes[0]]
            earlier = last.get((run, call.signature))
            if earlier is not None and call.index in looping[run]:
                pairs.add((earlier, number))
            last[run, call.signature] = number
    return pairs
