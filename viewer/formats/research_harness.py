"""ResearchHarness, its list of events: what AgentCompass keeps as ``raw_researchharness_events``.

https://github.com/open-compass/AgentCompass

Rows with ``role`` and ``text``: assistant (``tool_names``, ``tool_arguments``, which may be shorter), tool and runtime
(results, in the order of the calls of the last assistant row), user, system. A tool row without a call open is text
of the environment.

Cannot tell: ids of calls, reasoning, cost, whether the task succeeded.
"""

from __future__ import annotations

from viewer.dialects.blocks import below
from viewer.dialects.chat import usage_of
from viewer.draft import Draft, StepDraft
from viewer.format import Format
from viewer.lenient import at, items, mapping, moment, text
from viewer.messages import text_of
from viewer.model import Json, Where
from viewer.source import Source
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult

_ROLES = ("assistant", "tool", "runtime", "user", "system")


def accepts(source: Source) -> bool:
    """Every object row has such a role and ``text``, none has ``content``, and one has a list of tool names."""
    head = source.head
    return all(
        row.get("role") in _ROLES and isinstance(row.get("text"), str) and "content" not in row for row in head
    ) and any(isinstance(row.get("tool_names"), list) for row in head)


def read(source: Source) -> tuple[Draft, ...]:
    """One run."""
    draft = Draft(source)
    draft.harness = "researchharness"
    reply: StepDraft | None = None
    answered = 0
    for row, value in enumerate(source):
        where = Where(row=row)
        event = mapping(value)
        role = event.get("role")
        if role not in _ROLES:
            draft.not_understood(where, f"role {role!r}" if event else type(value).__name__)
            continue
        draft.used(where)
        when = moment(event.get("timestamp"))
        if role == "assistant":
            reply, answered = _reply(draft, event, where, when), 0
        elif role in ("tool", "runtime") and reply is not None and reply.calls:
            draft.result(_result(event), where, step=reply)
            answered += 1
            if answered <= len(reply.calls):
                reply.calls[answered - 1].ended = when
        else:
            draft.step(
                "user" if role == "user" else "system" if role == "system" else "environment",
                where,
                texts=[words] if (words := text_of(event.get("text"))) else [],
                started=when,
            )
    last = draft.steps[-1] if draft.steps else None
    if last is not None and last.role == "model" and last.stop_reason == "stop" and not last.calls:
        draft.ending, draft.ending_text = "ended", "stop"
    return (draft,)


def _reply(draft: Draft, event: dict[str, Json], where: Where, when: float | None) -> StepDraft:
    step = draft.step(
        "model",
        where,
        started=when,
        ended=when,
        usage=usage_of(at(event, "payload", "response", "usage")),
        stop_reason=text(event.get("finish_reason")),
        model=text(at(event, "payload", "response", "model")),
    )
    step.say(text_of(event.get("text")))
    arguments = items(event.get("tool_arguments"))
    for index, name in enumerate(items(event.get("tool_names"))):
        given = index < len(arguments)
        draft.call(
            step,
            FoundCall(
                name=name,
                arguments=arguments[index] if given else MISSING,
                started=when,
                name_at=(),
                arguments_at=None,
            ),
            below(where, "tool_names", index),
        )
    return step


def _result(event: dict[str, Json]) -> FoundResult:
    error = event.get("error")
    said = text_of(event.get("text"))
    return FoundResult(
        text=said or text_of(error),
        is_error=bool(error) if "error" in event else None,
        name=text(next(iter(items(event.get("tool_names"))), None)),
    )


FORMAT = Format("ResearchHarness events", accepts, read)
