"""Network operations by command position (analysis.md 1): what reached for the network, not what mentions it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from viewer.analysis import refuse_blocked
from viewer.analysis.scope import main_calls
from viewer.model import Coverage, ToolCall, Trajectory
from viewer.tool_calls import command, network_commands

THRESHOLD: Final = 0.2
"""Ours. AgentCompass's own (20.0 on a ratio of at most 1) can never fire."""
DEFINITION: Final = (
    "Steps in which a call reaches the network, over steps with calls. A web tool, or a network program where a shell "
    "command begins: not the word in a text, a file name, echo or grep."
)
LABELS: Final = {
    "pip install": "pip install",
    "uv pip": "pip install",
    "pip3 install": "pip3 install",
    "apt install": "apt-get install",
    "apt-get install": "apt-get install",
    "apk add": "apk add",
    "yum install": "yum install",
    "dnf install": "dnf install",
    "conda install": "conda install",
    "npm install": "npm install",
    "yarn add": "yarn add",
    "pnpm add": "pnpm add",
    "gem install": "gem install",
    "cargo install": "cargo install",
    "go get": "go get|install",
    "go install": "go get|install",
    "curl": "curl",
    "wget": "wget",
    "git clone": "git clone",
    "svn checkout": "svn checkout|co",
    "svn co": "svn checkout|co",
    "scp": "scp",
    "rsync": "rsync",
    "sftp": "sftp",
    "ping": "ping",
    "dig": "dig",
    "nslookup": "nslookup",
}
"""Head of a command -> AgentCompass's spelling, in the order in which it looks for them. Others keep their head."""
_ORDER: Final = {label: place for place, label in enumerate(dict.fromkeys(LABELS.values()))}
TOOLS: Final = frozenset({"curl", "wget", "fetch", "download", "http_request"})
"""Tools that AgentCompass takes for network tools by name, whatever their kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkOperation:
    """A call that reaches the network. ``labels`` name its commands in order, AgentCompass's spelling first choice."""

    call: int
    step: int
    labels: tuple[str, ...]

    @property
    def label(self) -> str:
        """The one name AgentCompass would give it: the first of its own list, else the first command."""
        return min(self.labels, key=lambda label: _ORDER.get(label, len(_ORDER)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """``ratio`` is len(network_steps) / tool_steps, rounded to 4 places; None when no step has a call."""

    operations: tuple[NetworkOperation, ...]
    tool_steps: int
    network_steps: tuple[int, ...]
    ratio: float | None
    types: tuple[tuple[str, int], ...]
    """(label, how many calls), most first."""
    coverage: Coverage

    @property
    def above(self) -> bool:
        """More than our threshold."""
        return self.ratio is not None and self.ratio > THRESHOLD


def network(trajectory: Trajectory) -> Network:
    """The network operations of the main line, all agents pooled. Raises ``Blocked``."""
    refuse_blocked(trajectory)
    operations = tuple(
        NetworkOperation(call=call.index, step=call.step, labels=labels)
        for call in main_calls(trajectory)
        if (labels := network_labels(call))
    )
    tool_steps = sum(bool(step.calls) for step in trajectory.steps if step.line == "main")
    steps = tuple(dict.fromkeys(operation.step for operation in operations))
    return Network(
        operations=operations,
        tool_steps=tool_steps,
        network_steps=steps,
        ratio=round(len(steps) / tool_steps, 4) if tool_steps else None,
        types=tuple(Counter(operation.label for operation in operations).most_common()),
        coverage=trajectory.coverage,
    )


def network_labels(call: ToolCall) -> tuple[str, ...]:
    """What a call reaches the network with, in order; empty when it doesn't."""
    if call.kind == "shell":
        text = command(call)
        return _commands(text) if text else ()
    name = call.name.strip().lower()
    if name in TOOLS:
        return (name,)
    return (call.name,) if call.kind == "web" else ()


@lru_cache(maxsize=20_000)
def _commands(text: str) -> tuple[str, ...]:
    return tuple(_label(head) for head in network_commands(text))


def _label(head: str) -> str:
    program, _, rest = head.partition(" -m ")
    if rest and program.startswith(("python", "pypy")):
        head = rest
    if head.startswith("gh ") and head.split()[1] in ("repo", "api", "browse"):
        return "gh repo|api|browse"
    return LABELS.get(head, head)
