"""Cline and its forks: ``ui_messages.json`` of a task.

https://docs.cline.bot

A list of rows ``{ts, type: say | ask, say | ask, text}``. ``api_req_started`` starts a step; its text is JSON with the
tokens. ``tool`` rows hold a call as JSON in their text, ``command`` rows a command, ``use_mcp_server`` a call of a
server, ``browser_action`` one of the browser. ``partial`` rows are replaced by the next row of the same ``ts``; an
``ask`` and a ``say`` of one action are one call. ``command_output`` and ``mcp_server_response`` are results; a read's
content stands in the call itself. Calls stand in texts, so the evidence scan sees none of them.

Usage: sum of the requests. No error flag exists: nothing is ever an error here. Cannot tell: exit codes, call ids.
"""

from __future__ import annotations

from typing import Final

from viewer.draft import CallDraft, Draft, StepDraft, summed
from viewer.format import Format
from viewer.lenient import integer, mapping, moment, number, text
from viewer.model import Json, Usage, Where
from viewer.source import Source
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult
from viewer.tool_calls.turns import parsed

_CALLS: Final = frozenset({"tool", "command", "use_mcp_server", "browser_action", "browser_action_launch"})
_OUTPUTS: Final = frozenset({"command_output", "mcp_server_response", "browser_action_result"})
_TEXTS: Final = frozenset({"text", "completion_result", "plan_mode_respond", "followup", "new_task"})
_NOTES: Final = frozenset(
    {"api_req_retried", "error_retry", "error", "diff_error", "clineignore_error", "rooignore_error",
     "mistake_limit_reached", "api_req_failed", "auto_approval_max_req_reached", "shell_integration_warning"}
)  # fmt: skip
_KNOWN: Final = frozenset(
    {"mcp_server_request_started", "checkpoint_created", "checkpoint_saved", "api_req_finished", "deleted_api_reqs",
     "task_progress", "resume_task", "resume_completed_task", "load_mcp_documentation", "condense_context",
     "codebase_search_result", "info", "hook_status", "hook_output_stream", "mcp_notification"}
)  # fmt: skip


def accepts(source: Source) -> bool:
    """Every row has a number ``ts`` and ``type`` say or ask, with that key."""
    return bool(source.head) and all(
        row.get("type") in ("say", "ask") and str(row["type"]) in row and isinstance(row.get("ts"), int | float)
        for row in source.head
    )


def read(source: Source) -> tuple[Draft, ...]:
    """One run: a task."""
    run = _Run(source)
    rows = [(Where(row=row.index), mapping(row.value)) for row in source.rows]
    for index, (where, value) in enumerate(rows):
        following = rows[index + 1][1] if index + 1 < len(rows) else {}
        if value.get("partial") is True and following.get("ts") == value.get("ts"):
            run.draft.known(where, "partial row")
        else:
            run.row(value, where)
    return (run.end(),)


