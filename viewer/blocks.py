"""Content blocks of a message, put where they belong: texts into the step, calls and results into the draft.

Shared by every format whose messages hold blocks: Claude Code, Anthropic messages, Cursor, Droid, OpenClaw, Gemini ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from viewer.draft import CallDraft, Draft, StepDraft
from viewer.messages import Block, content
from viewer.model import Json, Where
from viewer.tool_calls.found import FoundCall, FoundResult, text_id
from viewer.tool_calls.shapes import anthropic, anthropic_result, gemini, gemini_response, openclaw
from viewer.tool_calls.slots import entry

ResultReader: TypeAlias = Callable[[dict[str, Json], Where], FoundResult]


class Replies:
    """Steps of model replies whose parts are spread over rows: the same reply id is the same step, for one agent."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._open: dict[tuple[str | None, str], StepDraft] = {}

    def step(self, id: str | None, where: Where, agent: str | None = None) -> StepDraft:
        """The step of a reply, opened when its id is new; a reply without an id is a step of its own."""
        if id is not None and (known := self._open.get((agent, id))) is not None:
            return known
        step = self._draft.step("model", where, agent=agent, label=id)
        if id is not None:
            self._open[agent, id] = step
        return step


def below(where: Where, *pointer: str | int) -> Where:
    """A place below another one."""
    return Where(row=where.row, pointer=(*where.pointer, *pointer), source=where.source)


def place(
    draft: Draft,
    step: StepDraft,
    value: Json,
    where: Where,
    *,
    results: ResultReader = anthropic_result,
    ignore: frozenset[str] = frozenset(),
) -> list[CallDraft]:
    """Reads message content into ``step``: its text, reasoning and images, its calls, and the results it carries.

    ``where`` is the place of the content. Parts of an unknown type are counted as not understood, except those in
    ``ignore``. Returns the calls that this content made or answered.
    """
    read = content(value, where)
    step.say(read.text)
    step.think(read.reasoning)
    step.images.extend(read.images)
    touched: list[CallDraft] = []
    for block in read.blocks:
        at = below(where, *block.pointer)
        if block.type == "call":
            touched.append(draft.call(step, found_call(block), at))
        elif block.type == "result":
            answered = draft.result(results(block.value, at), at, id=result_id(block.value), agent=step.agent)
            if answered is not None:
                touched.append(answered)
        elif block.type not in ignore:
            draft.not_understood(at, f"block {block.type}")
    return touched


def found_call(block: Block) -> FoundCall:
    """The call of a block, by its type."""
    part = block.value
    if "functionCall" in part:
        return gemini(part)
    if "toolUse" in part:
        inner = part["toolUse"] if isinstance(part["toolUse"], dict) else {}
        return FoundCall(
            id=text_id(inner.get("toolUseId")),
            name=inner.get("name"),
            arguments=inner.get("input"),
            name_at=("toolUse", "name"),
            arguments_at=("toolUse", "input"),
        )
    kind = part.get("type")
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return anthropic(part)
    return openclaw(part) if kind == "toolCall" else entry(part)


def result_id(part: dict[str, Json]) -> str | None:
    """The id of the call that a result part names, whatever its key."""
    for holder in (part, part.get("toolResult"), part.get("functionResponse")):
        if isinstance(holder, dict):
            for key in ("tool_use_id", "tool_call_id", "toolCallId", "toolUseId", "call_id", "id"):
                if (found := text_id(holder.get(key))) is not None:
                    return found
    return None


def any_result(part: dict[str, Json], where: Where) -> FoundResult:
    """A result part of any dialect: Anthropic, Gemini, Bedrock, or an ``output``/``result`` with a stated error."""
    if "functionResponse" in part:
        return gemini_response(part)
    inner = part.get("toolResult")
    if isinstance(inner, dict):
        found = anthropic_result({"content": inner.get("content")}, where)
        return FoundResult(
            text=found.text, images=found.images, is_error=True if inner.get("status") == "error" else None
        )
    if "content" not in part:
        key = next((key for key in ("output", "result", "response") if key in part), None)
        part = {**part, "content": part[key] if key else None, "is_error": part.get("is_error", part.get("isError"))}
    return anthropic_result(part, where)
