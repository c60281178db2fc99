"""Claude Code, ``claude -p --output-format stream-json``: what it prints while it runs.

https://docs.claude.com/en/docs/claude-code/headless

Rows: ``system`` (init, api_retry, task_started, task_notification), ``assistant`` and ``user`` (one content block a
row in new versions; rows of one ``message.id`` are one step), ``result``. A second init starts a second run.
Known rows without a step: the other ``system`` rows, ``stream_event`` (the full rows follow), ``rate_limit_event``.
``tool_use_result`` mirrors the result block and is not read.

Cannot tell: usage of a single step (rows carry the starting usage), the prompt when it was given on the command line,
exit codes other than in the harness's own first line "Exit code N", and whether the task succeeded: ``result`` only
says that the process ended.
"""

from __future__ import annotations

import re
from dataclasses import replace

from viewer.blocks import Replies, below, place
from viewer.draft import Draft
from viewer.format import Format
from viewer.lenient import at, integer, items, mapping, mappings, moment, number, text, without_none
from viewer.model import Ending, Json, Usage, Where
from viewer.source import Source
from viewer.tool_calls.found import FoundResult, text_id
from viewer.tool_calls.shapes import anthropic_result

_EXIT_CODE = re.compile(r"^(?:Error: )?Exit code (\d+)\b")
_TIMED_OUT = re.compile(r"^(?:Error: )?Command timed out after ")
_ENDINGS: dict[str, Ending] = {
    "success": "ended",
    "error_max_turns": "limit",
    "error_max_budget_usd": "limit",
    "error_during_execution": "error",
}


def accepts(source: Source) -> bool:
    """A system row with a subtype, or user/assistant rows with a ``message`` object, and no ``sessionId`` anywhere."""
    cursor = any(
        (row.get("type") == "tool_call" and isinstance(row.get("tool_call"), dict))
        or ("apiKeySource" in row and "tools" not in row and "claude_code_version" not in row)
        for row in source.head
    )
    return not cursor and any(_is_row(row) for row in source.head)


def _is_row(row: dict[str, Json]) -> bool:
    if "sessionId" in row or "attributes" in row:
        return False
    if row.get("type") == "system":
        return isinstance(row.get("subtype"), str) or isinstance(row.get("session_id"), str)
    return row.get("type") in ("user", "assistant") and "content" in mapping(row.get("message"))


def read(source: Source) -> tuple[Draft, ...]:
    """One run an init row; rows before the first init belong to the first run."""
    runs = [_Run(source)]
    for row in source.rows:
        value = mapping(row.value)
        if value.get("subtype") == "init" and value.get("type") == "system" and runs[-1].initialized:
            runs.append(_Run(source))
        runs[-1].row(value, Where(row=row.index))
    return tuple(run.end() for run in runs)


