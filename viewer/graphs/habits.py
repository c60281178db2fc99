"""The habits of several runs as one graph: what kind of call follows what kind, whichever tool makes it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import networkx as nx

from viewer.analysis.scope import sequences
from viewer.model import Trajectory
from viewer.tool_calls import Effect, effects


def habit_graph(runs: Sequence[Trajectory]) -> nx.DiGraph[str]:
    """Nodes are effects (``read``, ``test``, ``edit`` ...) in the order in which the runs first come to them.

    A node has ``calls`` (one count a run) and ``tools`` (the names that make such a call); an edge ``counts`` (one a
    run): steps from one call of the main line to the next within one agent, and ``first`` (run -> index of the call
    that the first such step led to).
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    width = len(runs)
    for run, place in _by_first(runs):
        for call in runs[run].main_line:
            does = _kind(effects(runs[run])[call.index])
            if does not in graph:
                graph.add_node(does, calls=[0] * width, tools={}, rank=place)
            graph.nodes[does]["calls"][run] += 1
            graph.nodes[does]["tools"][call.name] = None
    for run, trajectory in enumerate(runs):
        found = effects(trajectory)
        for calls in sequences(trajectory):
            for before, after in pairwise(calls):
                edge = _kind(found[before.index]), _kind(found[after.index])
                if not graph.has_edge(*edge):
                    graph.add_edge(*edge, counts=[0] * width, first={})
                graph.edges[edge]["counts"][run] += 1
                graph.edges[edge]["first"].setdefault(run, after.index)
    return graph


def _kind(effect: Effect) -> str:
    """Whether a file declares its servers is no difference of runs (decisions.md 5)."""
    return "mcp" if effect.effect == "other" else effect.effect


def _by_first(runs: Sequence[Trajectory]) -> list[tuple[int, int]]:
    """Runs with most kinds of calls first: their order of kinds says most."""
    kinds = [len({effect.effect for effect in effects(run)}) for run in runs]
    return [(run, place) for place, run in enumerate(sorted(range(len(runs)), key=lambda run: (-kinds[run], run)))]
