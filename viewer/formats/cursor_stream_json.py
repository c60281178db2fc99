"""Cursor CLI, ``cursor-agent -p --output-format stream-json``.

https://docs.cursor.com/en/cli/reference/output-format

Rows ``system`` (init), ``user``, ``assistant``, ``thinking``, ``tool_call`` (started, completed) and ``result``. A
``tool_call`` object has one key ``<name>ToolCall`` with ``args`` and, when completed, ``result``: key ``success``, or
any other, which states an error (but for a bare ``content`` and the like). Started and completed rows of one
``call_id`` are one call.
A run without a call differs from Claude Code's only by an init without ``tools``.

Cannot tell: usage, cost, the model's usage of tokens; whether the task succeeded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from viewer.dialects.blocks import below, place
from viewer.draft import CallDraft, Draft, StepDraft
from viewer.format import Format
from viewer.lenient import at, code, mapping, moment, number, text, without_none
from viewer.messages import text_of
from viewer.model import Json, Where
from viewer.source import Source
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult, Status, text_id
from viewer.tool_calls.slots import entry

_DENIED: Final = frozenset({"rejected", "permissionDenied", "denied"})
_EXIT: Final = ("exitCode", "exit_code")
_TEXTS: Final = ("content", "output", "stdout", "diffString", "message", "text")


def accepts(source: Source) -> bool:
    """A row ``tool_call`` with an object ``tool_call``, or an init with ``apiKeySource`` but no tools or version."""
    return any(
        (row.get("type") == "tool_call" and isinstance(row.get("tool_call"), dict))
        or (
            row.get("type") == "system" and "apiKeySource" in row
            and "tools" not in row and "claude_code_version" not in row
        )
        for row in source.head
    )  # fmt: skip


def read(source: Source) -> tuple[Draft, ...]:
    """One run an init row."""
    runs = [_Run(source)]
    for row in source.rows:
        value = mapping(row.value)
        if value.get("type") == "system" and runs[-1].started:
            runs.append(_Run(source))
        runs[-1].row(value, Where(row=row.index))
    return tuple(run.end() for run in runs)


class _Run:
    def __init__(self, source: Source) -> None:
        self.draft = Draft(source)
        self.draft.harness = "cursor-agent"
        self.started = False
        self.calls: dict[str, CallDraft] = {}
        self.step: StepDraft | None = None

    def row(self, row: dict[str, Json], where: Where) -> None:
        draft, kind = self.draft, row.get("type")
        when = moment(row.get("timestamp_ms")) or moment(row.get("timestamp"))
        message = mapping(row.get("message"))
        if kind == "system":
            self.started = True
            draft.model, draft.directory = text(row.get("model")), text(row.get("cwd"))
            draft.extra |= without_none(session_id=text(row.get("session_id")), mode=text(row.get("permissionMode")))
        elif kind in ("user", "assistant") and "content" in message:
            step = self._reply(where, when) if kind == "assistant" else draft.step("user", where, started=when)
            place(draft, step, message["content"], below(where, "message", "content"))
            if kind == "user":
                self.step = None
        elif kind == "thinking":
            if said := text(row.get("text")):
                self._reply(where, when).think(said)
        elif kind == "tool_call" and isinstance(row.get("tool_call"), dict):
            self._call(row, where, when)
        elif kind == "result":
            failed = row.get("is_error") is True
            draft.ending = "error" if failed else "ended"
            draft.ending_text = text(row.get("subtype"))
            if failed:
                draft.ending_text = " · ".join(filter(None, (draft.ending_text, text(row.get("result")))))
            elif not (self.step and self.step.texts):
                draft.claim = text(row.get("result"))
            milliseconds = number(row.get("duration_ms"))
            draft.extra |= without_none(duration_seconds=None if milliseconds is None else milliseconds / 1000)
        else:
            draft.not_understood(where, str(kind))
            return
        draft.used(where)

    def _reply(self, where: Where, when: float | None) -> StepDraft:
        """The open reply; after an answered call the next word of the model begins a new one."""
        if self.step is None or any(call.result is not None for call in self.step.calls):
            self.step = self.draft.step("model", where, started=when)
        return self.step

    def _call(self, row: dict[str, Json], where: Where, when: float | None) -> None:
        inner = mapping(row["tool_call"])
        key = next((key for key in inner if key.endswith("ToolCall")), None)
        body = mapping(inner.get(key)) if key else mapping(inner.get("function"))
        identity = text_id(row.get("call_id"))
        known = self.calls.get(identity or "")
        if known is None:
            found = _found(key, body) if key else replace(entry(inner), id=identity)
            step = self._reply(where, when)
            known = self.draft.call(step, replace(found, id=identity, started=when), below(where, "tool_call"))
            if identity is not None:
                self.calls[identity] = known
        known.status = "completed" if row.get("subtype") == "completed" else "running"
        result = body.get("result", inner.get("result"))
        if row.get("subtype") == "completed" or result is not None:
            known.ended = when
            if result is not None:
                pointer = ("tool_call", key, "result") if key else ("tool_call",)
                known.result, known.result_where = _result(result), below(where, *pointer)

    def end(self) -> Draft:
        draft = self.draft
        if draft.ending is None:
            draft.ending = "truncated"
            draft.note("truncated", "No result row: the run was killed, or is still running.")
        return draft


def _found(key: str, body: dict[str, Json]) -> FoundCall:
    arguments = body.get("args", MISSING)
    name: Json = key.removesuffix("ToolCall")
    if name == "mcp" and isinstance(arguments, dict):
        server = text(arguments.get("providerIdentifier")) or text(arguments.get("serverName"))
        return FoundCall(
            name=text(arguments.get("toolName")) or arguments.get("name"),
            server=server,
            arguments=arguments.get("args", arguments.get("arguments", MISSING)),
            arguments_at=(key, "args", "args"),
        )
    return FoundCall(name=name, arguments=arguments, arguments_at=(key, "args"))


def _result(value: Json) -> FoundResult:
    result = mapping(value)
    outcome = next(iter(result), None)
    if outcome is None:
        return FoundResult(text=text_of(value) if value else "")
    inner = result[outcome]
    if outcome in _TEXTS and not isinstance(inner, dict):  # the output itself, with no word on how it went
        return FoundResult(text=text_of(inner))
    exit_code = next((found for key in _EXIT if (found := code(at(inner, key))) is not None), None)
    said = next((text(at(inner, key)) for key in _TEXTS if text(at(inner, key))), None)
    errors = text(at(inner, "stderr"))
    whole = "\n".join(part for part in (said, errors) if part)
    status: Status | None = "denied" if outcome in _DENIED else "timeout" if outcome == "timeout" else None
    return FoundResult(
        text=whole or ("" if inner in ({}, None) else text_of(inner)),
        is_error=outcome != "success",
        exit_code=exit_code,
        status=status,
    )


FORMAT = Format("Cursor CLI stream-json", accepts, read)
