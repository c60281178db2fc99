"""OpenAI Agents SDK: a session, rows of the SQLite table ``agent_messages``.

https://openai.github.io/openai-agents-python/sessions/

Rows ``{id, session_id, message_data, created_at}``; ``message_data`` is one Responses item (or its JSON text). Items of
a reply share a step: reasoning, message, calls, until a result or a person's message. Item ids may be
``__fake_id__`` on all: only ``call_id`` counts. ``created_at`` has no zone (taken as UTC) and whole seconds.
Cannot tell: usage, errors, the model, an ending.
"""

from __future__ import annotations

from viewer.dialects.blocks import below, place_turn
from viewer.draft import Draft, StepDraft
from viewer.format import Format
from viewer.lenient import mapping, moment
from viewer.model import Where
from viewer.source import Source
from viewer.tool_calls.found import text_id
from viewer.tool_calls.turns import parsed, turn


def accepts(source: Source) -> bool:
    """A row with ``message_data`` beside ``session_id``."""
    return any("message_data" in row and "session_id" in row for row in source.head)


def read(source: Source) -> tuple[Draft, ...]:
    """One run a session, in order of appearance."""
    drafts: dict[str | None, Draft] = {}
    replies: dict[str | None, StepDraft | None] = {}
    for row in source.rows:
        value, where = mapping(row.value), Where(row=row.index)
        session = text_id(value.get("session_id"))
        draft = drafts.get(session)
        if draft is None:
            draft = drafts[session] = Draft(source)
            draft.harness = "openai-agents"
            draft.extra["session_id"] = session
        item = parsed(value.get("message_data"))
        if not isinstance(item, dict):
            draft.not_understood(where, "row without a message")
            continue
        spoken = turn(item, "user" if item.get("role") == "user" else "model")
        place = where if isinstance(value.get("message_data"), str) else below(where, "message_data")
        when = moment(value.get("created_at"))
        step = place_turn(draft, spoken, place, replies.get(session) if spoken.role == "model" else None)
        if spoken.role == "environment":
            for call in step.calls:
                if call.result_where is not None and call.result_where.row == where.row:
                    call.ended = when
        step.started = step.started or when
        replies[session] = step if spoken.role == "model" else None
        draft.used(where)
    for draft in drafts.values():
        draft.states_no_exit_codes()
    return tuple(drafts.values())


FORMAT = Format("OpenAI Agents session", accepts, read)
