"""THE shared module: one shape for every tool call of every harness.

Formats find calls and results in their rows (``found``, ``shapes``); this package turns them into the model's
``ToolCall`` and ``ToolResult``: names, kinds, arguments, signature, effect, pairing, states, evidence.
Nobody else names a payload key of a call. It is a library: no Streamlit, no pandas, no format.
"""

from viewer.tool_calls.arguments import command, decoded, delegation, paths, query, url
from viewer.tool_calls.effect import Effect, effect, effects, head, is_test, network_commands
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult
from viewer.tool_calls.kinds import kind_of
from viewer.tool_calls.names import canonical
from viewer.tool_calls.signature import signature
from viewer.tool_calls.states import looks_like_error, state_of

__all__ = [
    "MISSING",
    "Effect",
    "FoundCall",
    "FoundResult",
    "canonical",
    "command",
    "decoded",
    "delegation",
    "effect",
    "effects",
    "head",
    "is_test",
    "kind_of",
    "looks_like_error",
    "network_commands",
    "paths",
    "query",
    "signature",
    "state_of",
    "url",
]
