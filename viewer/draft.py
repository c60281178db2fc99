"""A trajectory under construction: the only mutable thing in the house.

A reader walks its rows once and tells the draft what it finds: steps, calls, results, and for every row whether it
was used, known, or not understood. ``finish`` does the rest the same way for every format: pairing, names, kinds,
signatures, states, indexes, sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from viewer.ledger import Ledger
from viewer.lenient import elapsed
from viewer.model import (
    Ending,
    Image,
    Json,
    Judge,
    Line,
    Note,
    Outcome,
    Role,
    State,
    Step,
    ToolCall,
    ToolResult,
    Trajectory,
    Usage,
    Where,
)
from viewer.source import Source
from viewer.tool_calls import arguments, names
from viewer.tool_calls.found import FoundCall, FoundResult, Status
from viewer.tool_calls.kinds import kind_of
from viewer.tool_calls.pairing import Pairs, Pending, Policy, without_ids
from viewer.tool_calls.shapes import NOT_UNDERSTOOD
from viewer.tool_calls.signature import signature
from viewer.tool_calls.states import looks_like_error, state_of

_SAME_NOTES = 5
_LAST_WORDS = ("message", "summary", "answer", "result", "final_thought")
"""Arguments of a finish call that hold the agent's last word."""


@dataclass(slots=True, eq=False)
class CallDraft:
    """A call being read. ``found`` may be replaced by a later record of the same call; its place stays."""

    found: FoundCall
    where: Where
    step: StepDraft
    result: FoundResult | None = None
    result_where: Where | None = None
    status: Status | None = None
    started: float | None = None
    ended: float | None = None
    line: Line = "main"
    agent: str | None = None
    index: int | None = None
    """Among the calls of the trajectory, known at the end; None for a superseded one."""

    @property
    def step_number(self) -> int:
        """The position of the step it stands in."""
        return self.step.number

    @property
    def row_number(self) -> tuple[int, int]:
        """The row it stands in."""
        return self.where.source, self.where.row

    def repeats(self, other: Pending) -> bool:
        """Same name and arguments as found: the file wrote one call twice."""
        return isinstance(other, CallDraft) and (self.found.name, self.found.arguments) == (
            other.found.name,
            other.found.arguments,
        )


@dataclass(slots=True, eq=False)
class StepDraft:
    """A step being read; texts are joined by blank lines at the end."""

    number: int
    role: Role
    where: Where
    agent: str | None = None
    line: Line = "main"
    texts: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    calls: list[CallDraft] = field(default_factory=list)
    orphans: list[ToolResult] = field(default_factory=list)
    usage: Usage | None = None
    model: str | None = None
    stop_reason: str | None = None
    started: float | None = None
    ended: float | None = None
    model_seconds: float | None = None
    tool_seconds: float | None = None
    label: str | None = None
    marker: str | None = None
    prompt: str = ""

    def say(self, text: str | None) -> None:
        """Adds text, if there is any."""
        if text:
            self.texts.append(text)

    def think(self, text: str | None) -> None:
        """Adds reasoning, if there is any."""
        if text:
            self.reasoning.append(text)