class _Run:
    def __init__(self, source: Source) -> None:
        self.draft = Draft(source, pairing="reissue")
        self.draft.harness = "claude-code"
        self.replies = Replies(self.draft)
        self.initialized = False
        self.results = 0
        self.starting_usage = True

    def row(self, row: dict[str, Json], where: Where) -> None:
        draft = self.draft
        kind = row.get("type")
        message = row.get("message")
        if kind == "system":
            self._system(row, where)
        elif kind == "assistant" and isinstance(message, dict):
            self._assistant(row, message, where)
        elif kind == "user" and isinstance(message, dict):
            self._user(row, message, where)
        elif kind == "result":
            self._result(row, where)
        elif kind in ("stream_event", "rate_limit_event", "control_request", "control_response", "keep_alive"):
            draft.known(where, str(kind))
        else:
            draft.not_understood(where, str(kind))

    def _system(self, row: dict[str, Json], where: Where) -> None:
        draft, subtype = self.draft, row.get("subtype")
        if subtype == "init":
            self.initialized = True
            draft.model = text(row.get("model"))
            draft.harness_version = text(row.get("claude_code_version"))
            draft.directory = text(row.get("cwd"))
            draft.declared_tools = [name for name in items(row.get("tools")) if isinstance(name, str)]
            draft.declared_servers = [
                name for server in mappings(row.get("mcp_servers")) if (name := text(server.get("name")))
            ]
            draft.extra |= without_none(
                session_id=text(row.get("session_id")), permission_mode=text(row.get("permissionMode"))
            )
            draft.used(where)
        elif subtype == "api_retry":
            draft.note("api_retry", f"The request to the model was tried again: {row.get('error')}.", where)
            draft.used(where)
        elif subtype == "task_started":
            self._delegated(row, where)
        elif subtype == "task_notification":
            self._notified(row, where)
        elif subtype == "compact_boundary":
            draft.step("environment", where, marker="compaction", texts=["The conversation was compacted."])
            draft.used(where)
        else:
            draft.known(where, f"system {subtype}")

    def _delegated(self, row: dict[str, Json], where: Where) -> None:
        call = self.draft.answered(text_id(row.get("tool_use_id")) or "")
        if call is not None and (agent := text_id(row.get("tool_use_id"))):
            self.draft.delegations[agent] = call
        self.draft.used(where)

    def _notified(self, row: dict[str, Json], where: Where) -> None:
        """The real result of a background sub-agent; its tool_result only said "launched"."""
        self.draft.used(where)
        call = self.draft.answered(text_id(row.get("tool_use_id")) or "")
        summary = text(row.get("summary"))
        if call is None or summary is None:
            return
        if call.result is not None:
            self.draft.note("launch_text", f"First result of the call: {call.result.text[:200]}", call.result_where)
        failed = row.get("status") in ("failed", "error")
        stopped = row.get("status") in ("killed", "stopped", "cancelled")
        call.result = FoundResult(
            text=summary, is_error=True if failed else None, status="interrupted" if stopped else None
        )
        call.result_where = where

    def _assistant(self, row: dict[str, Json], message: dict[str, Json], where: Where) -> None:
        draft = self.draft
        agent = text(row.get("parent_tool_use_id"))
        if message.get("model") == "<synthetic>" or row.get("isApiErrorMessage"):
            said = at(message, "content", 0, "text")
            draft.note("harness_message", f"The harness wrote in the model's place: {said}", where)
            draft.used(where)
            return
        if agent is not None and agent not in draft.delegations and (call := draft.answered(agent)) is not None:
            draft.delegations[agent] = call
        step = self.replies.step(text(message.get("id")), where, agent)
        when = moment(row.get("timestamp"))
        step.started = step.started or when
        step.ended = when or step.ended
        step.model = text(message.get("model")) or step.model
        step.stop_reason = text(message.get("stop_reason")) or step.stop_reason
        usage = mapping(message.get("usage"))
        if usage:
            step.usage = _usage(usage)
            self.starting_usage &= (integer(usage.get("output_tokens")) or 0) <= 1
        for call in place(draft, step, message.get("content"), below(where, "message", "content")):
            if call.step is step and call.started is None:
                call.started = when
        draft.used(where)

    def _user(self, row: dict[str, Json], message: dict[str, Json], where: Where) -> None:
        draft = self.draft
        agent = text(row.get("parent_tool_use_id"))
        content = message.get("content")
        pointer = below(where, "message", "content")
        when = moment(row.get("timestamp"))
        said = content if isinstance(content, str) else None
        blocks = mappings(content)
        if said is not None or any(block.get("type") not in ("tool_result",) for block in blocks):
            summary = row.get("isCompactSummary") or (row.get("isSynthetic") and self._compacted())
            step = draft.step(
                "environment" if summary or row.get("isMeta") else "user",
                where,
                agent=agent,
                started=when,
                marker="compaction summary" if summary else "harness" if row.get("isMeta") else None,
            )
        else:
            step = next((s for s in reversed(draft.steps) if s.agent == agent), None) or draft.step(
                "environment", where, agent=agent
            )
        for call in place(draft, step, content, pointer, results=_result):
            call.ended = when or call.ended
        draft.used(where)

    def _compacted(self) -> bool:
        return bool(self.draft.steps) and self.draft.steps[-1].marker == "compaction"

    def _result(self, row: dict[str, Json], where: Where) -> None:
        draft = self.draft
        self.results += 1
        if self.results > 1:
            draft.note("several_results", "More than one result row; the last one counts.", where)
        subtype = text(row.get("subtype")) or "no subtype"
        failed = row.get("is_error") is True
        draft.ending = _ENDINGS.get(subtype, "error" if failed else "ended")
        if failed and draft.ending == "ended":
            draft.ending = "error"
        draft.ending_text = " · ".join(
            part for part in (subtype, text(row.get("terminal_reason")), "; ".join(map(str, items(row.get("errors")))))
            if part
        )  # fmt: skip
        draft.cost = number(row.get("total_cost_usd"))
        draft.usage = _total(row)
        draft.denied |= {
            identity
            for denial in mappings(row.get("permission_denials"))
            if (identity := text(denial.get("tool_use_id")))
        }
        draft.extra |= without_none(
            turns=integer(row.get("num_turns")),
            duration_seconds=None if (ms := number(row.get("duration_ms"))) is None else ms / 1000,
        )
        last = next((step for step in reversed(draft.steps) if step.role == "model" and step.agent is None), None)
        if (last is None or last.calls or not last.texts) and (said := text(row.get("result"))):
            draft.claim = said
        draft.used(where)

    def end(self) -> Draft:
        draft = self.draft
        if self.starting_usage:  # every row says one token or less: what a request starts with, not what it used
            for step in draft.steps:
                step.usage = None
        if not any(step.role == "model" for step in draft.steps):
            draft.note("never_started", "The run stopped before the model's first turn.")
            draft.ending_text = draft.ending_text or draft.ending
            draft.ending = draft.ending if draft.ending == "error" else "never_started"
        elif not self.results:
            draft.ending = "truncated"
            draft.note("truncated", "No result row: the run was killed, or is still running.")
        return draft


