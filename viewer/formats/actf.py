"""AgentCompass, ``result.json`` of an attempt (ACTF): what its harness adapters make of any agent's own trace.

https://github.com/open-compass/AgentCompass

A document with ``trajectory.steps``, the bare trajectory, a list of its steps, or an older task file whose ``attempts``
hold such payloads. Each ACTF step is one step of role model; its prompt texts are the step's prompt. Calls come from
``assistant_content.tool_calls`` alone, whatever shape the adapter left them in: OpenAI, Codex items, ``tool_use``,
``toolCall``, ``{name, arguments}`` or plain texts. ``tools`` are definitions or the calls again, never calls.
Results stand in ``observation``, by id or by order; a Codex item carries its own and stands there a second time.
Known, without a step: ``artifacts`` (the harness's own trace, a second view: a note says what it holds).

Exit codes are taken from places the harness writes: a Codex item's ``exit_code``, Claude Code's first line "Exit code
N", OpenClaw's ``details.exitCode``, mini-SWE-agent's ``returncode``, terminus-2 has none.
Usage is summed over the steps as written: where a reply became several steps (Claude Code), each repeats its tokens.
Cannot tell: the model, cost, cached tokens, declared tools; the times of a step when all steps have the same.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from viewer.blocks import below
from viewer.draft import CallDraft, Draft, StepDraft, summed
from viewer.format import Format
from viewer.lenient import at, integer, items, mapping, mappings, moment, number, text, without_none
from viewer.messages import dumped, text_of
from viewer.model import NO_REPLY, Ending, Json, Usage, Where
from viewer.source import Source
from viewer.tool_calls.codex import CODEX_CALLS, codex_item
from viewer.tool_calls.found import FoundCall, text_id
from viewer.tool_calls.observations import observed
from viewer.tool_calls.slots import slot

_ENDINGS: dict[str, Ending] = {
    "completed": "ended",
    "skipped": "never_started",
    "run_error": "error",
    "eval_error": "ended",  # the agent was done; judging it failed
    "run_error_or_eval_error": "error",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}
_HARNESSES = {
    "raw_codex_events": "codex",
    "raw_claude_events": "claude-code",
    "raw_researchharness_events": "researchharness",
    "mini_swe_agent_raw_trajectory": "mini-swe-agent",
    "harness_execution": "openclaw",
    "openhands": "openhands",
    "terminus_pane": "terminus-2",
    "raw_result": "terminus-2",
}
_VERSIONS = {"codex_version": "codex", "claude_version": "claude-code", "openclaw_version": "openclaw"}
_RAW = ("raw_codex_events", "raw_claude_events", "raw_researchharness_events")
_IDS = ("tool_use_id", "tool_call_id", "toolCallId", "source_call_id", "call_id")


@dataclass(frozen=True, slots=True)
class _Payload:
    """One attempt: the object with status and metrics (empty for a bare trajectory), and where its steps stand."""

    payload: dict[str, Json]
    trajectory: dict[str, Json]
    steps: list[Json]
    row: int | None
    pointer: tuple[str | int, ...]
    """Of the steps; empty with ``row`` None when each step is a row."""
    root: tuple[str | int, ...] = ()
    """Of the payload."""
    attempt: str | None = None

    def where(self, index: int) -> Where:
        return Where(row=index) if self.row is None else Where(row=self.row, pointer=(*self.pointer, index))


def accepts(source: Source) -> bool:
    """Every object row is an attempt's payload, a bare trajectory or a task file of such; or each is an ACTF step."""
    head = source.head
    if not head:
        return False
    return all(_is_document(row) for row in head) or _is_step(head[0])


def _is_document(row: dict[str, Json]) -> bool:
    if _is_retry(row):
        return False
    if _is_payload(row) or _is_trajectory(row):
        return True
    attempts = row.get("attempts")
    return isinstance(attempts, dict) and any(_is_payload(mapping(payload)) for payload in attempts.values())


def _is_retry(row: dict[str, Json]) -> bool:
    return str(row.get("schema_version")).startswith("agentcompass.")


def _is_payload(row: dict[str, Json]) -> bool:
    if "trajectory" not in row or isinstance(row["trajectory"], list):
        return False
    return _is_trajectory(row["trajectory"]) or {"status", "metrics"} <= row.keys()