class Draft:
    """One run being read. Header fields are plain attributes; set what the file states and leave the rest."""

    def __init__(self, source: Source, *, pairing: Policy = "entries", dialect: str | None = None) -> None:
        self.source = source
        self.dialect = dialect
        self.ledger = Ledger()
        self.steps: list[StepDraft] = []
        self.calls: list[CallDraft] = []
        self.notes: list[Note] = []
        self.delegations: dict[str, CallDraft] = {}
        """Sub-agent id -> the call that started it."""
        self.denied: set[str] = set()
        """Ids of calls the file lists as denied."""
        self.harness: str | None = None
        self.harness_version: str | None = None
        self.model: str | None = None
        self.task: str | None = None
        self.outcome: Outcome | None = None
        self.score: float | None = None
        self.judged_by: Judge | None = None
        self.ending: Ending | None = None
        self.ending_text: str | None = None
        self.claim: str | None = None
        self.declared_tools: Iterable[str] | None = None
        self.declared_servers: Iterable[str] | None = None
        self.directory: str | None = None
        self.usage: Usage | None = None
        self.cost: float | None = None
        self.started: float | None = None
        self.ended: float | None = None
        self.extra: dict[str, Json] = {}
        self._pairs: Pairs[CallDraft] = Pairs(pairing)
        self._unlinked: list[tuple[StepDraft, FoundResult, Where]] = []

    # -- what a reader says ------------------------------------------------------------------------------------------

    def used(self, where: Where) -> None:
        """The row gave something to show."""
        self.ledger.used(where)

    def known(self, where: Where, type: str) -> None:
        """The row carries no step; its type is named in the format's docstring."""
        self.ledger.known(where, type)

    def not_understood(self, where: Where, type: str) -> None:
        """The row's type or shape is not known: counted, listed, and noted once a type."""
        if not any(note.code == "not_understood" and f"{type!r}" in note.text for note in self.notes):
            self.note("not_understood", f"Rows of the type {type!r} are not understood.", where)
        self.ledger.not_understood(where, type)

    def note(self, code: str, text: str, where: Where | None = None) -> None:
        """Something a person should know."""
        self.notes.append(Note(code=code, text=text, where=where))

    def step(self, role: Role, where: Where, **fields: Any) -> StepDraft:
        """Opens a step; ``fields`` are those of ``StepDraft``."""
        opened = StepDraft(number=len(self.steps), role=role, where=where, **fields)
        self.steps.append(opened)
        return opened

    def last_step(self, agent: str | None) -> StepDraft | None:
        """The last step of an agent so far."""
        for step in reversed(self.steps):
            if step.agent == agent:
                return step
        return None

    def call(self, step: StepDraft, found: FoundCall, where: Where) -> CallDraft:
        """A call of this step. Returns the earlier draft when the file only wrote a call again (policy reissue)."""
        draft = CallDraft(found=found, where=where, step=step, agent=step.agent, line=step.line)
        if found.result is not None:
            draft.result, draft.result_where = found.result, where
        elif found.id is not None:
            same = self._pairs.add(draft, (step.agent, found.id))
            if same is not draft:
                self.note("call_repeated_in_file", f"The call {found.id} is written again.", where)
                return same
        self.calls.append(draft)
        step.calls.append(draft)
        return draft

    def result(
        self,
        found: FoundResult,
        where: Where,
        *,
        id: str | None = None,
        agent: str | None = None,
        step: StepDraft | None = None,
    ) -> CallDraft | None:
        """A result. ``step`` is the step it stands in, when the format knows. Returns the call it answers, if any yet.

        A result without an id waits until the end (calls.md 7.4); one without a call is kept on its step, with a note.
        """
        place = step or (self.steps[-1] if self.steps else self.step("environment", where, agent=agent))
        if id is None:
            self._unlinked.append((place, found, where))
            return None
        answer = self._pairs.answer((agent, id), step.number if step else None)
        call = answer.call
        if call is None:
            # some files name the agent on the call's row only; one agent with this id open is no guess
            others = [open for open in self.calls if open.found.id == id and open.result is None]
            if len({open.agent for open in others}) == 1:
                answer = self._pairs.answer((others[0].agent, id))
                call = answer.call
        if call is None:
            idless = [
                open for open in self.calls if open.found.id is None and open.result is None and open.agent == agent
            ]
            if len(idless) == 1:
                self.note("result_unlinked_id", f"The result {id} answers the only open call, which has no id.", where)
                call = idless[0]
            else:
                self._orphan(place, found, where, f"No call has the id {id}.")
                return None
        if answer.again and call.result is not None:
            if call.result.text == found.text:
                self.note("result_repeated", f"The result of {id} is written again.", where)
                return call
            self.note(
                "result_replaced", f"The result of {id} is written again with another text; the last one counts.", where
            )
        call.result, call.result_where = found, where
        return call

    def answered(self, id: str, agent: str | None = None) -> CallDraft | None:
        """The call of this id, answered or open; for rows that only add to a call."""
        for call in reversed(self.calls):
            if call.found.id == id and call.agent == agent:
                return call
        return None

    def states_no_exit_codes(self) -> None:
        """For formats without exit codes: a run with a shell call says so, since a failed one looks like any other."""
        tools = (call.found.name for call in self.calls if isinstance(call.found.name, str))
        if any(kind_of(name) == "shell" for name in tools):
            self.note(
                "exit_codes_not_recorded",
                "No exit codes stand in this format: a failed command looks like one that worked.",
            )

    # -- the end -----------------------------------------------------------------------------------------------------

    def finish(self, run_id: str, format: str) -> Trajectory:
        """The frozen trajectory. Coverage is added by ``formats.read``, which sees the whole source."""
        self.link()
        superseded = {id(call) for call in self._pairs.superseded if call.result is None}
        servers = tuple(self.declared_servers) if self.declared_servers is not None else None
        living = [call for call in self.calls if id(call) not in superseded] if superseded else self.calls
        for index, call in enumerate(living):
            call.index = index
        calls: list[ToolCall] = []
        dead: list[ToolCall] = []
        for call in self.calls:
            if call.index is not None:
                calls.append(self._frozen(call, call.index, servers))
            else:
                dead.append(self._frozen(call, len(dead), servers))
        steps = tuple([self._frozen_step(step) for step in self.steps])
        times = [time for step in steps for time in (step.started, step.ended) if time is not None]
        started = self.started if self.started is not None else min(times, default=None)
        ended = self.ended if self.ended is not None else max(times, default=None)
        return Trajectory(
            run_id=run_id,
            format=format,
            harness=self.harness,
            harness_version=self.harness_version,
            model=self.model or next((step.model for step in steps if step.model), None),
            task=self.task if self.task is not None else _task(steps),
            steps=steps,
            calls=tuple(calls),
            superseded=tuple(dead),
            outcome=self.outcome,
            score=self.score,
            judged_by=self.judged_by,
            ending=self.ending,
            ending_text=self.ending_text,
            claim=self.claim if self.claim is not None else _claim(steps, calls),
            declared_tools=tuple(self.declared_tools) if self.declared_tools is not None else None,
            declared_servers=servers,
            directory=self.directory,
            usage=self.usage or summed([step.usage for step in steps if step.line == "main"]),
            cost=self.cost,
            started=started,
            ended=ended if started is None or ended is None or ended >= started else None,
            notes=tuple(_folded(self.notes)),
            extra=self.extra,
        )

    def link(self) -> None:
        """Pairs the results without ids that came so far (calls.md 7.4). A reader of a format that never has ids calls
        it before each reply, so that a later result finds only calls that are still open; ``finish`` does so anyway.
        """
        by_step: dict[int, list[tuple[StepDraft, FoundResult, Where]]] = {}
        for entry in self._unlinked:
            by_step.setdefault(entry[0].number, []).append(entry)
        self._unlinked.clear()
        for number, entries in sorted(by_step.items()):
            step = entries[0][0]
            open_calls = [call for call in step.calls if call.result is None]
            so_far = [
                call for call in self.calls
                if call.result is None and call.step.number <= number and call.agent == step.agent
            ]  # fmt: skip
            call_names = [str(call.found.name) for call in open_calls]
            paired = without_ids([found.name for _, found, _ in entries], open_calls, call_names, so_far)
            for (place, found, where), call in zip(entries, paired, strict=True):
                if call is None:
                    self._orphan(
                        place, found, where, "It names no call and more than one could be meant.", "result_unlinked"
                    )
                else:
                    call.result, call.result_where = found, where

    def _orphan(
        self, step: StepDraft, found: FoundResult, where: Where, why: str, code: str = "result_without_call"
    ) -> None:
        step.orphans.append(_tool_result(found, where))
        self.note(code, f"A result belongs to no call. {why}", where)

    def _frozen(self, call: CallDraft, index: int, servers: tuple[str, ...] | None) -> ToolCall:
        found = call.found
        name, server = names.canonical(found.name, found.server, self.dialect, servers or ())
        if name == names.UNKNOWN and not any(code == NOT_UNDERSTOOD for code, _ in found.notes):
            self.note(NOT_UNDERSTOOD, "A call has no readable name.", call.where)
        value, notes = arguments.read(found.arguments, plain=found.plain)
        if found.notes or notes:
            for code, text in (*found.notes, *notes):
                self.note(code, text, call.where)
        tool = found.name if isinstance(found.name, str) else name
        kind = kind_of(tool.removeprefix("functions."), server, value, found.kind)
        status: Status | None = call.status or found.status
        if found.id is not None and found.id in self.denied:
            status = "denied"
        state: State = "superseded" if call.index is None else state_of(call.result, status)
        if state == "running" and self.ending not in (None, "truncated"):
            state = "unanswered"  # the file has an end row, so nothing runs any more (calls.md 10, example 6)
        if call.result is not None and call.result.synthetic:
            self.note(
                "result_synthetic", "The harness inserted this result to repair the conversation.", call.result_where
            )
        parent = self.delegations.get(call.agent) if call.agent is not None else None
        started, ended = call.started or found.started, call.ended or found.ended
        return ToolCall(
            index=index,
            step=call.step.number,
            id=found.id,
            name=name,
            raw_name=found.raw_name or (found.name if isinstance(found.name, str) else None),
            server=server,
            kind=kind,
            arguments=value,
            signature=signature(name, kind, value, self.directory),
            state=state,
            result=None if call.result is None else _tool_result(call.result, call.result_where),
            where=call.where,
            agent=call.agent,
            line=call.line,
            parent=parent.index if parent is not None and parent is not call else None,
            started=started,
            ended=ended,
            duration=found.duration if found.duration is not None else elapsed(started, ended),
            name_at=found.name_at,
            arguments_at=found.arguments_at,
        )

    def _frozen_step(self, step: StepDraft) -> Step:
        return Step(
            index=step.number,
            role=step.role,
            where=step.where,
            agent=step.agent,
            line=step.line,
            text="\n\n".join(step.texts) if step.texts else "",
            reasoning="\n\n".join(step.reasoning) if step.reasoning else "",
            prompt=step.prompt,
            images=tuple(step.images),
            calls=tuple([call.index for call in step.calls if call.index is not None]),
            results=tuple(step.orphans),
            usage=step.usage,
            model=step.model,
            stop_reason=step.stop_reason,
            started=step.started,
            ended=step.ended,
            model_seconds=step.model_seconds,
            tool_seconds=step.tool_seconds,
            label=step.label,
            marker=step.marker,
        )


