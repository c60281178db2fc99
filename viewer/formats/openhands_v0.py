"""OpenHands before its SDK (0.x): lists of events, and ``output.jsonl`` of its evaluations.

https://docs.all-hands.dev

Events with ``source`` and either ``action`` (with ``args``) or ``observation``, whose ``cause`` is the id of the
action. A list, lines, ``{trajectory: [...]}``, or rows with ``instance_id`` and ``history`` (events, or pairs of
action and observation): one run a row. Actions of one model response are one step; its usage counts once.
Calls are the agent's actions, named by ``tool_call_metadata.function_name`` or the action. No calls: ``message``,
``system``, ``recall``, ``change_agent_state``, ``null``, ``condensation``, ``loop_recovery``, and actions of the user.
Known without a step: observations ``null``, ``recall`` and ``recall_failure``, ``change_agent_state``, the user's own
commands. ``model_response`` repeats in each action of a reply and is read for ids and usage only.

Cannot tell: whether the task succeeded, other than by ``test_result.report.resolved`` of an evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewer.dialects.blocks import Replies
from viewer.dialects.chat import declared, usage_of
from viewer.draft import CallDraft, Draft
from viewer.format import Format
from viewer.lenient import at, code, integer, items, mapping, moment, number, text, without_none
from viewer.messages import text_of
from viewer.model import Ending, Json, Kind, Usage, Where
from viewer.source import Source
from viewer.tool_calls.found import FoundCall, FoundResult, Status, text_id

_NO_CALLS = frozenset(
    {"message", "system", "recall", "change_agent_state", "null", "condensation", "condensation_request",
     "loop_recovery", "task_tracking"}
)  # fmt: skip
_BOOKKEEPING = frozenset(
    {"thought", "is_input", "blocking", "hidden", "confirmation_state", "security_risk", "is_static", "image_urls"}
)
_KINDS: dict[str, Kind] = {
    "run": "shell", "run_ipython": "shell", "read": "read", "edit": "edit", "write": "write", "browse": "web",
    "browse_interactive": "web", "think": "plan", "finish": "finish", "reject": "finish", "delegate": "agent",
    "call_tool_mcp": "mcp", "mcp": "mcp", "task_tracking": "plan",
}  # fmt: skip
_ENDINGS: dict[str, Ending] = {
    "finished": "ended", "error": "error", "stopped": "cancelled", "rejected": "ended", "rate_limited": "error",
}  # fmt: skip


def accepts(source: Source) -> bool:
    """Any object row is such an event, or holds a list of them as ``history`` or ``trajectory``."""
    return any(_is_event(row) or any(_is_event(event) for _, event in _inner(row)) for row in source.head)


def _is_event(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("source"), str):
        return False
    if isinstance(value.get("action"), str):
        return isinstance(value.get("args"), dict)
    return isinstance(value.get("observation"), str) and ("extras" in value or "cause" in value)


def _inner(row: dict[str, Json]) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """The events inside a row, with their pointers; pairs are taken apart."""
    for key in ("history", "trajectory"):
        for index, event in enumerate(items(row.get(key))):
            if isinstance(event, list):
                yield from (((key, index, half), part) for half, part in enumerate(event))
            else:
                yield (key, index), event


def read(source: Source) -> tuple[Draft, ...]:
    """One run a list of events; one a row of ``output.jsonl``."""
    runs: list[_Run] = []
    loose: _Run | None = None
    for row in source.rows:
        value = mapping(row.value)
        events = [] if _is_event(value) else list(_inner(value))
        if events:
            run = _Run(source)
            for pointer, event in events:
                run.event(event, Where(row=row.index, pointer=pointer))
            run.evaluated(value)
            runs.append(run)
            continue
        if loose is None:
            loose = _Run(source)
            runs.append(loose)
        loose.event(row.value, Where(row=row.index))
    return tuple(run.end() for run in runs)


class _Run:
    def __init__(self, source: Source) -> None:
        self.draft = Draft(source)
        self.draft.harness = "openhands"
        self.replies = Replies(self.draft)
        self.actions: dict[str, CallDraft] = {}
        self.own: set[str] = set()
        """Ids of actions that are no calls; their observations answer nothing."""
        self.state: str | None = None

    def event(self, value: Json, where: Where) -> None:
        event = mapping(value)
        if isinstance(event.get("action"), str):
            self._action(event, event["action"], where)
        elif isinstance(event.get("observation"), str):
            self._observation(event, event["observation"], where)
        else:
            self.draft.not_understood(where, "event without action or observation" if event else type(value).__name__)

    def _action(self, event: dict[str, Json], action: str, where: Where) -> None:
        draft, args = self.draft, mapping(event.get("args"))
        agent = event.get("source") == "agent"
        when = moment(event.get("timestamp"))
        metadata = mapping(event.get("tool_call_metadata"))
        if not agent or (action in _NO_CALLS and not (action == "task_tracking" and metadata)):
            self.own.add(str(event.get("id")))
        if action == "message":
            said = text_of(args.get("content")) or text_of(event.get("message"))
            draft.step("model" if agent else "user", where, texts=[said] if said else [], started=when)
        elif action == "system":
            said = text_of(args.get("content"))
            draft.step("system", where, texts=[said] if said else [], started=when)
            draft.declared_tools = declared(args.get("tools"))
            draft.harness_version = text(args.get("openhands_version"))
        elif action == "condensation":
            said = text_of(args.get("summary")) or "The conversation was condensed."
            draft.step("environment", where, texts=[said], marker="compaction", started=when)
        elif str(event.get("id")) in self.own:
            draft.known(where, f"action {action}" if agent else f"the user's action {action}")
            return
        else:
            self._call(event, action, args, metadata, where, when)
        draft.used(where)

    def _call(
        self,
        event: dict[str, Json],
        action: str,
        args: dict[str, Json],
        metadata: dict[str, Json],
        where: Where,
        when: float | None,
    ) -> None:
        response = mapping(metadata.get("model_response"))
        step = self.replies.step(text(response.get("id")), where)
        if not step.calls:
            step.started = step.ended = when
            step.usage = usage_of(response.get("usage"))
            step.model = text(response.get("model"))
            step.stop_reason = text(at(response, "choices", 0, "finish_reason"))
        thought = text_of(args.get("thought")).strip() if action != "think" else ""
        if thought and thought not in step.texts:
            step.say(thought)
        name: Json = text(metadata.get("function_name")) or action
        given: Json = {key: item for key, item in args.items() if key not in _BOOKKEEPING or action == "think"}
        if action in ("call_tool_mcp", "mcp") and "arguments" in args:
            name, given = args.get("name", name), args["arguments"]
        found = FoundCall(
            id=text_id(metadata.get("tool_call_id")),
            name=name,
            arguments=given,
            kind=_KINDS.get(action),
            status="completed" if action == "finish" else None,
            started=when,
            name_at=("tool_call_metadata", "function_name") if metadata.get("function_name") else ("action",),
            arguments_at=("args",),
        )
        self.actions[str(event.get("id"))] = self.draft.call(step, found, where)

    def _observation(self, event: dict[str, Json], kind: str, where: Where) -> None:
        draft = self.draft
        cause = str(event.get("cause"))
        when = moment(event.get("timestamp"))
        if kind == "agent_state_changed":
            self.state = text(at(event, "extras", "agent_state")) or self.state
            draft.used(where)
        elif kind in ("null", "recall", "recall_failure") or (cause in self.own and kind != "error"):
            draft.known(where, f"observation {kind}")
        elif (call := self.actions.get(cause)) is not None:
            draft.used(where)
            if call.result is not None:
                draft.note("result_replaced", f"Action {cause} has two observations; the last one counts.", where)
            call.result, call.result_where, call.ended = _result(event, kind), where, when
        elif (identity := text_id(at(event, "tool_call_metadata", "tool_call_id"))) is not None:
            draft.used(where)
            draft.result(_result(event, kind), where, id=identity)
        else:
            draft.used(where)
            said = text_of(event.get("content")) or text_of(event.get("message"))
            draft.step("environment", where, texts=[said] if said else [], started=when, marker=kind)
            if kind == "error":
                draft.note("harness_error", f"The harness reports: {said[:200]}", where)
                draft.ending_text = said[:200]

    def evaluated(self, row: dict[str, Json]) -> None:
        """What an evaluation's row says beside its events."""
        draft = self.draft
        draft.task = text(row.get("instruction"))
        draft.model = text(at(row, "metadata", "llm_config", "model"))
        draft.harness_version = draft.harness_version or text(at(row, "metadata", "openhands_version"))
        resolved = at(row, "test_result", "report", "resolved")
        if isinstance(resolved, bool):
            draft.outcome, draft.judged_by = ("passed" if resolved else "failed"), "verifier"
        metrics = mapping(row.get("metrics"))
        draft.cost = number(metrics.get("accumulated_cost"))
        total = mapping(metrics.get("accumulated_token_usage"))
        if total:
            draft.usage = Usage(
                input_tokens=integer(total.get("prompt_tokens")),
                output_tokens=integer(total.get("completion_tokens")),
                cached_tokens=integer(total.get("cache_read_tokens")),
                cache_write_tokens=integer(total.get("cache_write_tokens")),
                rule="accumulated_token_usage of the file",
            )
        if error := text(row.get("error")):
            draft.ending, draft.ending_text = "error", error[:200]
        patch = text(at(row, "test_result", "git_patch"))
        draft.extra |= without_none(instance=text_id(row.get("instance_id")), submission=patch)

    def end(self) -> Draft:
        draft = self.draft
        if draft.ending is None and self.state in _ENDINGS:
            draft.ending, draft.ending_text = _ENDINGS[self.state], draft.ending_text or self.state
        elif draft.ending is None and draft.calls and draft.calls[-1].found.kind == "finish":
            draft.ending, draft.ending_text = "ended", "finish"
        return draft


def _result(event: dict[str, Json], kind: str) -> FoundResult:
    extras = mapping(event.get("extras"))
    exit_code = code(at(extras, "metadata", "exit_code"))
    exit_code = code(extras.get("exit_code")) if exit_code is None else exit_code
    status: Status | None = "denied" if kind == "user_rejected" else None
    if exit_code == -1:  # the command was still running when the harness stopped waiting
        exit_code, status = None, "timeout"
    failed = True if kind == "error" or extras.get("error") is True else None
    return FoundResult(
        text=text_of(event.get("content")) or (text_of(event.get("message")) if kind == "error" else ""),
        is_error=failed,
        exit_code=exit_code,
        status=status,
    )


FORMAT = Format("OpenHands events (0.x)", accepts, read)
