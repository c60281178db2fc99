"""mini-SWE-agent, ``.traj.json``: its messages and how the run ended.

https://mini-swe-agent.com/latest/usage/output_files

``mini-swe-agent-1.1`` (version 2): OpenAI messages with ``tool_calls``; a ``tool`` message's ``extra`` has the whole
output and the return code (its content is a JSON text of them, cut). A refused reply stands only in a user message
with ``extra.interrupt_type`` "FormatError", in ``extra.response``: its calls count, state error.
``mini-swe-agent-1`` and the bare list (version 1): exactly one fenced block in a reply is a call of ``bash``; none or
several are a format error and nothing ran. The next user message is its result, "<returncode>N</returncode>" first.
The submitting command is never run: its result is synthetic. ``extra.actions`` repeats the calls.
Commands of one reply run one after the other, so a call starts when the one before it ended.

Cannot tell: whether the task succeeded; times in version 1. Its one tool is a shell.
"""

from __future__ import annotations

import re

from viewer.dialects.blocks import below
from viewer.dialects.chat import Conversation, conversations, read_content, read_message, usage_of
from viewer.draft import CallDraft, Draft, StepDraft
from viewer.format import Format
from viewer.lenient import at, code, integer, items, mapping, mappings, moment, number, text, without_none
from viewer.messages import text_of
from viewer.model import Ending, Json, Where
from viewer.source import Source
from viewer.tool_calls.found import FoundCall, FoundResult, text_id
from viewer.tool_calls.slots import slot

