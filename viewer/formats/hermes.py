"""Hermes, its session document: ``{session_id, platform, model, messages}``.

https://github.com/NousResearch/hermes-agent

OpenAI chat messages; ``reasoning`` and ``reasoning_content`` say the same. Known without a step: messages of the role
``session_meta``. No run of Hermes was recorded: the sample is the recorded run put into this document's shape.

Cannot tell: errors of tools, tokens, times of a step, the ending, whether the task succeeded.
"""

from __future__ import annotations

from viewer.dialects.blocks import below
from viewer.dialects.chat import declared, read_message
from viewer.draft import Draft
from viewer.format import Format
from viewer.lenient import at, items, mapping, moment, text, without_none
from viewer.messages import text_of
from viewer.model import Json, Where
from viewer.source import Source


def accepts(source: Source) -> bool:
    """Every object row is such a document."""
    return bool(source.head) and all(_is_session(row) for row in source.head)


def _is_session(row: dict[str, Json]) -> bool:
    named = isinstance(row.get("session_id"), str) and isinstance(row.get("platform"), str)
    return named and isinstance(row.get("messages"), list)


def read(source: Source) -> tuple[Draft, ...]:
    """One run a session."""
    return tuple(_session(source, row.index, mapping(row.value)) for row in source.rows if isinstance(row.value, dict))


def _session(source: Source, row: int, session: dict[str, Json]) -> Draft:
    draft = Draft(source)
    draft.harness = "hermes"
    draft.model = text(session.get("model"))
    draft.directory = text(at(session, "model_config", "cwd"))
    draft.declared_tools = declared(session.get("tools"))
    draft.started, draft.ended = moment(session.get("session_start")), moment(session.get("last_updated"))
    for index, message in enumerate(items(session.get("messages"))):
        where = below(Where(row=row), "messages", index)
        if mapping(message).get("role") == "session_meta":
            draft.known(where, "session_meta")
        else:
            read_message(draft, message, where)
    if not items(session.get("messages")):
        draft.used(Where(row=row))
    draft.extra |= without_none(
        session_id=text(session.get("session_id")),
        platform=text(session.get("platform")),
        system_prompt=text_of(session.get("system_prompt")) or None,
    )
    return draft


FORMAT = Format("Hermes session", accepts, read)
