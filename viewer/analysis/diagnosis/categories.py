"""The thirteen failure categories, how an error's text names one, and what other taxonomies call them."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, get_args

Category: TypeAlias = Literal[
    "planning_error",
    "memory_context_error",
    "retrieval_error",
    "tool_selection_error",
    "tool_invocation_error",
    "tool_response_handling_error",
    "verification_error",
    "safety_policy_error",
    "multi_agent_routing_error",
    "loop_no_progress",
    "system_infra_error",
    "instruction_following_error",
    "unknown",
]
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

AGENT_DEBUG: Final[dict[Category, str]] = {
    "memory_context_error": "Memory",
    "retrieval_error": "Memory",
    "verification_error": "Reflection",
    "loop_no_progress": "Reflection",
    "planning_error": "Planning",
    "multi_agent_routing_error": "Planning",
    "instruction_following_error": "Planning",
    "tool_selection_error": "Action",
    "tool_invocation_error": "Action",
    "tool_response_handling_error": "Action",
    "system_infra_error": "System",
    "safety_policy_error": "System",
}
"""AgentDebug's modules (arXiv 2509.25370)."""

MAST: Final[dict[str, str]] = {
    "R07": "1.3 step repetition",
    "R08": "1.3 step repetition",
    "R09": "1.3 step repetition",
    "R10": "1.3 step repetition",
    "R25": "1.4 loss of conversation history",
    "R26": "1.1 disobey task specification",
    "R14": "2.5 ignored other agent's input",
    "R18": "3.1 premature termination",
    "R15": "3.2 no or incomplete verification",
    "R16": "3.3 incorrect verification",
}
"""Failure modes of MAST (arXiv 2503.13657), by rule."""

AGENT_RX: Final[dict[str, tuple[Category, ...]]] = {
    "instruction plan adherence failure": ("instruction_following_error", "planning_error", "verification_error"),
    "invention of new information": ("memory_context_error",),
    "invalid invocation": ("tool_invocation_error", "tool_selection_error"),
    "misinterpretation of tool output": ("tool_response_handling_error", "retrieval_error"),
    "intent plan misalignment": ("planning_error", "multi_agent_routing_error"),
    "underspecified user intent": ("planning_error",),
    "intent not supported": ("planning_error", "tool_selection_error"),
    "guardrails triggered": ("safety_policy_error",),
    "system failure": ("system_infra_error", "loop_no_progress"),
    "inconclusive": ("unknown",),
}
"""AgentRx's ten categories (arXiv 2602.02475), spelled as ``agent_rx`` folds them, and ours that mean the same."""


def agent_rx(label: str) -> str:
    """AgentRx's label in one spelling: its files write "Intent-Plan", "Intent Plan", with and without "Failure"."""
    folded = re.sub(r"[^a-z]+", " ", label.lower()).strip()
    if folded.startswith(("instruction adherence", "plan adherence", "instruction plan adherence")):
        return "instruction plan adherence failure"
    return next((name for name in AGENT_RX if folded.startswith(name)), folded)


_WORDS: Final[tuple[tuple[Category, str], ...]] = (
    ("tool_selection_error", r"unknown tool|no such tool|tool .{0,40}not found|unsupported call"),
    ("tool_invocation_error", r"InputValidation|missing required|invalid (?:json|arguments?|parameters?)|^usage:"),
    ("tool_invocation_error", r"unexpected keyword|required property|must have required|validation error"),
    ("system_infra_error", r"permission denied|EACCES|EPERM|not permitted|requires approval|\b(?:401|403)\b"),
    ("system_infra_error", r"\b429\b|\bstatus(?: code)? 5\d\d\b|ECONN|could not resolve host|name resolution|quota"),
    ("system_infra_error", r"network is unreachable|connection refused|rate limit|timed? ?out|deadline exceeded"),
    ("system_infra_error", r"command not found|ModuleNotFoundError|No module named|ImportError|No space left"),
    ("memory_context_error", r"No such file|ENOENT|File not found|does not exist|FileNotFoundError"),
    ("memory_context_error", r"old_string|String to replace|not found in file|no match|could not find"),
    ("memory_context_error", r"verification failed|old text not found"),
)
"""First match wins. A missing program is the machine's fault; a missing file was believed to be there."""
_BY_TEXT: Final = tuple((re.compile(words, re.IGNORECASE | re.MULTILINE), category) for category, words in _WORDS)


def of_error(text: str) -> Category:
    """The category an error's own text names; unknown when it names none."""
    head = text[:2_000]
    return next((category for pattern, category in _BY_TEXT if pattern.search(head)), "unknown")
