"""The numbers of a run that a person who debugs it asks for, each with what it means (analysis.md 2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from viewer.analysis import refuse_blocked
from viewer.analysis.clock import Wait, clock
from viewer.analysis.errors import ErrorRate, error_rates, errors, failed_checks, first_unrecovered
from viewer.analysis.facts_in_words import Fact, facts_in_words
from viewer.analysis.files import FileUse, RanTests, files_edited, files_read, ran_tests
from viewer.analysis.phases import phase_string
from viewer.analysis.scope import main_calls, model_steps, sequences
from viewer.analysis.tools import ToolUse, tool_uses
from viewer.model import Coverage, State, Trajectory, Usage

Unit: TypeAlias = Literal["", "tokens", "dollars", "seconds", "ratio"]

COST: Final = "In US dollars, only what the file states: no price table is used."
_MEANING: Final[dict[str, tuple[str, Unit, str]]] = {
    "calls": ("Calls", "", "Tool calls of the main line, sub-agents included; superseded ones are left out."),
    "abandoned": ("Abandoned calls", "", "Calls on branches that the conversation left; in no other number."),
    "inherited": ("Inherited calls", "", "Calls copied from the run this one goes on from; in no other number."),
    "sub_agent": ("Sub-agents' calls", "", "Calls of the main line that a sub-agent made."),
    "steps": ("Steps", "", "Replies of the model on the main line, sub-agents included."),
    "turns": ("Turns", "", "Messages of the user to the main agent."),
    "errors": ("Errors", "", "Calls whose result states an error, without the failed checks."),
    "checks": ("Failed checks", "", "grep, rg, diff, cmp, test or [ ending 1, and tests that ran and failed."),
    "distinct": ("Distinct calls", "", "Distinct signatures: name and arguments, volatile arguments aside."),
    "distinct_ratio": ("Distinct of all", "ratio", "Distinct signatures over calls."),
    "input_tokens": ("Input tokens", "tokens", "Tokens the model was given, cached ones included where stated."),
    "output_tokens": ("Output tokens", "tokens", "Tokens the model wrote."),
    "cached_tokens": ("Cached tokens", "tokens", "Input tokens that were read from a cache."),
    "reasoning_tokens": ("Reasoning tokens", "tokens", "Tokens the model spent on reasoning."),
    "cost": ("Cost", "dollars", COST),
    "wall": ("Wall time", "seconds", "From the run's first recorded time to its last."),
    "model_time": ("Model time", "seconds", "Sum of the times that steps state for the model."),
    "tool_time": ("Tool time", "seconds", "Time in which at least one tool ran; calls side by side count once."),
    "idle": ("Idle time", "seconds", "Wall time that is neither model nor tool time, where both are recorded."),
    "waiting": ("Waiting for the user", "seconds", "From the last record before a user's message to that message."),
    "context": ("Largest context", "tokens", "The most input tokens of one step of the main agent."),
    "backedge_fraction": (
        "Steps back", "ratio", "Share of moves between calls that go to the same call or one made before.",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One number. ``value`` None is *not recorded*. ``calls`` or ``steps`` are the indexes it leads to.

    ``note`` says how this file's number was made, e.g. which rule kept tokens from counting twice.
    """

    key: str
    label: str
    value: int | float | None
    unit: Unit
    definition: str
    note: str = ""
    calls: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSize:
    """The input tokens of one step of the main agent."""

    step: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """``items`` are the single numbers and ``facts`` what is said in words, as the panel shows them.

    The rest are the tables behind them.
    """

    items: tuple[Metric, ...]
    facts: tuple[Fact, ...]
    states: tuple[tuple[State, int], ...]
    """State -> calls of the main line, most first."""
    error_rates: tuple[ErrorRate, ...]
    tools: tuple[ToolUse, ...]
    usage: Usage | None
    context: tuple[ContextSize, ...]
    waits: tuple[Wait, ...]
    read: tuple[FileUse, ...]
    edited: tuple[FileUse, ...]
    tests: RanTests
    phases: str
    first_unrecovered: int | None
    coverage: Coverage

    def __getitem__(self, key: str) -> Metric:
        return next(item for item in self.items if item.key == key)


