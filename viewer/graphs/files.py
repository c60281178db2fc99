"""The file graph: what a run touched, in which order, and what it changed without ever reading it."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import networkx as nx
import numpy as np

from viewer.analysis.remembered import remembered
from viewer.graphs.telling import command_head
from viewer.graphs.transitions import transition_graph
from viewer.model import ToolCall, Trajectory
from viewer.tool_calls import Effect, effects

Touch: TypeAlias = Literal["read", "edit", "run"]
TOUCHES: Final[tuple[Touch, ...]] = ("read", "edit", "run")
_FILES: Final[dict[str, Touch]] = {"read": "read", "edit": "edit", "write": "edit"}


@remembered
def file_graph(trajectory: Trajectory) -> nx.DiGraph[int]:
    """Nodes are files that were read or changed, and commands that were run, by first touch; edges the order.

    Node attributes beside those of ``transition_graph``: ``tool`` (path or program), ``text``, ``file`` (True for
    files), ``reads``, ``edits``, ``runs`` and ``unread``: edited, and not read before by any call of the run, though
    not created by it either. ``graph.graph["touch"]`` holds for each call an index into TOUCHES, -1 for none.
    """
    known: dict[tuple[bool, str], int] = {}
    node = np.full(len(trajectory.calls), -1, dtype=np.int32)
    touch = np.full(len(trajectory.calls), -1, dtype=np.int8)
    attributes: list[dict[str, Any]] = []
    for call, does in zip(trajectory.calls, effects(trajectory), strict=True):
        found = _touched(call, does) if call.line == "main" else None
        if found is None:
            continue
        is_file, name, how = found
        position = known.get((is_file, name))
        if position is None:
            position = known[is_file, name] = len(attributes)
            attributes.append(
                {"tool": name, "file": is_file, "kind": "read" if is_file else "shell", "members": 1, "unread": False}
                | {"reads": 0, "edits": 0, "runs": 0}
            )
        own = attributes[position]
        if how == "edit" and does.effect == "edit" and not own["reads"] and not own["edits"]:
            own["unread"] = True
        own[how + "s"] += 1
        node[call.index] = position
        touch[call.index] = TOUCHES.index(how)
    for own in attributes:
        said = (f"{own[key]:,} {key if own[key] > 1 else key[:-1]}" for key in ("reads", "edits", "runs") if own[key])
        own["text"] = " · ".join(said)
    graph = transition_graph(trajectory, node, attributes)
    graph.graph["touch"] = touch
    return graph


def _touched(call: ToolCall, does: Effect) -> tuple[bool, str, Touch] | None:
    how = _FILES.get(does.effect)
    if how is not None:
        return (True, does.target, how) if does.target and does.target != call.signature else None
    if call.kind == "shell":
        name = command_head(call)
        return (False, name, "run") if name else None
    return None
