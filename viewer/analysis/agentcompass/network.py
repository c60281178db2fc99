"""AgentCompass's NetworkOperationAnalyzer as its ``details``: ours by command position, and what the release shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from viewer.analysis.agentcompass.steps import Details, SeenStep, dumped
from viewer.analysis.network import TOOLS, NetworkOperation, network_labels
from viewer.model import ToolCall

_SHELLS: Final = re.compile(r"(?i)^(?:bash|sh|bash_command)$")
_TOOLS: Final = re.compile(rf"(?i)^(?:{'|'.join(sorted(TOOLS))})$")
_TEXTS: Final = tuple(
    (re.compile(rf"(?i)\b{pattern}\b"), label)
    for pattern, label in (
        *((rf"{tool}\s+install", f"{label} install") for tool, label in (
            ("pip", "pip"), ("pip3?", "pip3"), ("apt(?:-get)?", "apt-get"))),
        (r"apk\s+add", "apk add"),
        *((rf"{tool}\s+install", f"{tool} install") for tool in ("yum", "dnf", "conda", "npm")),
        (r"yarn\s+add", "yarn add"),
        (r"pnpm\s+add", "pnpm add"),
        *((rf"{tool}\s+install", f"{tool} install") for tool in ("gem", "cargo")),
        (r"go\s+(?:get|install)", "go get|install"),
        *((tool, tool) for tool in ("curl", "wget")),
        (r"git\s+clone", "git clone"),
        (r"svn\s+(?:checkout|co)", "svn checkout|co"),
        (r"gh\s+(?:repo|api|browse)", "gh repo|api|browse"),
        *((tool, tool) for tool in ("scp", "rsync", "sftp", "ping", "dig", "nslookup")),
    )
)  # fmt: skip
"""What the release looks for in a shell tool's arguments, in its order."""


def network_operations(steps: Sequence[SeenStep], *, shipped: bool) -> Details:
    """NetworkOperationAnalyzer; ``shipped``: with the release's own words in place of command positions."""
    found = []
    counts: Counter[str] = Counter()
    for step in steps:
        commands = []
        for call in step.calls:
            label = matched(call.name, _text(call.call)) if shipped else _label(call.call)
            if label is not None:
                counts[label] += 1
                commands.append({"tool": call.name, "args": _text(call.call)[:500], "match": label})
        if commands:
            found.append({"step_id": step.id, "commands": commands})
    total = sum(bool(step.entries) for step in steps)
    return {
        "total_tool_steps": total,
        "network_steps": len(found),
        "network_op_ratio": round(len(found) / total, 4) if total else 0.0,
        "network_op_types": list(counts.elements()),
        "network_details": found,
    }


def _text(call: ToolCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else dumped(call.arguments)


def _label(call: ToolCall) -> str | None:
    labels = network_labels(call)
    return NetworkOperation(call=call.index, step=call.step, labels=labels).label if labels else None


def matched(name: str, arguments: str) -> str | None:
    """What the release takes a call for: a word in the text of three shell tools, or five tools by name."""
    if _SHELLS.search(name):
        text = f"{name} {arguments}"
        return next((label for pattern, label in _TEXTS if pattern.search(text)), None)
    return name.lower() if _TOOLS.search(name) else None
