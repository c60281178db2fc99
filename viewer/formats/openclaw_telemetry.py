"""OpenClaw telemetry: one row an event of the gateway, ``{type, sessionKey, agentId, seq, ts, ...}``.

Written by telemetry plugins of OpenClaw through its hooks; https://docs.openclaw.ai/

Rows ``agent.start`` (the prompt), ``tool.start``, ``tool.end``, ``agent.end``. One run a ``sessionKey``. The last
``agent.end`` with ``messages`` holds the session's history in Pi's messages: where it has every call that was started,
it is what is read, and the other rows are copies that add times. Without it the calls are the ``tool.start`` rows:
they have no ids, so a ``tool.end`` answers the most recent open call of its name, and no tool's output is recorded.

Known without a step: ``message.in``, ``message.out`` and rows of a type with another first word (llm, session, ...);
copies of prompts and calls; earlier histories.

Cannot tell: without a history, what a tool returned and what the model said; exit codes stand in the history only.
"""

from __future__ import annotations

from dataclasses import replace

from viewer.dialects.blocks import below
from viewer.dialects.pi import UNKNOWN, Messages
from viewer.draft import CallDraft, Draft
from viewer.format import Format
from viewer.lenient import items, mapping, mappings, moment, number, text
from viewer.messages import text_of
from viewer.model import Json, Where
from viewer.source import Source
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult

_NO_STEP = ("message.", "llm.", "session.", "gateway.", "model.", "hook.", "agent.", "tool.")
_COPY = "copy of the history"


def accepts(source: Source) -> bool:
    """An ``agent.*`` or ``tool.*`` row with a ``sessionKey``."""
    return any(
        isinstance(row.get("sessionKey"), str) and str(row.get("type")).startswith(("agent.", "tool."))
        and "traceSchema" not in row
        for row in source.head
    )  # fmt: skip


def read(source: Source) -> tuple[Draft, ...]:
    """One run a session, in order of first appearance; rows without a session belong to the first."""
    rows = [(mapping(row.value), Where(row=row.index)) for row in source.rows]
    first = next((key for row, _ in rows if (key := text(row.get("sessionKey")))), None)
    sessions: dict[str | None, list[tuple[dict[str, Json], Where]]] = {first: []}
    for row, where in rows:
        sessions.setdefault(text(row.get("sessionKey")) or first, []).append((row, where))
    return tuple(_Run(source, key, entries).end() for key, entries in sessions.items())


class _Run:
    def __init__(self, source: Source, key: str | None, entries: list[tuple[dict[str, Json], Where]]) -> None:
        self.draft = Draft(source)
        self.draft.harness = "openclaw"
        self.draft.extra |= {"session_key": key} if key else {}
        self.messages = Messages(self.draft)
        self.open: list[tuple[str | None, CallDraft]] = []
        self.closed = False
        self.history = _history(entries)
        for row, where in entries:
            self._row(row, where)
        if self.history is not None:
            self._times(entries)

    def _row(self, row: dict[str, Json], where: Where) -> None:
        draft, kind, when = self.draft, text(row.get("type")) or "no type", moment(row.get("ts"))
        if kind == "agent.end":
            self._ended(row, where, when)
        elif kind == "agent.start":
            self.closed = False
            draft.started = draft.started or when
            said = text_of(row.get("prompt"))
            if self.history is not None or any(said in step.texts for step in draft.steps):
                draft.known(where, "agent.start told before")
            else:
                draft.step("user", where, started=when, texts=[said] if said else [])
                draft.used(where)
        elif kind in ("tool.start", "tool.end") and self.history is not None:
            draft.known(where, _COPY)
        elif kind == "tool.start":
            self._started(row, where, when)
        elif kind == "tool.end":
            self._answered(row, where, when)
        elif kind.startswith(_NO_STEP):
            draft.known(where, kind)
        else:
            draft.not_understood(where, kind)

    def _started(self, row: dict[str, Json], where: Where, when: float | None) -> None:
        step = self.draft.steps[-1] if self.draft.steps else None
        if step is None or step.role != "model" or any(call.result is not None for call in step.calls):
            step = self.draft.step("model", where, started=when)
        found = FoundCall(
            name=row.get("toolName"), arguments=row.get("params", MISSING), started=when,
            name_at=("toolName",), arguments_at=("params",),
        )  # fmt: skip
        self.open.append((text(row.get("toolName")), self.draft.call(step, found, where)))
        self.draft.used(where)

    def _answered(self, row: dict[str, Json], where: Where, when: float | None) -> None:
        name, success = text(row.get("toolName")), row.get("success")
        found = FoundResult(
            text=text_of(row.get("error")), is_error=success is False if isinstance(success, bool) else None, name=name
        )
        self.draft.used(where)
        for position in range(len(self.open) - 1, -1, -1):
            if self.open[position][0] == name:
                call = self.open.pop(position)[1]
                call.result, call.result_where, call.ended = found, where, when
                milliseconds = number(row.get("durationMs"))
                call.found = replace(call.found, duration=None if milliseconds is None else milliseconds / 1000)
                return
        self.draft.result(found, where)

    def _ended(self, row: dict[str, Json], where: Where, when: float | None) -> None:
        draft, success = self.draft, row.get("success")
        self.closed = True
        draft.ended = when or draft.ended
        draft.ending = "error" if success is False else "ended"
        draft.ending_text = text(row.get("error")) or ("success" if success is True else "agent.end")
        if "messages" in row and (row, where) != self.history:
            draft.known(where, "earlier history")
            return
        for index, message in enumerate(items(row.get("messages"))):
            place = below(where, "messages", index)
            why = self.messages.read(mapping(message), place)
            if why is not None and why.startswith(UNKNOWN):
                draft.not_understood(place, why)
        draft.used(where)

    def _times(self, entries: list[tuple[dict[str, Json], Where]]) -> None:
        """When calls began: the n-th start of a tool is the n-th call of that name."""
        starts: dict[str | None, list[float | None]] = {}
        for row, _ in entries:
            if row.get("type") == "tool.start":
                starts.setdefault(text(row.get("toolName")), []).append(moment(row.get("ts")))
        for name, times in starts.items():
            calls = [call for call in self.draft.calls if call.found.name == name]
            if len(calls) == len(times):
                for call, time in zip(calls, times, strict=True):
                    call.started = time

    def end(self) -> Draft:
        draft = self.draft
        if not self.closed and draft.calls:
            draft.ending, draft.ending_text = "truncated", "no agent.end"
            draft.note("truncated", "No agent.end row: the run was killed, or is still running.")
        if self.history is None and draft.calls:
            draft.note("outputs_not_recorded", "Without a history this format records no output of a tool.")
        self.messages.end()
        return draft


def _history(entries: list[tuple[dict[str, Json], Where]]) -> tuple[dict[str, Json], Where] | None:
    """The last ``agent.end`` with messages, if it has a call for each ``tool.start``."""
    told = [entry for entry in entries if entry[0].get("type") == "agent.end" and mappings(entry[0].get("messages"))]
    if not told:
        return None
    blocks = [b for message in mappings(told[-1][0]["messages"]) for b in mappings(message.get("content"))]
    calls = sum(block.get("type") == "toolCall" for block in blocks)
    started = sum(row.get("type") == "tool.start" for row, _ in entries)
    return told[-1] if calls >= started else None


FORMAT = Format("OpenClaw telemetry", accepts, read)
