"""Factory Droid: the session store ``~/.factory/sessions/<id>.jsonl``, and ``droid exec --output-format stream-json``.

https://docs.factory.ai/cli/droid-exec/overview

Store: ``session_start``, then ``message`` rows whose ``message`` has Anthropic blocks. Stream: ``system`` (init),
``message`` (text), ``tool_call`` and ``tool_result`` with one ``id``, ``completion``, ``error``.
Known rows without a step: ``todo_state``, ``session_end``, ``compaction_state``.

Usage: ``completion.usage``. A stated error is ``is_error`` or ``isError``. Cannot tell: exit codes; usage of a store.
"""

from __future__ import annotations

from typing import Final

from viewer.dialects.blocks import below, place
from viewer.draft import Draft, StepDraft
from viewer.format import Format
from viewer.lenient import integer, mapping, mappings, moment, text, without_none
from viewer.messages import text_of
from viewer.model import Json, Usage, Where
from viewer.source import Source
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult, text_id

_KNOWN: Final = frozenset({"todo_state", "session_end", "compaction_state", "session_settings", "session_title"})


def accepts(source: Source) -> bool:
    """A ``session_start`` with an id, a ``tool_call`` with ``toolName``, or ``message`` rows with Anthropic blocks."""
    return any(_is_row(row) for row in source.head)


def _is_row(row: dict[str, Json]) -> bool:
    kind = row.get("type")
    if kind == "session_start":
        return isinstance(row.get("id"), str)
    if kind == "tool_call":
        return isinstance(row.get("toolName"), str) and "parameters" in row
    blocks = mappings(mapping(row.get("message")).get("content")) if kind == "message" else []
    return any(block.get("type") in ("tool_use", "tool_result") for block in blocks)


def read(source: Source) -> tuple[Draft, ...]:
    """One run a session: a second header starts a second one."""
    runs = [_Run(source)]
    for row in source.rows:
        value = mapping(row.value)
        header = value.get("type") in ("session_start", "system")
        if header and runs[-1].headed:
            runs.append(_Run(source))
        runs[-1].headed |= header
        runs[-1].row(value, Where(row=row.index))
    return tuple(run.draft for run in runs)


class _Run:
    def __init__(self, source: Source) -> None:
        self.draft = Draft(source)
        self.draft.harness = "droid"
        self.headed = False
        self.reply: StepDraft | None = None

    def row(self, row: dict[str, Json], where: Where) -> None:
        draft, kind = self.draft, row.get("type")
        when = moment(row.get("timestamp"))
        if kind in ("session_start", "system"):
            draft.directory, draft.model = text(row.get("cwd")), text(row.get("model"))
            draft.started = when
            tools = row.get("tools")
            if isinstance(tools, list):
                draft.declared_tools = [name for name in tools if isinstance(name, str)]
            session = text(row.get("sessionId")) or text(row.get("session_id")) or text(row.get("id"))
            draft.extra |= without_none(session_id=session, title=text(row.get("title")))
        elif kind == "message":
            self._message(row, where, when)
        elif kind == "tool_call":
            found = FoundCall(
                id=text_id(row.get("id")) or text_id(row.get("toolCallId")),
                name=row.get("toolName"),
                arguments=row.get("parameters", MISSING),
                name_at=("toolName",),
                arguments_at=("parameters",),
                started=when,
            )
            draft.call(self._reply(where, when), found, where)
        elif kind == "tool_result":
            stated = row.get("isError")
            error = row.get("error")
            said = text_of(row.get("value") if row.get("value") is not None else error)
            result = FoundResult(text=said, is_error=stated if isinstance(stated, bool) else True if error else None)
            call = draft.result(result, where, id=text_id(row.get("id")) or text_id(row.get("toolCallId")))
            if call is not None:
                call.ended = when
        elif kind == "completion":
            draft.claim, draft.ending, draft.ended = text(row.get("finalText")), "ended", when
            draft.usage = _usage(mapping(row.get("usage")))
        elif kind == "error":
            draft.ending, draft.ending_text = "error", text_of(row.get("message")) or "error"
        elif isinstance(kind, str) and kind in _KNOWN:
            draft.known(where, kind)
            return
        else:
            draft.not_understood(where, str(kind))
            return
        draft.used(where)

    def _reply(self, where: Where, when: float | None) -> StepDraft:
        """The open reply; after a result the next call begins a new one."""
        if self.reply is None or any(call.result is not None for call in self.reply.calls):
            self.reply = self.draft.step("model", where, started=when)
        return self.reply

    def _message(self, row: dict[str, Json], where: Where, when: float | None) -> None:
        message = row.get("message")
        if isinstance(message, dict):
            content = message.get("content")
            blocks = mappings(content)
            results = bool(blocks) and all(block.get("type") == "tool_result" for block in blocks)
            role = message.get("role")
            last = next((step for step in reversed(self.draft.steps) if step.role == "model"), None)
            if results and last is not None:
                step = last
            else:
                step = self.draft.step("model" if role == "assistant" else "user", where, started=when)
            for call in place(self.draft, step, content, below(where, "message", "content")):
                if call.step is step and call.result is None:
                    call.started = when
                elif call.result is not None:
                    call.ended = when
            return
        if row.get("role") == "assistant":
            self.reply = None
            self._reply(where, when).say(text(row.get("text")))
        else:
            self.reply = None
            self.draft.step("user", where, started=when, texts=[text_of(row.get("text"))])


def _usage(usage: dict[str, Json]) -> Usage | None:
    parts = [integer(usage.get(k)) for k in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")]
    known = [tokens for tokens in parts if tokens is not None]
    if not usage:
        return None
    return Usage(
        input_tokens=sum(known) if known else None,
        output_tokens=integer(usage.get("output_tokens")),
        cached_tokens=parts[1],
        cache_write_tokens=parts[2],
        rule="usage of the completion row, cached tokens included in the input",
    )


FORMAT = Format("Factory Droid", accepts, read)
