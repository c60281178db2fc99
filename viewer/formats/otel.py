"""OpenTelemetry: spans (or log records) of GenAI, OpenInference, Vercel AI SDK, Traceloop and ADK instrumentation.

https://opentelemetry.io/docs/specs/semconv/gen-ai/ · https://github.com/Arize-ai/openinference ·
https://ai-sdk.dev/docs/ai-sdk-core/telemetry

Carriers: OTLP JSON, one export a line, Tempo, Jaeger, lists of spans, single spans; log records with messages. One
``traceId`` is one run. A span that stands for a model's reply is a step; one that wraps another reply is a copy of it
(known, no step). A tool span is the call that its id names in a reply, or, without ids, the next call of its name
among the same agent's; a call of a reply without a tool span is a call too, answered by a later prompt. Otherwise
prompts are history. Agent spans below a tool span, or beside the first agent, are sub-agents. Order is that of
starts: exports are written in order of ends. Where no reply was recorded, the agent's own output makes the steps.

Known without a step: all other spans and records (HTTP, chains, databases …).
Usage: sum over the reply spans; agent spans repeat the sum. A stated error is status ERROR, ``error.type`` or an
exception event. Cannot tell: what was not instrumented; content, where it is off (the default); exit codes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from viewer.blocks import below
from viewer.draft import CallDraft, Draft, StepDraft, summed
from viewer.format import Format
from viewer.lenient import text, without_none
from viewer.model import Json, Where
from viewer.source import HEAD, Source
from viewer.spans import Event, Span, log_records, spans
from viewer.tool_calls import conventions
from viewer.tool_calls.arguments import read as read_arguments
from viewer.tool_calls.conventions import Meaning
from viewer.tool_calls.found import FoundCall
from viewer.tool_calls.turns import Turn

_LATE: Final = float("inf")
_SESSIONS: Final = ("gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId")


def accepts(source: Source) -> bool:
    """A span, or a log record with messages, that a GenAI convention knows; no Langfuse document."""
    only = source.only or {}
    if "observations" in only:
        return False
    return any(conventions.meaning(span.attributes) != "other" for span in spans(source, rows=HEAD)) or any(
        _carries(record.event) for record in log_records(source, rows=HEAD)
    )


def _carries(event: Event) -> bool:
    return event.name in conventions.EVENTS or "gen_ai.output.messages" in event.attributes


def read(source: Source) -> tuple[Draft, ...]:
    """One run a trace that has a reply, a tool or an agent; the spans of other traces are known rows of the first."""
    found: list[Span] = []
    logs: dict[tuple[str | None, str | None], list[tuple[Where, Event, str | None]]] = {}
    idle: list[tuple[Where, str]] = []
    for number in range(1 + len(source.companions)):
        part = source.companions[number - 1] if number else source
        found.extend(spans(part, number))
        for record in log_records(part, number):
            if _carries(record.event):
                place = (record.trace, record.span)
                logs.setdefault(place, []).append((record.where, record.event, record.service))
            else:
                idle.append((record.where, f"log record {record.event.name}".rstrip()))
    places: dict[int, list[Where]] = {}
    for index, span in enumerate(found):
        if records := logs.pop((span.trace, span.id), None):
            found[index] = replace(span, events=(*span.events, *(event for _, event, _ in records)))
            places[id(found[index])] = [where for where, _, _ in records]
    for (trace, identity), records in logs.items():
        found.append(_span_of_logs(trace, identity, records))
        places[id(found[-1])] = [where for where, _, _ in records]
    traces: dict[str | None, list[Span]] = {}
    for span in found:
        traces.setdefault(span.trace, []).append(span)
    meant = {key: any(conventions.meaning(span.attributes) != "other" for span in of) for key, of in traces.items()}
    runs = [_Run(source, of, places) for key, of in traces.items() if meant[key]]
    drafts = tuple(run.read() for run in runs)
    idle += [(span.where, "span") for key, of in traces.items() if not meant[key] for span in of]
    if drafts:
        for where, type in idle:
            drafts[0].known(where, type)
        _empty_rows(source, drafts)
    return drafts


def _empty_rows(source: Source, drafts: tuple[Draft, ...]) -> None:
    """Exports without spans (metrics, empty batches) carry no step."""
    mentioned = set().union(*(draft.ledger.rows() for draft in drafts))
    for row in range(len(source)):
        value = source.value(row)
        if row not in mentioned and isinstance(value, dict) and any(key.startswith("resource") for key in value):
            drafts[0].known(Where(row=row), "export without spans")


def _span_of_logs(trace: str | None, id: str | None, records: list[tuple[Where, Event, str | None]]) -> Span:
    """A reply of which only the log records were opened: they stand for its span."""
    where, _, service = next((r for r in records if r[1].name == "gen_ai.choice"), records[-1])
    times = [event.time for _, event, _ in records if event.time is not None]
    attributes: dict[str, Json] = {"gen_ai.operation.name": "chat"}
    for _, event, _ in records:
        attributes |= {key: value for key, value in event.attributes.items() if key.startswith("gen_ai.")}
    return Span(
        where=where,
        trace=trace,
        id=id,
        name="chat",
        attributes=attributes,
        service=service,
        events=tuple(event for _, event, _ in records),
        started=min(times, default=None),
        ended=max(times, default=None),
    )


class _Run:
    def __init__(self, source: Source, found: list[Span], records: dict[int, list[Where]]) -> None:
        self.records = records
        self.draft = Draft(source)
        self.all = found
        self.spans = sorted(found, key=lambda span: span.started if span.started is not None else _LATE)
        counts = Counter(span.id for span in found)
        self.by_id = {span.id: span for span in found if span.id is not None and counts[span.id] == 1}
        self.meanings: dict[int, Meaning] = {id(span): conventions.meaning(span.attributes) for span in found}
        self.agents: dict[int, str | None] = {}
        self.tool_of: dict[str, Span] = {}
        self.tools = [span for span in self.spans if self.meanings[id(span)] == "tool"]
        self.uses = {id(s): conventions.tool_use(s.attributes, s.name, s.failed, s.message) for s in self.tools}
        self.taken: dict[int, CallDraft] = {}
        self.said: dict[str | None, Counter[str]] = {}

    def read(self) -> Draft:
        draft = self.draft
        self._mark_wrappers()
        self._name_agents()
        has_replies = {self.agents[id(span)] for span in self.spans if self.meanings[id(span)] == "reply"}
        for span in self.spans:
            kind = self.meanings[id(span)]
            agent = self.agents[id(span)]
            if kind == "reply" or (kind == "agent" and agent not in has_replies and self._speaks(span)):
                self._reply(span, agent)
                has_replies.add(agent)
            elif kind == "tool" and id(span) not in self.taken:
                self._tool(span, agent)
        for span in self.spans:
            self._answers_in_history(span)
        for name, tool in self.tool_of.items():
            if (call := self.taken.get(id(tool))) is not None:
                draft.delegations[name] = call
                call.found = replace(call.found, kind="agent")
        self._header()
        for span in self.all:
            if span.where not in draft.ledger:
                draft.known(span.where, f"{self.meanings[id(span)]} span")
        return draft

    # -- the tree ----------------------------------------------------------------------------------------------------

    def _above(self, span: Span) -> list[Span]:
        """The spans above, nearest first."""
        found, seen = [], {span.id}
        while span.parent is not None and span.parent not in seen and (parent := self.by_id.get(span.parent)):
            seen.add(span.parent)
            found.append(parent)
            span = parent
        return found

    def _mark_wrappers(self) -> None:
        """A reply that has a reply below it, with no tool or agent between, repeats it."""
        for span in self.spans:
            if self.meanings[id(span)] != "reply":
                continue
            for above in self._above(span):
                kind = self.meanings[id(above)]
                if kind in ("tool", "agent"):
                    break
                if kind == "reply":
                    self.meanings[id(above)] = "outer"
        inner = {id(above) for s in self.spans if self.meanings[id(s)] == "reply" for above in self._above(s)}
        for span in self.spans:  # an outer span without an inner one is all there is of the reply
            if self.meanings[id(span)] == "outer" and id(span) not in inner:
                self.meanings[id(span)] = "reply"

    def _name_agents(self) -> None:
        """Which agent each span belongs to; None is the main one."""
        nearest: dict[int, Span | None] = {}
        for span in self.spans:
            chain = [span, *self._above(span)] if self.meanings[id(span)] == "agent" else self._above(span)
            nearest[id(span)] = next((above for above in chain if self.meanings[id(above)] == "agent"), None)
        acting = [s for s in self.spans if self.meanings[id(s)] in ("reply", "tool")]
        main = next((nearest[id(span)] for span in acting), None)
        main_name = main and (conventions.agent_name(main.attributes) or main.name)
        enclosing = {id(above) for above in self._above(main)} if main else set()
        names: dict[tuple[str, int | None], str] = {}
        for span in self.spans:
            agent = nearest[id(span)]
            self.agents[id(span)] = None
            if agent is None or agent is main or id(agent) in enclosing:
                continue
            own = conventions.agent_name(agent.attributes) or agent.name or "agent"
            tool = self._delegating(agent)
            if tool is None and own == main_name:
                continue  # the main agent, called once more
            key = (own, id(tool) if tool else None)
            if key not in names:
                names[key] = own if own not in names.values() else f"{own} {len(names) + 1}"
                if tool is not None:
                    self.tool_of[names[key]] = tool
            self.agents[id(span)] = names[key]

    def _delegating(self, agent: Span) -> Span | None:
        """The tool span above an agent span; where the exporter cut that link, the one tool that ran all the while."""
        above = next((span for span in self._above(agent) if self.meanings[id(span)] == "tool"), None)
        if above is not None or agent.started is None or agent.ended is None:
            return above
        around = [
            tool for tool in self.tools
            if tool.started is not None and tool.ended is not None
            and tool.started <= agent.started and agent.ended <= tool.ended and agent not in self._above(tool)
        ]  # fmt: skip
        return around[0] if len(around) == 1 else None

    # -- steps and calls ---------------------------------------------------------------------------------------------

    def _events(self, span: Span) -> list[tuple[str, dict[str, Json]]]:
        return [(event.name, event.attributes) for event in span.events]

    def _speaks(self, span: Span) -> bool:
        return bool(conventions.answer(span.attributes, self._events(span))[0])

    def _reply(self, span: Span, agent: str | None) -> None:
        draft, attributes, events = self.draft, span.attributes, self._events(span)
        self._asked(span, agent, conventions.prompt(attributes, events))
        said, key = conventions.answer(attributes, events)
        step: StepDraft | None = None
        for answer in said:
            if step is None or (step.calls and answer.text):
                step = self._step(span, agent, first=step is None)
            step.say(answer.text)
            step.think(answer.reasoning)
            step.images.extend(answer.images)
            step.stop_reason = step.stop_reason or answer.finish
            for _, found in answer.calls:
                self._call(step, span, found, key)
            for _, identity, result in answer.results:
                if identity is not None:
                    draft.result(result, span.where, id=identity, agent=agent, step=step)
        if step is None:
            self._step(span, agent, first=True)
        if span.failed:
            draft.note(
                "reply_failed", f"A request to the model failed: {span.message or 'no reason given'}.", span.where
            )
        draft.used(span.where)
        for where in self.records.get(id(span), ()):
            draft.used(where)

    def _step(self, span: Span, agent: str | None, *, first: bool) -> StepDraft:
        reply = self.meanings[id(span)] == "reply"
        return self.draft.step(
            "model",
            span.where,
            agent=agent,
            started=span.started,
            ended=span.ended if reply else None,
            model_seconds=span.ended - span.started if reply and span.ended and span.started and first else None,
            model=conventions.model(span.attributes),
            usage=conventions.usage(span.attributes) if first and reply else None,
            stop_reason=conventions.finish(span.attributes) if reply else None,
            label=text(span.attributes.get("gen_ai.response.id")) if first else None,
        )

    def _asked(self, span: Span, agent: str | None, asked: tuple[Turn, ...]) -> None:
        """What the prompt says that no earlier prompt of this agent said: the task, later words of the user."""
        seen = self.said.setdefault(agent, Counter())
        here: Counter[str] = Counter()
        for spoken in asked:
            if spoken.role in ("user", "system") and (spoken.text or spoken.images):
                here[spoken.role + spoken.text] += 1
                if here[spoken.role + spoken.text] > seen[spoken.role + spoken.text]:
                    self.draft.step(
                        spoken.role, span.where, agent=agent, started=span.started, texts=[spoken.text],
                        images=list(spoken.images),
                    )  # fmt: skip
        self.said[agent] = seen | here

    def _call(self, step: StepDraft, span: Span, found: FoundCall, key: str | None) -> None:
        """A call of a reply: the tool span that ran it, if one was recorded."""
        where = below(span.where, *span.places[key]) if key in span.places else span.where
        tool = self._ran(span, found)
        if tool is None:
            self.draft.call(step, replace(found, name_at=None, arguments_at=None), where)
            return
        own, _, arguments_key = self.uses[id(tool)]
        if arguments_key is None:  # content is off on tool spans, the reply has it
            self.uses[id(tool)] = (replace(own, arguments=found.arguments), None, None)
        self._place(step, tool, replace(found, result=None))

    def _ran(self, span: Span, found: FoundCall) -> Span | None:
        free = [tool for tool in self.tools if id(tool) not in self.taken]
        if found.id is not None:
            named = [tool for tool in free if self.uses[id(tool)][0].id == found.id]
            if named:
                return named[0]
        agent = self.agents[id(span)]
        alike = [
            tool for tool in free
            if self.agents[id(tool)] == agent and (self.uses[id(tool)][0].id is None or found.id is None)
            and self.uses[id(tool)][0].name == found.name
            and (tool.started is None or span.started is None or tool.started >= span.started)
        ]  # fmt: skip
        wanted = read_arguments(found.arguments).value
        equal = [tool for tool in alike if read_arguments(self.uses[id(tool)][0].arguments).value == wanted]
        return next(iter(equal or alike), None)

    def _place(self, step: StepDraft, tool: Span, found: FoundCall | None = None) -> None:
        own, name_key, arguments_key = self.uses[id(tool)]
        call = replace(
            own,
            id=own.id or (found.id if found else None),
            name=own.name if own.name is not None else found and found.name,
            name_at=tool.places.get(name_key or ""),
            arguments_at=tool.places.get(arguments_key or ""),
            started=tool.started,
            ended=tool.ended,
        )
        self.taken[id(tool)] = self.draft.call(step, call, tool.where)
        self.draft.used(tool.where)

    def _tool(self, span: Span, agent: str | None) -> None:
        """A tool's run that no reply names."""
        step = next((s for s in reversed(self.draft.steps) if s.role == "model" and s.agent == agent), None)
        if step is None:
            holder = next((above for above in self._above(span) if self.meanings[id(above)] == "agent"), span)
            self._asked(holder, agent, conventions.prompt(holder.attributes, ()) if holder is not span else ())
            step = self._step(holder, agent, first=True)
            self.draft.used(holder.where)
        self._place(step, span)

    def _answers_in_history(self, span: Span) -> None:
        """Results that only a later prompt holds: of calls without a tool span, or whose span recorded no content."""
        if self.meanings[id(span)] not in ("reply", "outer") or all(call.result for call in self.draft.calls):
            return
        agent = self.agents[id(span)]
        open_calls = {call.found.id: call for call in self.draft.calls if call.result is None and call.agent == agent}
        for spoken in conventions.prompt(span.attributes, self._events(span)):
            for _, identity, result in spoken.results:
                if identity is not None and (call := open_calls.pop(identity, None)) is not None:
                    failed = call.found.status == "error"
                    call.result = replace(result, is_error=True) if failed else result
                    call.result_where = span.where

    # -- header ------------------------------------------------------------------------------------------------------

    def _header(self) -> None:
        draft = self.draft
        draft.harness = next((span.service for span in self.spans if span.service), None)
        replies = [span for span in self.spans if self.meanings[id(span)] == "reply"]
        draft.declared_tools = next(
            (tools for s in replies if (tools := conventions.declared_tools(s.attributes))), None
        )
        draft.usage = summed((step.usage for step in draft.steps), "sum over the reply spans")
        if draft.usage is None:
            wrappers = [span for span in self.spans if self.meanings[id(span)] in ("agent", "outer")]
            whole = next((usage for span in wrappers if (usage := conventions.usage(span.attributes))), None)
            draft.usage = replace(whole, rule="the agent's span") if whole else None
        real = [
            span for span in self.all if not (id(span) in self.records and span.parent is None and span.name == "chat")
        ]
        roots = [span for span in real if span.parent is None and span.id is not None]
        root = next((span for span in roots if self.meanings[id(span)] != "other" or len(roots) == 1), None)
        if root is not None and len(real) > 1:
            draft.ending, draft.ending_text = "ended", None
            if root.failed:
                draft.ending, draft.ending_text = "error", root.message or "status ERROR"
            draft.used(root.where)
        elif not roots and len(real) > 1:
            draft.note("root_span_missing", "The span around the run is not in the file: it may still be going on.")
        draft.extra |= without_none(
            trace_id=self.all[0].trace,
            session_id=next(
                (found for span in self.spans for key in _SESSIONS if (found := text(span.attributes.get(key)))), None
            ),
        )


FORMAT = Format("OpenTelemetry", accepts, read)
