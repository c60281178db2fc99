"""The tool graph: tool names and how often one follows another; the habit of a harness, small enough to compare."""

from __future__ import annotations

from typing import Any, Final

import networkx as nx
import numpy as np

from viewer.analysis.remembered import remembered
from viewer.graphs.transitions import transition_graph
from viewer.model import Trajectory

BUDGET: Final = 20


@remembered
def tool_graph(trajectory: Trajectory) -> nx.DiGraph[int]:
    """Nodes are canonical tool names by first visit, edges transitions: see ``transition_graph``.

    Node attributes beside those: ``tool``, ``text`` (its kind), ``kind``, ``members``: of more than twenty tools the
    least used are one node.
    """
    known: dict[str, int] = {}
    kinds: list[str] = []
    node = np.full(len(trajectory.calls), -1, dtype=np.int32)
    for call in trajectory.main_line:
        if call.name not in known:
            known[call.name] = len(known)
            kinds.append(call.kind)
        node[call.index] = known[call.name]
    attributes: list[dict[str, Any]] = [
        {"tool": name, "text": kind, "kind": kind, "members": 1} for name, kind in zip(known, kinds, strict=True)
    ]
    if len(known) > BUDGET:
        counts = np.bincount(node[node >= 0], minlength=len(known))
        kept = np.sort(np.lexsort((np.arange(len(known)), -counts))[: BUDGET - 1])
        new = np.full(len(known), len(kept), dtype=np.int32)
        new[kept] = np.arange(len(kept))
        rest = len(known) - len(kept)
        other = {"tool": "other tools", "text": f"{rest} tools", "kind": "other", "members": rest}
        attributes = [*(attributes[position] for position in kept.tolist()), other]
        node = np.where(node >= 0, new[node], -1).astype(np.int32)
    return transition_graph(trajectory, node, attributes)