def metrics(trajectory: Trajectory) -> Metrics:
    """All of them, over the main line. Raises ``Blocked``."""
    refuse_blocked(trajectory)
    calls = main_calls(trajectory)
    checks = failed_checks(trajectory)
    failed = tuple(index for index in errors(trajectory) if index not in checks)
    usage = trajectory.usage or Usage()
    time = clock(trajectory)
    context = tuple(
        ContextSize(step=step.index, tokens=step.usage.input_tokens)
        for step in model_steps(trajectory)
        if step.agent is None and step.usage is not None and step.usage.input_tokens is not None
    )
    largest = max(context, key=lambda size: size.tokens, default=None)
    turns = tuple(
        step.index
        for step in trajectory.steps
        if step.role == "user" and step.agent is None and step.line == "main" and step.marker is None
    )
    distinct = len({call.signature for call in calls})
    lines = Counter(call.line for call in trajectory.calls)
    items = (
        _metric("calls", len(calls)),
        _metric("steps", len(model_steps(trajectory))),
        _metric("turns", len(turns) or None, steps=turns),
        _metric("errors", len(failed), calls=failed),
        _metric("checks", len(checks), calls=tuple(sorted(checks))),
        _metric("distinct", distinct),
        _metric("distinct_ratio", distinct / len(calls) if calls else None),
        _metric("backedge_fraction", backedge_fraction(trajectory)),
        _metric("input_tokens", usage.input_tokens, note=usage.rule),
        _metric("output_tokens", usage.output_tokens, note=usage.rule),
        _metric("cached_tokens", usage.cached_tokens, note=usage.rule),
        _metric("reasoning_tokens", usage.reasoning_tokens, note=usage.rule),
        _metric("context", largest.tokens if largest else None, steps=(largest.step,) if largest else ()),
        _metric("cost", trajectory.cost),
        _metric("wall", time.wall),
        _metric("model_time", time.model),
        _metric("tool_time", time.tools),
        _metric("idle", time.idle),
        _metric(
            "waiting",
            sum(wait.seconds for wait in time.waits) if time.waits else None,
            steps=tuple(wait.step for wait in time.waits),
        ),
        _metric("sub_agent", len(inner := [c.index for c in calls if c.agent is not None]), calls=tuple(inner)),
        _metric("abandoned", lines["abandoned"]),
        _metric("inherited", lines["inherited"]),
    )
    states = tuple(Counter(call.state for call in calls).most_common())
    read, edited, tests = files_read(trajectory), files_edited(trajectory), ran_tests(trajectory)
    letters = phase_string(trajectory)
    return Metrics(
        items=items,
        facts=facts_in_words(trajectory, states=states, read=read, edited=edited, tests=tests, phases=letters),
        states=states,
        error_rates=error_rates(trajectory),
        tools=tool_uses(trajectory),
        usage=trajectory.usage,
        context=context,
        waits=time.waits,
        read=read,
        edited=edited,
        tests=tests,
        phases=letters,
        first_unrecovered=first_unrecovered(trajectory),
        coverage=trajectory.coverage,
    )


def backedge_fraction(trajectory: Trajectory) -> float | None:
    """Share of the moves u to v between neighbouring calls of one agent with u = v, or v first made before u.

    u and v are distinct calls (signatures); None without a move. graphs_and_comparison.md, "Graph measures".
    """
    moves = back = 0
    for calls in sequences(trajectory):
        first: dict[str, int] = {}
        for at, call in enumerate(calls):
            first.setdefault(call.signature, at)
        for before, after in pairwise(calls):
            moves += 1
            back += first[after.signature] <= first[before.signature]
    return back / moves if moves else None


def _metric(
    key: str,
    value: int | float | None,
    *,
    note: str = "",
    calls: tuple[int, ...] = (),
    steps: tuple[int, ...] = (),
) -> Metric:
    label, unit, definition = _MEANING[key]
    return Metric(
        key=key,
        label=label,
        value=value,
        unit=unit,
        definition=definition,
        note=note if value is not None else "",
        calls=calls,
        steps=steps,
    )
