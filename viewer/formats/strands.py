"""Strands Agents: an agent's ``messages``, in the shape of Bedrock Converse.

https://strandsagents.com/latest/documentation/docs/user-guide/concepts/agents/state/

Rows ``{role, content}`` whose content parts have no ``type``: ``text``, ``reasoningContent``, ``toolUse``,
``toolResult``. A message of a session's folder is the same below ``message``, with times. All results of a turn stand
in one user message. Usage: ``metadata.usage`` of assistant messages, summed. A stated error is ``status`` error.
Cannot tell: times (in the plain list), the model, exit codes, an ending.
"""

from __future__ import annotations

from viewer.dialects.blocks import below, place_turn
from viewer.draft import Draft, summed
from viewer.format import Format
from viewer.lenient import at, integer, mapping, moment, number
from viewer.model import Json, Usage, Where
from viewer.source import Source
from viewer.tool_calls.turns import turn

_PARTS = frozenset({"text", "reasoningContent", "toolUse", "toolResult", "image", "document", "video", "cachePoint",
                    "guardContent"})  # fmt: skip
_OWN = frozenset({"reasoningContent", "toolUse", "toolResult"})


def accepts(source: Source) -> bool:
    """Every row is a Bedrock message, and one of them has a call, a result, reasoning or a tracking id."""
    messages = [_message(row) for row in source.head]
    if not messages or not all(_is_message(message) for message in messages):
        return False
    return any(
        "tracking_id" in message or any(_OWN & part.keys() for part in message["content"]) for message in messages
    )


def _message(row: dict[str, Json]) -> dict[str, Json]:
    return mapping(row["message"]) if "message_id" in row and isinstance(row.get("message"), dict) else row


def _is_message(message: dict[str, Json]) -> bool:
    content = message.get("content")
    return message.get("role") in ("user", "assistant") and isinstance(content, list) and all(
        isinstance(part, dict) and "type" not in part and part.keys() & _PARTS for part in content
    )  # fmt: skip


def read(source: Source) -> tuple[Draft, ...]:
    """One run: the rows in order."""
    draft = Draft(source)
    draft.harness = "strands"
    for row in source.rows:
        value, where = mapping(row.value), Where(row=row.index)
        message = _message(value)
        if not _is_message(message):
            draft.not_understood(where, str(message.get("role")))
            continue
        place = where if message is value else below(where, "message")
        spoken = turn(message)
        if spoken.results and not spoken.text:
            for pointer, identity, result in spoken.results:
                last = next((step for step in reversed(draft.steps) if step.role == "model"), None)
                draft.result(result, below(place, *pointer), id=identity, step=last)
        else:
            step = place_turn(draft, spoken, place)
            step.started = moment(value.get("created_at"))
            if spoken.role == "model":
                usage = mapping(at(message, "metadata", "usage"))
                step.usage = _usage(usage) if usage else None
                latency = number(at(message, "metadata", "metrics", "latencyMs"))
                step.model_seconds = latency / 1000 if latency else None
        draft.used(where)
    draft.states_no_exit_codes()
    draft.usage = summed((step.usage for step in draft.steps), "sum of metadata.usage over the assistant's messages")
    return (draft,)


def _usage(usage: dict[str, Json]) -> Usage:
    return Usage(
        input_tokens=integer(usage.get("inputTokens")),
        output_tokens=integer(usage.get("outputTokens")),
        cached_tokens=integer(usage.get("cacheReadInputTokens")),
        cache_write_tokens=integer(usage.get("cacheWriteInputTokens")),
    )


FORMAT = Format("Strands messages", accepts, read)
