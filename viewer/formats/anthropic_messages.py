"""Anthropic messages: a conversation as it is sent to the Messages API, whichever program kept it.

https://docs.anthropic.com/en/api/messages

A list or lines of messages, ``{messages: [...]}`` (also with ``system`` or ``system_prompt``), lines of either (one
run a line), or one reply of the API. Recognised by a block that only this API has: ``tool_use``, ``tool_result``,
``thinking`` and their like; a conversation of plain texts is OpenAI chat to everybody. Cline's SDK adds
``modelInfo``, ``metrics`` and ``ts`` to each message. Blocks ``file`` and ``document`` are attachments.
Recorded HTTP or event streams are not read.

Cannot tell: the harness, times and tokens (but for wrappers), the ending, whether the task succeeded. ``is_error`` is
only set for failures that the program reports; a shell's exit code is in the text.
"""

from __future__ import annotations

from viewer.dialects.blocks import below, place
from viewer.dialects.chat import ROLES, Conversation, conversations, declared, role_of
from viewer.draft import Draft, StepDraft
from viewer.format import Format
from viewer.lenient import at, integer, mapping, mappings, moment, number, text
from viewer.messages import text_of
from viewer.model import Json, Usage, Where
from viewer.source import Source

_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"})
_ATTACHMENTS = frozenset({"file", "document", "container_upload", "search_result"})
_OTHER_WRAPPERS = frozenset({"suite_name", "traj", "trajectory_format", "responses_create_params", "simulations",
                             "termination_reason", "platform", "eval", "trajectory"})  # fmt: skip


def accepts(source: Source) -> bool:
    """Every entry is a message of this API, and one of them has a block that only this API writes."""
    if source.head and all(_is_reply(row) for row in source.head) and len(source) == len(source.head):
        return True
    found = conversations(source, head=True)
    return (
        bool(found)
        and all(not talk.wrapper.keys() & _OTHER_WRAPPERS and all(map(_is_message, talk.messages)) for talk in found)
        and any(_has_block(message) for talk in found for message in talk.messages)
    )


def _is_reply(row: dict[str, Json]) -> bool:
    """One reply of the API: the message object itself."""
    return row.get("type") == "message" and row.get("role") == "assistant" and "stop_reason" in row and _is_content(row)


def _is_message(value: Json) -> bool:
    if not isinstance(value, dict) or role_of(value) in (None, "tool", "function"):
        return False
    if "message" in value or "tool_calls" in value or value.get("type", "message") != "message":
        return False
    return _is_content(value) and "sessionId" not in value and "session_id" not in value


def _is_content(value: dict[str, Json]) -> bool:
    content = value.get("content")
    if isinstance(content, list):
        return all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content)
    return isinstance(content, str)


def _has_block(message: Json) -> bool:
    return any(text(block.get("type")) in _BLOCKS for block in mappings(mapping(message).get("content")))


def read(source: Source) -> tuple[Draft, ...]:
    """One run a conversation; replies of the API alone are one run."""
    if not any("messages" in row for row in source.head) and all(_is_reply(row) for row in source.head):
        return (_conversation(source, Conversation(source.values)),)
    return tuple(_conversation(source, talk) for talk in conversations(source))


def _conversation(source: Source, talk: Conversation) -> Draft:
    draft = Draft(source)
    for where, message in talk:
        value = mapping(message)
        role = role_of(value)
        if role is None:
            draft.not_understood(where, f"message of role {value.get('role')!r}" if value else type(message).__name__)
            continue
        _message(draft, value, role, where)
        draft.used(where)
    wrapper = talk.wrapper
    if talk.row is not None and not talk.messages:
        draft.used(Where(row=talk.row))
    draft.model = text(wrapper.get("model"))
    draft.declared_tools = declared(wrapper.get("tools"))
    if said := text_of(wrapper.get("system")) or text_of(wrapper.get("system_prompt")):
        draft.extra["system_prompt"] = said
    if session := text(wrapper.get("sessionId")):
        draft.extra["session_id"] = session
    costs = [cost for m in mappings(talk.messages) if (cost := number(at(m, "metrics", "cost"))) is not None]
    draft.cost = sum(costs) if costs else None
    return draft


def _message(draft: Draft, value: dict[str, Json], role: str, where: Where) -> None:
    content = value.get("content")
    results_only = bool(mappings(content)) and all(
        str(block.get("type")).endswith("tool_result") for block in mappings(content)
    )
    when = moment(value.get("ts"))
    step: StepDraft | None = None
    if role == "user" and results_only:  # results go to the reply whose calls they answer
        step = next((step for step in reversed(draft.steps) if step.role == "model"), None)
    if step is None:
        step = draft.step(ROLES[role], where, label=text(value.get("id")))
        step.started = when
    if step.role == "model" and role in ("assistant", "model"):
        step.model = text(value.get("model")) or text(at(value, "modelInfo", "id"))
        step.stop_reason = text(value.get("stop_reason"))
        step.usage = _usage(value)
    for call in place(draft, step, content, below(where, "content"), ignore=_ATTACHMENTS):
        if role == "user":
            call.ended = when
        elif call.started is None:
            call.started = when


def _usage(value: dict[str, Json]) -> Usage | None:
    """Tokens of a reply: the API's own ``usage``, where cached ones come on top, or the metrics of Cline's SDK."""
    usage, metrics = mapping(value.get("usage")), mapping(value.get("metrics"))
    if metrics:
        return Usage(
            input_tokens=integer(metrics.get("inputTokens")),
            output_tokens=integer(metrics.get("outputTokens")),
            cached_tokens=integer(metrics.get("cacheReadTokens")),
            cache_write_tokens=integer(metrics.get("cacheWriteTokens")),
        )
    if not usage:
        return None
    parts = [
        integer(usage.get(key)) for key in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    known = [part for part in parts if part is not None]
    return Usage(
        input_tokens=sum(known) if known else None,
        output_tokens=integer(usage.get("output_tokens")),
        cached_tokens=parts[1],
        cache_write_tokens=parts[2],
    )


FORMAT = Format("Anthropic messages", accepts, read)
