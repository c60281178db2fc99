"""The agent graph: who started whom, and what each did."""

from __future__ import annotations

from typing import Any

import networkx as nx

from viewer.analysis.errors import failed_checks
from viewer.analysis.remembered import remembered
from viewer.graphs.telling import run_directory, telling
from viewer.model import Trajectory


@remembered
def agent_graph(trajectory: Trajectory) -> nx.DiGraph[int]:
    """Nodes are agents by first call, 0 the main one if it made a call; edges lead from the agent that asked.

    Node attributes: ``agent`` (its id, None for the main one), ``tool`` (what to call it), ``text`` (its task),
    ``visits`` (calls of the main line), ``errors``, ``checks``, ``first``, ``members``. Edges: ``first`` the index of
    the delegating call, ``count`` how often, ``state`` of that call. An agent whose starter is not recorded has none.
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    checks = failed_checks(trajectory)
    number: dict[str | None, int] = {}
    for call in trajectory.main_line:
        node = number.get(call.agent)
        if node is None:
            node = number[call.agent] = len(number)
            graph.add_node(
                node, **_described(trajectory, call.agent, call.parent), visits=0, errors=0, checks=0, first=call.index
            )
        data = graph.nodes[node]
        data["visits"] += 1
        data["errors"] += call.state == "error"
        data["checks"] += call.index in checks
    for agent, node in number.items():
        parent = graph.nodes[node]["parent"]
        if agent is None or parent is None:
            continue
        asked = trajectory.calls[parent]
        if asked.agent in number and asked.agent != agent:
            graph.add_edge(
                number[asked.agent], node, count=1, back=False, delegation=True, first=parent, state=asked.state,
                probability=1.0,
            )  # fmt: skip
    return graph


def _described(trajectory: Trajectory, agent: str | None, parent: int | None) -> dict[str, Any]:
    if agent is None:
        name, task = "main agent", trajectory.harness or ""
    elif parent is None:
        name, task = "sub-agent", agent
    else:
        name, task = f"sub-agent of #{parent + 1}", telling(trajectory.calls[parent], run_directory(trajectory))
    return {"agent": agent, "tool": name, "text": task, "kind": "agent", "members": 1, "parent": parent}