def _is_trajectory(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    if str(value.get("schema_version")).startswith("ACTF"):
        return True
    return any(_is_step(step) for step in items(value.get("steps"))[:50])


def _is_step(value: Json) -> bool:
    return isinstance(value, dict) and "assistant_content" in value


def read(source: Source) -> tuple[Draft, ...]:
    """One run an attempt."""
    return tuple(_Attempt(source, payload).draft for payload in _payloads(source))


def _payloads(source: Source) -> list[_Payload]:
    if source.head and not _is_document(source.head[0]):
        return [_Payload({}, {}, source.values, None, ())]
    found: list[_Payload] = []
    for row, value in enumerate(source.values):
        if not isinstance(value, dict):
            continue
        attempts = value.get("attempts")
        if isinstance(attempts, dict) and "trajectory" not in value:
            for key, payload in attempts.items():
                if isinstance(payload, dict):
                    found.append(_payload(payload, row, ("attempts", key), key))
        elif "trajectory" in value:
            found.append(_payload(value, row, ()))
        else:
            found.append(_Payload({}, value, items(value.get("steps")), row, ("steps",)))
    return found


def _payload(payload: dict[str, Json], row: int, root: tuple[str | int, ...], attempt: str | None = None) -> _Payload:
    trajectory = mapping(payload.get("trajectory"))
    return _Payload(
        payload, trajectory, items(trajectory.get("steps")), row, (*root, "trajectory", "steps"), root, attempt
    )


class _Attempt:
    def __init__(self, source: Source, given: _Payload) -> None:
        self.given = given
        self.draft = Draft(source)
        self.place = Where(row=given.row or 0, pointer=given.root)
        self.said: set[str] = set()
        self.timed = self._timed()
        for index, step in enumerate(given.steps):
            self._step(step, given.where(index))
        self._header()
        if given.row is not None:
            self._artifacts()

    def _timed(self) -> bool:
        times = {(step.get("started_at"), step.get("finished_at")) for step in mappings(self.given.steps)}
        if len(times) > 1:
            return True
        started, ended = next(iter(times), (None, None))
        return len(self.given.steps) == 1 and started != ended

    # -- steps -----------------------------------------------------------------------------------------------------

    def _step(self, value: Json, where: Where) -> None:
        draft = self.draft
        step = draft.step("model", where)
        draft.used(where)
        if not isinstance(value, dict):
            step.say(value if isinstance(value, str) else None)
            if not isinstance(value, str):
                draft.note("step_not_understood", f"A step is no object: {dumped(value)[:80]}", where)
            return
        step.label = text_id(value.get("step_id"))
        self._prompt(step, value)
        said = value.get("assistant_content")
        if isinstance(said, dict):
            step.say(text_of(said.get("content")))
            step.think(text_of(said.get("reasoning_content")))
            for pointer, found in slot(said.get("tool_calls")):
                draft.call(step, found, below(where, "assistant_content", "tool_calls", *pointer))
        elif said is None:
            step.marker = NO_REPLY
        else:
            step.say(text_of(said))
        self._observation(step, value.get("observation"), below(where, "observation"))
        metric = mapping(value.get("metric"))
        counted = Usage(
            input_tokens=integer(metric.get("prompt_tokens_len")),
            output_tokens=integer(metric.get("completion_tokens_len")),
        )
        step.usage = counted if counted != Usage() else None
        step.model_seconds = _seconds(metric.get("llm_infer_ms"))
        step.tool_seconds = _seconds(metric.get("env_action_ms"))
        step.stop_reason = text(metric.get("stop_reason"))
        if self.timed:
            step.started, step.ended = moment(value.get("started_at")), moment(value.get("finished_at"))

    def _prompt(self, step: StepDraft, value: dict[str, Json]) -> None:
        """The prompt texts of a step, each said once: some harnesses repeat them on every step."""
        told = []
        for key in ("system_prompt", "user_content"):
            words = text_of(value.get(key))
            if words and words not in self.said:
                self.said.add(words)
                told.append(words)
                if key == "user_content" and self.draft.task is None:
                    self.draft.task = words
        step.prompt = "\n\n".join(told)

    def _observation(self, step: StepDraft, value: Json, where: Where) -> None:
        entries = value if isinstance(value, list) else [value] if value not in (None, "", {}) else []
        for index, entry in enumerate(entries):
            place = below(where, index) if isinstance(value, list) else where
            item = mapping(entry)
            if text(item.get("type")) in CODEX_CALLS:
                self._codex(step, item, place)
                continue
            identity = next((found for key in _IDS if (found := text_id(item.get(key))) is not None), None)
            self.draft.result(observed(entry, place), place, id=identity, step=step)

    def _codex(self, step: StepDraft, item: dict[str, Json], where: Where) -> None:
        """The item again. It answers its call only when the call's own copy says nothing of its end."""
        again = codex_item(item)
        call: CallDraft | None = next((call for call in step.calls if call.found.id == again.id), None)
        if call is None:
            if again.result is not None:
                self.draft.result(again.result, where, id=again.id, step=step)
        elif call.result is None and again.result is not None:
            call.result, call.result_where, call.status = again.result, where, again.status

    # -- what is around the steps ----------------------------------------------------------------------------------

    def _header(self) -> None:
        draft, payload, trajectory = self.draft, self.given.payload, self.given.trajectory
        draft.started, draft.ended = moment(trajectory.get("started_at")), moment(trajectory.get("finished_at"))
        draft.usage = summed(
            [step.usage for step in draft.steps],
            "sum over the steps as AgentCompass wrote them, one reply may be several",
        )
        self._outcome(mapping(payload.get("metrics")))
        self._ending(payload)
        claim = payload.get("final_answer")
        draft.claim = text_of(claim) or None
        for index, issue in enumerate(mappings(payload.get("issues"))):
            said = " ".join(str(issue[key]) for key in ("severity", "phase", "code", "message") if issue.get(key))
            draft.note("issue", f"AgentCompass reports: {said}", below(self.place, "issues", index))
        telemetry = mapping(at(payload, "meta", "harness", "telemetry"))
        draft.harness = self._harness(telemetry)
        draft.harness_version = next((version for key in _VERSIONS if (version := text(telemetry.get(key)))), None)
        draft.directory = text(telemetry.get("workspace"))
        draft.extra |= without_none(
            attempt=self.given.attempt,
            status=text(payload.get("status")),
            retry_count=integer(payload.get("retry_count")),
            metrics=payload.get("metrics") or None,
            benchmark=at(payload, "meta", "benchmark") or None,
            telemetry=telemetry or None,
            analysis_result=payload.get("analysis_result") or None,
        )
        if not draft.steps:
            draft.used(self.place)
            draft.note("never_started", "The attempt holds no step.", self.place)
            if draft.ending in (None, "ended"):
                draft.ending = "never_started"

    def _outcome(self, metrics: dict[str, Json]) -> None:
        draft = self.draft
        draft.score = number(metrics.get("score"))
        correct = metrics.get("correct")
        if isinstance(correct, bool):
            draft.outcome = "passed" if correct else "failed"
        elif draft.score in (0, 1):
            draft.outcome = "passed" if draft.score == 1 else "failed"
        if draft.outcome is not None or draft.score is not None:
            draft.judged_by = "evaluator"

    def _ending(self, payload: dict[str, Json]) -> None:
        draft = self.draft
        status = text(payload.get("status"))
        if status is None:
            return
        draft.ending, draft.ending_text = _ENDINGS.get(status, "error"), status
        for issue in mappings(payload.get("issues")):
            said = f"{issue.get('code')} {issue.get('message')}"
            if draft.ending == "error" and re.search(r"time(?:d[ _]?)?out|timed out", said):
                draft.ending = "timeout"
                draft.ending_text = f"{status}: {issue.get('message')}"

    def _harness(self, telemetry: dict[str, Json]) -> str | None:
        artifacts = mapping(self.given.payload.get("artifacts"))
        for keys, holder in ((_HARNESSES, artifacts), (_VERSIONS, telemetry)):
            if (named := next((name for key, name in keys.items() if key in holder), None)) is not None:
                return named
        shapes = {shape for call in self.draft.calls if (shape := _adapter(call.found))}
        return shapes.pop() if len(shapes) == 1 else None

    def _artifacts(self) -> None:
        """The native trace: not read here, named so that it can be opened as a source of its own."""
        artifacts = mapping(self.given.payload.get("artifacts"))
        if not artifacts:
            return
        place = below(self.place, "artifacts")
        self.draft.known(place, "artifacts (the harness's own trace)")
        native = _native(artifacts)
        if native is None:
            return
        pointer, value = native
        self.draft.extra["native_trace"] = [*place.pointer, *pointer]
        listed = ", ".join(f"{count}× {kind}" for kind, count in _kinds(mappings(value)).most_common(12))
        size = f"{len(value):,} events" if isinstance(value, list) else "a whole trace"
        self.draft.note(
            "native_trace",
            f"{'.'.join(map(str, pointer))} holds {size} of the harness itself"
            + (f" ({listed})" if listed else "")
            + "; calls are read from the steps, what only the events have is not.",
            below(place, *pointer),
        )


def _adapter(found: FoundCall) -> str | None:
    """The harness whose adapter leaves calls in this shape, where the shape is its own."""
    if found.name_at == ("type",):
        return "codex"
    if found.name_at == ("name",) and found.arguments_at == ("input",):
        return "claude-code"
    if found.name_at == ("name",) and found.arguments_at == ("arguments",):
        return "openclaw" if found.id else "researchharness"
    return "terminus-2" if found.name in ("bash_command", "mark_task_complete") else None


def _native(artifacts: dict[str, Json]) -> tuple[tuple[str, ...], Json] | None:
    for key in _RAW:
        if artifacts.get(key):
            return (key,), artifacts[key]
    for pointer in (("mini_swe_agent_raw_trajectory",), ("harness_execution", "transcript"), ("openhands", "history")):
        if found := at(artifacts, *pointer):
            return pointer, found
    return (("messages",), artifacts["messages"]) if artifacts.get("messages") else None


def _kinds(events: list[dict[str, Json]]) -> Counter[str]:
    """How often each kind of event occurs; a Codex item, told when it starts and when it ends, counts once."""
    distinct = dict.fromkeys(
        (kind, text_id(at(event, "item", "id")) or str(number))
        for number, event in enumerate(events)
        if (kind := _kind(event)) is not None
    )
    return Counter(kind for kind, _ in distinct)


def _kind(event: dict[str, Json]) -> str | None:
    for found in (at(event, "item", "type"), event.get("type"), event.get("role"), event.get("kind")):
        if isinstance(found, str):
            return found
    return None


def _seconds(value: Json) -> float | None:
    milliseconds = number(value)
    return None if milliseconds is None or milliseconds < 0 else milliseconds / 1000


FORMAT = Format("AgentCompass result (ACTF)", accepts, read)