class _Run:
    def __init__(self, source: Source) -> None:
        self.draft = Draft(source)
        self.draft.harness = "cline"
        self.step: StepDraft | None = None
        self.last: tuple[str, str, CallDraft] | None = None
        self.running: CallDraft | None = None
        self.output: list[str] = []
        self.cost: list[float] = []

    def row(self, row: dict[str, Json], where: Where) -> None:
        draft = self.draft
        kind = str(row.get(str(row.get("type"))))
        said = row["text"] if isinstance(row.get("text"), str) else ""
        when = moment(row.get("ts"))
        if kind not in _OUTPUTS:
            self.output = []
        if kind == "task" or (kind == "text" and not draft.steps):
            draft.step("user", where, started=when, texts=[said])
        elif kind == "api_req_started":
            self._request(mapping(parsed(said)), where, when)
        elif kind in _CALLS:
            self._call(kind, said, where, when)
        elif kind in _OUTPUTS:
            self._output(said, where, when)
        elif kind == "reasoning":
            self._open(where, when).think(said)
        elif kind in _TEXTS:
            self._open(where, when).say(_said(said))
            if kind == "completion_result":
                draft.ending, draft.claim = "ended", said or draft.claim
        elif kind in ("user_feedback", "user_feedback_diff"):
            draft.step("user", where, started=when, texts=[said])
        elif kind in _NOTES:
            draft.note(kind, said[:300] or kind, where)
        elif kind in _KNOWN:
            draft.known(where, kind)
            return
        else:
            draft.not_understood(where, kind)
            return
        draft.used(where)

    def _open(self, where: Where, when: float | None) -> StepDraft:
        if self.step is None:
            self.step = self.draft.step("model", where, started=when)
        return self.step

    def _request(self, request: dict[str, Json], where: Where, when: float | None) -> None:
        self.step = self.draft.step("model", where, started=when)
        counted = [integer(request.get(key)) for key in ("tokensIn", "cacheReads", "cacheWrites")]
        known = [tokens for tokens in counted if tokens is not None]
        if known or "tokensOut" in request:
            self.step.usage = Usage(
                input_tokens=sum(known) if known else None,
                output_tokens=integer(request.get("tokensOut")),
                cached_tokens=counted[1],
                cache_write_tokens=counted[2],
            )
        if (cost := number(request.get("cost"))) is not None:
            self.cost.append(cost)
        if reason := text(request.get("cancelReason")):
            self.draft.note("request_cancelled", f"A request was cancelled: {reason}", where)

    def _call(self, kind: str, said: str, where: Where, when: float | None) -> None:
        if self.last is not None and self.last[:2] == (kind, said) and self.last[2].result is None:
            return  # the ask was granted and the say repeats it
        found = _found(kind, said)
        call = self.draft.call(self._open(where, when), found, where)
        call.started = when
        self.last = (kind, said, call)
        self.running = call

    def _output(self, said: str, where: Where, when: float | None) -> None:
        self.output.append(said)
        if self.running is None:
            self.draft.result(FoundResult(text=said), where, step=self.step)
            return
        self.running.result, self.running.result_where = FoundResult(text="\n".join(self.output)), where
        self.running.ended = when

    def end(self) -> Draft:
        draft = self.draft
        draft.cost = sum(self.cost) if self.cost else None
        draft.usage = summed((step.usage for step in draft.steps), "sum of api_req_started, cached tokens included")
        draft.states_no_exit_codes()
        return draft


def _said(said: str) -> str:
    value = parsed(said, 1)
    question = value.get("question") or value.get("response") if isinstance(value, dict) else None
    return question if isinstance(question, str) else said


def _found(kind: str, said: str) -> FoundCall:
    value = parsed(said, 1)
    body = value if isinstance(value, dict) else None
    if kind == "command":
        given = {"command": said.removesuffix("REQ_APP")}
        return FoundCall(name="execute_command", raw_name="command", arguments=given, kind="shell")
    if kind == "use_mcp_server" and body is not None:
        return FoundCall(
            name=body.get("toolName") or body.get("uri") or body.get("type"),
            server=text(body.get("serverName")),
            arguments=body.get("arguments", MISSING),
        )
    if kind.startswith("browser_action"):
        given = body if body is not None else {"action": "launch", "url": said}
        return FoundCall(name="browser_action", arguments=given, kind="web")
    if body is not None and isinstance(body.get("tool"), str):
        content = body.get("content")
        reads = body["tool"] in ("readFile", "listFilesTopLevel", "listFilesRecursive", "searchFiles",
                                 "listCodeDefinitionNames")  # fmt: skip
        arguments = {key: item for key, item in body.items() if key != "tool" and not (reads and key == "content")}
        path = text(body.get("path")) or " "
        shown = content if reads and isinstance(content, str) else ""
        result = FoundResult(text=shown) if shown and not shown.endswith(path) else None  # often only the path
        return FoundCall(name=body["tool"], arguments=arguments, result=result, status="completed")
    return FoundCall(name=None, arguments=said, plain=True)


FORMAT = Format("Cline task", accepts, read)
