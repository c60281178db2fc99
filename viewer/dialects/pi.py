"""Messages of Pi and of OpenClaw, which grew out of it, put where they belong: for sessions, print mode and exports.

Roles: ``user``, ``assistant``, ``toolResult``, ``system``; ``bashExecution`` is the user's own command, a step and no
call; ``custom`` is an extension's word; ``branchSummary`` and ``compactionSummary`` are markers. Extensions for
sub-agents keep whole conversations in ``details.results[].messages`` of a result: they are read with that call as
their parent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from viewer.dialects.blocks import below, place
from viewer.draft import CallDraft, Draft, summed
from viewer.lenient import at, integer, items, mapping, mappings, moment, number, text
from viewer.messages import content, text_of
from viewer.model import Ending, Json, Line, Usage, Where
from viewer.tool_calls.found import text_id
from viewer.tool_calls.openclaw import NESTED, openclaw_result, openclaw_server

ENDINGS: Final[dict[str, Ending]] = {
    "stop": "ended", "length": "limit", "error": "error", "aborted": "interrupted", "toolUse": "truncated",
}  # fmt: skip
USAGE: Final = "sum over the model's messages, sub-agents included; input includes cached tokens"
UNKNOWN: Final = "unknown role"
_MARKERS: Final = {"branchSummary": "branch", "compactionSummary": "compaction"}
_IGNORED: Final = frozenset({"tool_reference"})


class Messages:
    """The messages of one run. ``last`` is the last model message of the main line."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.cost: float | None = None
        self.last: dict[str, Json] = {}

    def read(
        self, message: dict[str, Json], where: Where, *, when: float | None = None, line: Line = "main",
        agent: str | None = None,
    ) -> str | None:  # fmt: skip
        """One message; ``when`` is the time its row was written.

        None, or why it carries no step: an extension's type, or ``UNKNOWN`` and the role.
        """
        role = text(message.get("role"))
        said_at = below(where, "content")
        if role == "assistant":
            self._assistant(message, where, when, line, agent)
        elif role == "toolResult":
            self._result(message, where, line, agent)
        elif role in ("user", "system", "developer"):
            step = self.draft.step("user" if role == "user" else "system", where, agent=agent, line=line)
            step.started = moment(message.get("timestamp")) or when
            place(self.draft, step, message.get("content"), said_at)
            for section in mapping(message.get("sections")).values():
                step.say(text_of(section))
            tools = [name for tool in mappings(message.get("toolsAdded")) if (name := text(tool.get("name")))]
            if tools and agent is None:
                self.draft.declared_tools = [*(self.draft.declared_tools or ()), *tools]
        elif role == "bashExecution":
            lines = [f"$ {text_of(message.get('command'))}", text_of(message.get("output"))]
            self.draft.step("user", where, agent=agent, line=line, marker="user's command", texts=["\n".join(lines)])
        elif role == "custom":
            kind = text(message.get("customType")) or "custom"
            said = content(message.get("content")).text
            if kind == NESTED or not said:
                return kind
            self.draft.step("environment", where, agent=agent, line=line, marker=kind, texts=[said])
        elif role in _MARKERS:
            said = text_of(message.get("summary"))
            self.draft.step("environment", where, agent=agent, line=line, marker=_MARKERS[str(role)], texts=[said])
        else:
            return f"{UNKNOWN} {role}"
        return None

    def _assistant(
        self, message: dict[str, Json], where: Where, when: float | None, line: Line, agent: str | None
    ) -> None:
        step = self.draft.step("model", where, agent=agent, line=line, label=text_id(message.get("responseId")))
        step.started, step.ended = moment(message.get("timestamp")), when
        step.model, step.stop_reason = text(message.get("model")), text(message.get("stopReason"))
        milliseconds = number(message.get("durationMs"))
        step.model_seconds = None if milliseconds is None else milliseconds / 1000
        usage = mapping(message.get("usage"))
        step.usage = tokens(usage)
        cost = number(at(usage, "cost", "total"))
        if cost is not None and line == "main":
            self.cost = (self.cost or 0.0) + cost
        for call in place(self.draft, step, message.get("content"), below(where, "content"), ignore=_IGNORED):
            if call.step is step:
                call.started = when
        reason = text(message.get("errorMessage"))
        if reason is not None:
            self.draft.note("model_error", f"The request to the model failed: {reason}", where)
        if line == "main" and agent is None:
            self.last = message

    def _result(self, message: dict[str, Json], where: Where, line: Line, agent: str | None) -> None:
        found = openclaw_result(message, below(where, "content"))
        step = next((s for s in reversed(self.draft.steps) if s.agent == agent and s.line == line), None)
        call = self.draft.result(found, where, id=text_id(message.get("toolCallId")), agent=agent, step=step)
        self._children(message, where, line, call)
        if call is None:
            return
        call.ended = moment(message.get("timestamp")) or call.ended
        milliseconds, server = number(message.get("durationMs")), openclaw_server(message)
        if milliseconds is not None:
            call.found = replace(call.found, duration=milliseconds / 1000)
        if server is not None:
            call.found = replace(call.found, server=server)

    def _children(self, message: dict[str, Json], where: Where, line: Line, call: CallDraft | None) -> None:
        """Conversations of sub-agents inside a result."""
        for index, result in enumerate(items(at(message, "details", "results"))):
            agent = f"{call.found.id if call is not None else where.row}:{index}"
            found = items(mapping(result).get("messages"))
            if found and call is not None:
                self.draft.delegations[agent] = call
            for position, child in enumerate(found):
                place_of_child = below(where, "details", "results", index, "messages", position)
                if not isinstance(child, dict):
                    self.draft.not_understood(place_of_child, "message of a sub-agent")
                elif (why := self.read(child, place_of_child, line=line, agent=agent)) and why.startswith(UNKNOWN):
                    self.draft.not_understood(place_of_child, why)

    def end(self) -> None:
        """Usage, cost and, by the last reply's ``stopReason``, the ending."""
        draft = self.draft
        draft.cost = self.cost
        draft.usage = summed((step.usage for step in draft.steps if step.line == "main"), USAGE)
        reason = text(self.last.get("stopReason"))
        if not any(step.role == "model" and step.agent is None for step in draft.steps):
            draft.note("never_started", "The file holds no reply of the model.")
            draft.ending = draft.ending or "never_started"
        elif draft.ending is None and reason is not None:
            draft.ending = ENDINGS.get(reason)
            failure = text(self.last.get("errorMessage"))
            draft.ending_text = f"{reason}: {failure}" if failure else reason
            if draft.ending == "truncated":
                draft.note("truncated", "The last reply calls a tool and no reply follows: killed, or still running.")


def tokens(usage: dict[str, Json]) -> Usage | None:
    """Token counts of a message. Pi's ``input`` excludes cached tokens; ours includes them."""
    fresh, cached, written = (integer(usage.get(key)) for key in ("input", "cacheRead", "cacheWrite"))
    known = [count for count in (fresh, cached, written) if count is not None]
    if not known and integer(usage.get("output")) is None:
        return None
    return Usage(
        input_tokens=sum(known) if known else None,
        output_tokens=integer(usage.get("output")),
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=integer(usage.get("reasoning")),
    )