def _result(block: dict[str, Json], where: Where) -> FoundResult:
    found = anthropic_result(block, where)
    head = found.text[:200]
    if (match := _EXIT_CODE.match(head)) and found.is_error:
        return replace(found, exit_code=int(match[1]))
    if found.is_error and _TIMED_OUT.match(head):
        return replace(found, status="timeout")
    if found.is_error and head.startswith(
        ("The user doesn't want to proceed", "Permission to use", "Claude requested permissions")
    ):
        return replace(found, status="denied")
    if head.startswith(("[Request interrupted by user", "Request interrupted")):
        return replace(found, status="interrupted")
    return found


def _usage(usage: dict[str, Json]) -> Usage:
    fresh, cached, written = (
        integer(usage.get(key)) for key in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    known = [tokens for tokens in (fresh, cached, written) if tokens is not None]
    return Usage(
        input_tokens=sum(known) if known else None,
        output_tokens=integer(usage.get("output_tokens")),
        cached_tokens=cached,
        cache_write_tokens=written,
    )


def _total(row: dict[str, Json]) -> Usage | None:
    models = [mapping(usage) for usage in mapping(row.get("modelUsage")).values()]
    if models:
        sums = {
            key: sum(values) if (values := [n for m in models if (n := integer(m.get(key))) is not None]) else None
            for key in ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        }
        known = [sums[key] for key in ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")]
        return Usage(
            input_tokens=sum(n for n in known if n is not None) if any(n is not None for n in known) else None,
            output_tokens=sums["outputTokens"],
            cached_tokens=sums["cacheReadInputTokens"],
            cache_write_tokens=sums["cacheCreationInputTokens"],
            rule="modelUsage of the last result row, sub-agents included",
        )
    usage = mapping(row.get("usage"))
    return replace(_usage(usage), rule="usage of the last result row") if usage else None


FORMAT = Format("Claude Code stream-json", accepts, read)