def summed(usages: Iterable[Usage | None], rule: str = "sum over the distinct model replies") -> Usage | None:
    """The sum of what is recorded; None when nothing is."""
    recorded = [usage for usage in usages if usage is not None]
    if not recorded:
        return None

    def total(name: str) -> int | None:
        values = [value for usage in recorded if (value := getattr(usage, name)) is not None]
        return sum(values) if values else None

    return Usage(
        input_tokens=total("input_tokens"),
        output_tokens=total("output_tokens"),
        cached_tokens=total("cached_tokens"),
        cache_write_tokens=total("cache_write_tokens"),
        reasoning_tokens=total("reasoning_tokens"),
        rule=rule,
    )


def _tool_result(found: FoundResult, where: Where | None) -> ToolResult:
    failed = found.is_error is True or found.exit_code not in (None, 0)
    suspect = found.suspect or found.synthetic or (not failed and looks_like_error(found.text))
    return ToolResult(
        text=found.text,
        is_error=True if failed else found.is_error if found.exit_code is None else False,
        suspect=suspect,
        exit_code=found.exit_code,
        images=found.images,
        where=where,
    )


def _task(steps: tuple[Step, ...]) -> str | None:
    """The first user text of the main line, when the format names no task itself."""
    return next((s.text for s in steps if s.role == "user" and s.agent is None and s.text and s.marker is None), None)


def _claim(steps: tuple[Step, ...], calls: list[ToolCall]) -> str | None:
    """The agent's last word: the text of the last model step, if it says something and acts no more."""
    last = next((s for s in reversed(steps) if s.role == "model" and s.agent is None and s.line == "main"), None)
    if last is None:
        return None
    kinds = {calls[index].kind for index in last.calls}
    if kinds - {"finish"}:
        return None
    for index in last.calls:
        given = calls[index].arguments
        if isinstance(given, dict):
            said = next((v for k in _LAST_WORDS if isinstance(v := given.get(k), str) and v), None)
            if said:
                return said
    return last.text or None


def _folded(notes: list[Note]) -> list[Note]:
    """At most five notes of one code; one more says how many there are."""
    counts = Counter(note.code for note in notes)
    shown: Counter[str] = Counter()
    kept = []
    for note in notes:
        shown[note.code] += 1
        if counts[note.code] <= _SAME_NOTES + 1 or shown[note.code] <= _SAME_NOTES:
            kept.append(note)
        elif shown[note.code] == counts[note.code]:
            kept.append(Note(code=note.code, text=f"… and {counts[note.code] - _SAME_NOTES:,} more like this."))
    return kept
