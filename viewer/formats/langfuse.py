"""Langfuse, an exported trace: ``{trace, observations}``, or as the API gives it, the observations inside the trace.

https://langfuse.com/docs/observability/data-model

GENERATION observations are the replies, TOOL observations the tools' runs (SPANs too, whose attributes say
``execute_tool``), AGENT observations agents; the rest (SPAN, CHAIN, EVENT …) are known without a step. ``input`` and
``output`` are values or JSON texts of any chat dialect. The document's ``trace`` repeats some observations. Scores
named like a success of the run are no verdict on it unless they are "correctness", "success", "reward" or "resolved".

Usage: sum of ``usageDetails`` over the generations; cost: sum of ``totalCost`` as far as stated. A stated error is
``level`` ERROR. Cannot tell: ids of calls on TOOL observations, an ending.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from viewer.dialects.blocks import below
from viewer.dialects.observations import Meaning, Observation, assemble
from viewer.draft import Draft, summed
from viewer.format import Format
from viewer.lenient import at, integer, items, mapping, mappings, moment, number, text, without_none
from viewer.messages import text_of, unpacked
from viewer.model import Json, Usage, Where
from viewer.source import Source
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult, text_id
from viewer.tool_calls.turns import asked, parsed, turns

_MEANINGS: Final[dict[str, Meaning]] = {"GENERATION": "reply", "TOOL": "tool", "AGENT": "agent"}
_PREFIX: Final = re.compile(r"^(?:execute_tool |running tools?: )")
_VERDICTS: Final = frozenset({"correctness", "success", "reward", "resolved", "passed"})


def accepts(source: Source) -> bool:
    """Rows with an object ``trace`` and a list ``observations``, or with an ``id`` and observations of that trace."""
    return bool(source.head) and all(
        isinstance(listed := row.get("observations"), list)
        and (isinstance(row.get("trace"), dict) or any(_is_of(value, row.get("id")) for value in listed))
        for row in source.head
    )


def _is_of(observation: Json, trace: Json) -> bool:
    value = mapping(observation)
    return isinstance(trace, str) and value.get("traceId") == trace and "startTime" in value


def read(source: Source) -> tuple[Draft, ...]:
    """One run a document."""
    return tuple(_run(source, mapping(row.value), Where(row=row.index)) for row in source.rows)


def _run(source: Source, document: dict[str, Json], where: Where) -> Draft:
    inside = "trace" not in document
    draft, trace = Draft(source), document if inside else mapping(document["trace"])
    draft.harness = text(trace.get("name"))
    draft.harness_version = text(trace.get("version"))
    found = []
    for index, value in enumerate(items(document.get("observations"))):
        place = below(where, "observations", index)
        if isinstance(value, dict):
            found.append(_observation(value, place))
        else:
            draft.not_understood(place, type(value).__name__)
    top = Observation(
        where=where if inside else below(where, "trace"), meaning="agent", id="trace",
        started=moment(trace.get("timestamp")),
        asked=partial(asked, trace.get("input")),
    )  # fmt: skip
    for one in found:
        one.parent = one.parent or "trace"
    assemble(draft, (top, *found))
    draft.used(top.where)
    draft.states_no_exit_codes()
    draft.usage = summed((step.usage for step in draft.steps), "sum of usageDetails over the generations")
    costs = [cost for value in mappings(document.get("observations")) if (cost := number(value.get("totalCost")))]
    draft.cost = sum(costs) if costs else number(trace.get("totalCost"))
    for score in mappings(trace.get("scores")):
        value = number(score.get("value"))
        if value is not None and str(score.get("name")).lower() in _VERDICTS:
            draft.score, draft.judged_by = value, "human" if score.get("source") == "ANNOTATION" else "evaluator"
            draft.outcome = {1.0: "passed", 0.0: "failed"}.get(value)  # type: ignore[assignment]
    scores = {str(s.get("name")): s.get("value") for s in mappings(trace.get("scores"))}
    draft.extra |= without_none(
        trace_id=text(trace.get("id")), session_id=text(trace.get("sessionId")), scores=scores or None
    )
    tops = (value for value in mappings(document.get("observations")) if not value.get("parentObservationId"))
    failed = next((value for value in tops if value.get("level") == "ERROR"), None)
    if failed is not None:
        draft.ending, draft.ending_text = "error", text(failed.get("statusMessage"))
    return draft


def _observation(value: dict[str, Json], where: Where) -> Observation:
    attributes = mapping(mapping(parsed(value.get("metadata"), 1)).get("attributes"))
    meaning = _MEANINGS.get(str(value.get("type")), "other")
    if meaning == "other" and attributes.get("gen_ai.operation.name") == "execute_tool":
        meaning = "tool"
    failed = value.get("level") == "ERROR"
    message = text(value.get("statusMessage")) or ""
    name = text(value.get("name")) or ""
    output = value.get("output")
    one = Observation(
        where=where,
        meaning=meaning,
        id=text_id(value.get("id")),
        parent=text_id(value.get("parentObservationId")),
        name=name if meaning != "other" else str(value.get("type")),
        agent=name,
        started=moment(value.get("startTime")),
        ended=moment(value.get("endTime")),
        failed=failed,
        message=message,
    )
    if meaning == "tool":
        given = value.get("input")
        asked_for = mapping(at(given, 0)) if isinstance(given, list) and len(given) == 1 else {}
        if asked_for.get("role") == "tool":  # Strands writes both ends as messages
            given = asked_for.get("content")
        said = parsed(output, 1) if output is not None else message
        if isinstance(said, dict) and said.keys() <= {"message", "id"} and isinstance(said.get("message"), str):
            said = unpacked(said["message"])
        said = text_of(said)
        one.use = FoundCall(
            id=text_id(attributes.get("gen_ai.tool.call.id")) or text_id(asked_for.get("id")),
            name=_PREFIX.sub("", name) or None,
            arguments=MISSING if given is None else given,
            status="error" if failed else "completed",
            result=FoundResult(text=said, is_error=True if failed else None) if output is not None or failed else None,
            name_at=("name",),
            arguments_at=("input",),
        )
    elif meaning == "reply":
        one.asked, one.said = partial(asked, value.get("input")), partial(turns, output)
        one.said_at, one.exact = ("output",), isinstance(output, dict | list)
        one.usage = _usage(value)
        one.model = text(value.get("model"))
    elif meaning == "agent":
        one.asked, one.said = partial(asked, value.get("input")), partial(turns, output)
    return one


def _usage(value: dict[str, Json]) -> Usage | None:
    details = mapping(value.get("usageDetails")) or mapping(value.get("usage"))

    def tokens(*keys: str) -> int | None:
        return next((found for key in keys if (found := integer(details.get(key))) is not None), None)

    counted = Usage(
        input_tokens=tokens("input", "prompt_tokens", "promptTokens"),
        output_tokens=tokens("output", "completion_tokens", "completionTokens"),
        cached_tokens=tokens(
            "input_cache_read", "input_cached_tokens", "cache_read_input_tokens", "prompt_details.cache_read"
        ),
        cache_write_tokens=tokens("input_cache_creation", "cache_creation_input_tokens"),
        reasoning_tokens=tokens("output_reasoning", "output_reasoning_tokens", "completion_details.reasoning"),
    )
    return counted if counted != Usage() else None


FORMAT = Format("Langfuse trace", accepts, read)