_BLOCK = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n?```", re.DOTALL)
_RETURN_CODE = re.compile(r"^\s*<returncode>(-?\d+)</returncode>\s*", re.DOTALL)
_OUTPUT = re.compile(r"^<output>\n?(.*?)\n?</output>\s*$", re.DOTALL)
_TIMED_OUT = re.compile(r"timed out")
_SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_NOT_EXECUTED = "action was not executed"
_ENDINGS: dict[str, Ending] = {
    "Submitted": "ended", "LimitsExceeded": "limit", "CostLimitExceeded": "limit", "StepLimitExceeded": "limit",
    "TimeExceeded": "timeout", "UserInterruption": "interrupted", "KeyboardInterrupt": "interrupted",
}  # fmt: skip


def accepts(source: Source) -> bool:
    """Every document names mini-SWE-agent or ends with an exit message; or a bare list has its blocks and codes."""
    found = conversations(source, head=True)
    return bool(found) and all(_is_mini_swe(talk) for talk in found)


def _is_mini_swe(talk: Conversation) -> bool:
    wrapper = talk.wrapper
    if str(wrapper.get("trajectory_format")).startswith("mini-swe-agent"):
        return True
    if "mini_version" in mapping(wrapper.get("info")):
        return True
    messages = mappings(talk.messages)
    if wrapper:
        return bool(messages) and messages[-1].get("role") == "exit"
    replies = [m.get("content") for m in messages if m.get("role") == "assistant"]
    answers = [m.get("content") for m in messages if m.get("role") == "user"]
    return any(isinstance(said, str) and _BLOCK.search(said) for said in replies) and any(
        isinstance(said, str) and _RETURN_CODE.match(said) for said in answers
    )


def read(source: Source) -> tuple[Draft, ...]:
    """One run a document, or a line."""
    return tuple(_Run(source, talk).draft for talk in conversations(source))


class _Run:
    def __init__(self, source: Source, talk: Conversation) -> None:
        self.draft = Draft(source)
        self.draft.harness = "mini-swe-agent"
        self.info = mapping(talk.wrapper.get("info"))
        self.with_tools = talk.wrapper.get("trajectory_format") == "mini-swe-agent-1.1" or any(
            message.get("tool_calls") or message.get("role") == "tool" for message in mappings(talk.messages)
        )
        self.clock: float | None = None
        self.open: CallDraft | None = None
        """The call of version 1 that the next user message answers."""
        self.format_error = False
        for where, message in talk:
            self._message(mapping(message), where)
        if talk.row is not None and not talk.messages:
            self.draft.used(Where(row=talk.row))
        self._header()

    def _message(self, message: dict[str, Json], where: Where) -> None:
        draft, role = self.draft, message.get("role")
        extra = mapping(message.get("extra"))
        when = moment(extra.get("timestamp"))
        if role == "exit":
            draft.used(where)
            draft.ending_text = text(extra.get("exit_status")) or text(message.get("content"))
            self.info = {"submission": extra.get("submission"), **self.info}
        elif role == "assistant":
            self._reply(message, extra, where, when)
        elif role == "tool":
            call = read_message(draft, message, where, results=_result)
            if isinstance(call, CallDraft):
                call.started, call.ended, self.clock = self.clock, when, when or self.clock
        elif role == "user" and extra.get("interrupt_type") == "FormatError":
            self._refused(message, extra, where, when)
        elif role == "user" and self.open is not None:
            draft.used(where)
            self.open.result, self.open.result_where = _printed(text_of(message.get("content"))), where
            self.open = None
        else:
            step = read_message(draft, message, where)
            if isinstance(step, StepDraft):
                step.started = when
                if (kind := text(extra.get("interrupt_type"))) is not None:
                    step.role, step.marker = ("user" if kind.startswith("User") else "environment"), kind
                elif self.format_error and role == "user":
                    step.role, step.marker, self.format_error = "environment", "format error", False

    def _reply(self, message: dict[str, Json], extra: dict[str, Json], where: Where, when: float | None) -> None:
        step = read_message(self.draft, message, where)
        if not isinstance(step, StepDraft):
            return
        self._response(step, extra, when)
        self.open = None
        if self.with_tools:
            return
        said = text_of(message.get("content"))
        blocks = _BLOCK.findall(said)
        if len(blocks) != 1:
            self.draft.note("format_error", f"The reply holds {len(blocks)} commands, not one: nothing was run.", where)
            self.format_error = True
            return
        step.texts = [rest] if (rest := _BLOCK.sub("", said).strip()) else []
        found = FoundCall(name="bash", arguments={"command": blocks[0]}, kind="shell")
        self.open = self.draft.call(step, found, below(where, "content"))

    def _refused(self, message: dict[str, Json], extra: dict[str, Json], where: Where, when: float | None) -> None:
        """The harness refused a reply, which stands nowhere else; what it says is the result of the reply's calls."""
        draft = self.draft
        draft.used(where)
        pointer = ("extra", "response", "choices", 0, "message")
        reply = mapping(at(message, *pointer))
        said = text_of(message.get("content"))
        if reply:
            step = draft.step("model", where, marker="refused")
            read_content(draft, step, reply.get("content"), below(where, *pointer, "content"), calls=False)
            step.think(text(reply.get("reasoning_content")))
            self._response(step, extra, when)
            for place, found in slot(reply.get("tool_calls")):
                call = draft.call(step, found, below(where, *pointer, "tool_calls", *place))
                call.result, call.result_where = FoundResult(text=said, is_error=True), below(where, "content")
            if step.calls:
                return
        draft.note("format_error", "The harness refused a reply that had no command in its format.", where)
        draft.step("environment", where, texts=[said] if said else [], marker="format error", started=when)

    def _response(self, step: StepDraft, extra: dict[str, Json], when: float | None) -> None:
        response = mapping(extra.get("response"))
        choice = mapping(next(iter(items(response.get("choices"))), None))
        step.usage = usage_of(response.get("usage"))
        step.model = text(response.get("model"))
        step.stop_reason = text(choice.get("finish_reason"))
        step.started = step.ended = when
        self.clock = when
        if not step.reasoning:
            step.think(text(at(choice, "message", "reasoning_content")) or text(at(choice, "message", "reasoning")))

    def _header(self) -> None:
        draft, info = self.draft, self.info
        config = mapping(info.get("config"))
        draft.harness_version = text(info.get("mini_version"))
        draft.model = text(at(config, "model", "model_name"))
        draft.directory = text(at(config, "environment", "cwd"))
        draft.cost = number(at(info, "model_stats", "instance_cost"))
        draft.declared_tools = ("bash",)
        status = text(info.get("exit_status")) or draft.ending_text
        last = next((step for step in reversed(draft.steps) if step.role == "model"), None)
        if status is not None:
            draft.ending, draft.ending_text = _ENDINGS.get(status, "error"), status
        elif last is not None and any(_SUBMIT in str(call.found.arguments) for call in last.calls):
            draft.ending = "ended"
        submission = text(info.get("submission"))
        if submission is not None and not submission.lstrip().startswith("diff --git"):
            draft.claim = submission.strip()
        elif last is not None and draft.ending == "ended":
            draft.claim = "\n\n".join(last.texts) or None
        draft.extra |= without_none(
            submission=submission, api_calls=integer(at(info, "model_stats", "api_calls")),
            instance=text_id(info.get("instance_id")),
        )  # fmt: skip


def _result(message: dict[str, Json], where: Where) -> FoundResult:
    extra = mapping(message.get("extra"))
    exception = text(extra.get("exception_info"))
    output = extra.get("raw_output")
    if not isinstance(output, str):
        output = text_of(message.get("content"))
    return FoundResult(
        text="\n".join(part for part in (output, exception) if part),
        exit_code=code(extra.get("returncode")),
        status="timeout" if exception and _TIMED_OUT.search(exception) else None,
        synthetic=exception == _NOT_EXECUTED,
    )


def _printed(said: str) -> FoundResult:
    """A result of version 1, as it was printed for the model."""
    match = _RETURN_CODE.match(said)
    if match is None:
        timed_out = said.startswith("The last command") and _TIMED_OUT.search(said[:2000])
        return FoundResult(text=said, status="timeout" if timed_out else None)
    rest = said[match.end() :]
    whole = _OUTPUT.match(rest)
    return FoundResult(text=whole[1] if whole else rest, exit_code=int(match[1]))


FORMAT = Format("mini-SWE-agent trajectory", accepts, read)
