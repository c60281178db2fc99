"""Where nodes go: layers from the first call on, each node as near as can be to those that lead to it.

Linear in nodes and edges (apart from sorting inside a layer). No forces: spring layouts make a hairball of a run.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import networkx as nx

MOST_LAYERS: Final = 9
MOST_SLOTS: Final = 5
"""What a picture of 860 x 430 pixels can hold with labels apart; more is drawn as rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """``layer`` counts from 0 at the left; ``slot`` is a height in units of one row, 0 in the middle, up positive."""

    layer: dict[int, int]
    slot: dict[int, float]

    @property
    def depth(self) -> int:
        """How many layers there are."""
        return max(self.layer.values(), default=-1) + 1

    @property
    def extent(self) -> float:
        """From the lowest to the highest slot."""
        return max(self.slot.values(), default=0.0) - min(self.slot.values(), default=0.0)

    @property
    def fits(self) -> bool:
        """Whether it can be drawn as layers."""
        return self.depth <= MOST_LAYERS and self.extent <= MOST_SLOTS - 1


def layered(graph: nx.DiGraph[int]) -> Layers:
    """Layer = shortest distance from the first node; what cannot be reached from it starts anew at the left."""
    layer = _distances(graph)
    slot: dict[int, float] = {}
    rows: dict[int, list[int]] = {}
    for node, depth in layer.items():
        rows.setdefault(depth, []).append(node)
    for depth in sorted(rows):
        wanted = {}
        for node in rows[depth]:
            near = [slot[other] for other in graph.predecessors(node) if layer[other] == depth - 1]
            wanted[node] = sum(near) / len(near) if near else 0.0
        ordered = sorted(rows[depth], key=lambda node: (-wanted[node], graph.nodes[node]["first"], node))
        slot.update(zip(ordered, apart([wanted[node] for node in ordered]), strict=True))
    return Layers(layer=layer, slot=slot)


def _distances(graph: nx.DiGraph[int]) -> dict[int, int]:
    layer: dict[int, int] = {}
    for root in sorted(graph.nodes, key=lambda node: (graph.nodes[node]["first"], node)):
        if root in layer:
            continue
        layer[root] = 0
        queue = deque([root])
        while queue:
            node = queue.popleft()
            for other in graph.successors(node):
                if other not in layer:
                    layer[other] = layer[node] + 1
                    queue.append(other)
    return layer


def apart(wanted: list[float]) -> list[float]:
    """Falling heights at least 1 apart, as near to the wanted ones as can be (pool adjacent violators)."""
    blocks: list[list[float]] = []  # sum of (wanted + position), how many
    for position, height in enumerate(wanted):
        blocks.append([height + position, 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] < blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    heights: list[float] = []
    for total, count in blocks:
        for _ in range(int(count)):
            heights.append(total / count - len(heights))
    return heights
