"""The phase graph: localize, patch, validate, general, and how a run moves between them."""

from __future__ import annotations

from typing import Final

import networkx as nx
import numpy as np

from viewer.analysis.phases import PHASES, phases
from viewer.analysis.remembered import remembered
from viewer.graphs.layout import Layers
from viewer.graphs.transitions import transition_graph
from viewer.model import Trajectory

LETTERS: Final = tuple(PHASES)
_PLACES: Final = {"L": (0, 0.0), "P": (1, 0.75), "V": (2, 0.0), "G": (1, -0.75)}


@remembered
def phase_graph(trajectory: Trajectory) -> nx.DiGraph[int]:
    """Nodes 0 to 3 are L, P, V, G, those the run has; edges transitions, staying in a phase among them.

    ``first`` of a phase follows the run, so ``back`` means a return to a phase the run was in before.
    """
    at = {letter: position for position, letter in enumerate(LETTERS)}
    letters = np.array([at[letter] for letter in phases(trajectory)], dtype=np.int32)
    total = max(1, len(trajectory.main_line))
    counts = dict.fromkeys(LETTERS, 0)
    for call in trajectory.main_line:
        counts[LETTERS[letters[call.index]]] += 1
    graph = transition_graph(
        trajectory,
        letters,
        [
            {
                "tool": PHASES[letter],
                "text": f"{letter} {counts[letter] / total:.0%}",
                "kind": "other",
                "members": 1,
                "letter": letter,
            }
            for letter in LETTERS
        ],
    )
    graph.remove_nodes_from([node for node in list(graph.nodes) if not graph.nodes[node]["visits"]])
    return graph


def phase_layers(graph: nx.DiGraph[int]) -> Layers:
    """The same places in every run, so that two runs can be compared by eye."""
    return Layers(
        layer={node: _PLACES[LETTERS[node]][0] for node in graph.nodes},
        slot={node: _PLACES[LETTERS[node]][1] for node in graph.nodes},
    )
