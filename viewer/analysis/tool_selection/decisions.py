"""Decision points: where the agent chose a tool, chose none, or left a required one out (tool selection spec 1).

It is about *what* was chosen, not whether the arguments were right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from viewer.analysis.claims import claims_success
from viewer.analysis.diagnosis.facts import Facts
from viewer.model import ToolCall

DecisionType: TypeAlias = Literal[
    "actual_tool_selection", "no_tool_selected", "incomplete_tool_set", "unnecessary_tool_use"
]
WeightClass: TypeAlias = Literal["critical", "normal", "low"]
WEIGHTS: Final[dict[WeightClass, float]] = {"critical": 2.0, "normal": 1.0, "low": 0.5}
_LOOKING: Final = frozenset({"ls", "pwd"})
_IMPERATIVE: Final = re.compile(
    r"(?:^|[.!?:;]\s+|\n\s*(?:[-*\d.]+\s*)?|\b(?:please|then|and|to)\s+)(run|test|search|check|fix|install|create)\b",
    re.IGNORECASE,
)
_FAMILIES: Final[dict[str, frozenset[str]]] = {
    "run": frozenset({"shell", "test", "mcp"}),
    "test": frozenset({"test", "shell", "mcp"}),
    "search": frozenset({"search", "web", "read", "shell", "mcp"}),
    "check": frozenset({"test", "read", "search", "shell", "web", "mcp"}),
    "fix": frozenset({"edit", "write", "shell", "mcp"}),
    "install": frozenset({"web", "shell", "mcp"}),
    "create": frozenset({"write", "edit", "shell", "mcp"}),
}
_CLAIMED: Final = tuple(
    (re.compile(rf"\bI(?:'ve| have)? (?:{verbs})\b", re.IGNORECASE), families)
    for verbs, families in (
        ("created|wrote|added|updated|fixed|changed", frozenset({"edit", "write", "shell", "mcp"})),
        ("ran|run|verified|tested", frozenset({"test", "shell", "mcp"})),
        ("sent|e-?mailed|posted", frozenset({"web", "shell", "mcp"})),
    )
)
"""What a final answer says it did, and the effects that could have done it."""
_EXPLAIN: Final = re.compile(r"\b(?:explain|summari[sz]e|what does|describe)\b", re.IGNORECASE)
_CHANGING: Final = frozenset({"edit", "write", "web"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision point. ``calls`` are call indexes (empty where no tool was chosen), ``trigger`` why it is one.

    ``available`` are the tools on offer, None where the file declares none; their source is the whole run.
    """

    id: str
    step: int
    type: DecisionType
    weight: WeightClass
    calls: tuple[int, ...]
    selected: tuple[str, ...]
    available: tuple[str, ...] | None
    trigger: str = ""
    missing: tuple[str, ...] = ()


def decisions(facts: Facts) -> tuple[Decision, ...]:
    """All decision points of the main line, in step order."""
    found = [*_actual(facts), *_none(facts), *_incomplete(facts), *_unnecessary(facts)]
    return tuple(sorted(found, key=lambda decision: decision.step))


def _actual(facts: Facts) -> Iterator[Decision]:
    seen: set[str] = set()
    wanted = _wanted(facts.run.task or "")
    for step in facts.steps:
        calls = [facts.run.calls[index] for index in step.calls]
        if not calls:
            continue
        families = {facts.effect[call.index].effect for call in calls}
        first = bool(families & set().union(*wanted.values()) - seen) if wanted else False
        seen |= families
        yield Decision(
            id=f"d{step.index}",
            step=step.index,
            type="actual_tool_selection",
            weight=_weight(facts, calls, first),
            calls=step.calls,
            selected=tuple(call.name for call in calls),
            available=facts.run.declared_tools,
        )


def _weight(facts: Facts, calls: list[ToolCall], first: bool) -> WeightClass:
    effects = [facts.effect[call.index] for call in calls]
    if first or any(effect.effect in ("edit", "write", "agent") for effect in effects):
        return "critical"
    if all(call.kind == "plan" or effect.target in _LOOKING for call, effect in zip(calls, effects, strict=True)):
        return "low"
    return "normal"


def _none(facts: Facts) -> Iterator[Decision]:
    """Only at the final answer, and only where a trigger holds: never guessed."""
    last = facts.last_step
    if last is None or last.calls:
        return
    made = {facts.effect[call.index].effect for call in facts.calls if call.state in ("ok", "ok_empty", "error")}
    trigger, missing = "", frozenset[str]()
    for verb, families in _wanted(facts.run.task or "").items():
        if not families & made:
            trigger, missing = f"the task says {verb!r} and no such call was made", families
            break
    if not trigger:
        for pattern, families in _CLAIMED:
            if (found := pattern.search(last.text)) and not families & made:
                trigger, missing = f"the answer says {found.group()!r} and no such call was made", families
                break
    if not trigger and facts.edits and claims_success(facts.run.claim):
        after = [call for call in facts.calls if call.index > facts.edits[-1].index]
        if not any(facts.effect[call.index].effect in ("test", "shell") or call.kind == "mcp" for call in after):
            trigger, missing = "files were changed and nothing was run afterwards", frozenset({"test"})
    if trigger:
        yield Decision(
            id=f"d{last.index}n", step=last.index, type="no_tool_selected", weight="critical", calls=(), selected=(),
            available=facts.run.declared_tools, trigger=trigger, missing=tuple(sorted(missing)),
        )  # fmt: skip


def _incomplete(facts: Facts) -> Iterator[Decision]:
    """Once a run: a chain the task needs has a missing link (an edit and no check of it)."""
    last = facts.last_step
    if last is None or not facts.edits or not facts.calls:
        return
    if "test" in _wanted(facts.run.task or "") and not facts.tests:
        yield Decision(
            id="chain", step=last.index, type="incomplete_tool_set", weight="normal", calls=(), selected=(),
            available=facts.run.declared_tools, trigger="the task speaks of tests, files were edited, no test was run",
            missing=("test",),
        )  # fmt: skip


def _unnecessary(facts: Facts) -> Iterator[Decision]:
    """The task asks to explain a text it includes, and something was changed or fetched."""
    task = facts.run.task or ""
    if not _EXPLAIN.search(task) or _wanted(task) or len(task) < 400:
        return
    for call in facts.calls:
        if facts.effect[call.index].effect in _CHANGING:
            yield Decision(
                id=f"d{call.step}u", step=call.step, type="unnecessary_tool_use", weight="normal", calls=(call.index,),
                selected=(call.name,), available=facts.run.declared_tools,
                trigger="the task asks to explain a text it includes",
            )  # fmt: skip
            return


def _wanted(task: str) -> dict[str, frozenset[str]]:
    """The imperative verbs of a task -> the effects that would serve them."""
    return {verb.lower(): _FAMILIES[verb.lower()] for verb in _IMPERATIVE.findall(task)}
