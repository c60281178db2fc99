"""Which harness would have stopped this run, and where: published loop rules on one run (analysis.md 4).

Each rule runs within one agent of the main line; the earliest place it would fire is told. Calls count as equal by
their signature. OpenCode looks at the parts of one message; here its rule goes on over messages that only call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from viewer.analysis import refuse_blocked
from viewer.analysis.chanting import chants_at
from viewer.analysis.loop_rules import DEFINITIONS, Kind, Loop, fires_at, hits
from viewer.analysis.results import brought
from viewer.analysis.scope import model_steps, sequences
from viewer.model import Step, ToolCall, Trajectory

COMPACTION: Final = "compaction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One published rule on one run. ``call`` and ``step`` say where it would fire; both None: it would not.

    ``call`` is None too where the rule looks at texts. ``why`` is a sentence about this run.
    """

    rule: str
    harness: str
    definition: str
    call: int | None
    step: int | None
    why: str

    @property
    def fires(self) -> bool:
        """The rule would have stopped the run."""
        return self.step is not None


class _Line(NamedTuple):
    """One agent's line: its calls, what they brought, and its steps of every role."""

    calls: Sequence[ToolCall]
    keys: list[str]
    pairs: list[tuple[str, str]]
    steps: Sequence[Step]
    said: set[int]
    """Steps in which the model wrote text or reasoning before its calls."""
    loops: Sequence[Loop]
    """What our own rules find on it."""


_Rule: TypeAlias = Callable[[_Line], ToolCall | Step | None]


def stops(trajectory: Trajectory) -> tuple[Stop, ...]:
    """One a rule, in the order of the table; the earliest place over all agents. Raises ``Blocked``."""
    refuse_blocked(trajectory)
    lines = _lines(trajectory)
    found = []
    for name, harness, definition, rule in _RULES:
        places = [place for line in lines if (place := rule(line)) is not None]
        place = min(places, key=lambda at: at.step if isinstance(at, ToolCall) else at.index, default=None)
        call = place if isinstance(place, ToolCall) else None
        step = call.step if call else place.index if isinstance(place, Step) else None
        why = (
            f"would have stopped at call #{call.index + 1}" if call
            else f"would have stopped at step {step + 1}" if step is not None
            else "never met"
        )  # fmt: skip
        found.append(
            Stop(
                rule=name, harness=harness, definition=definition,
                call=call.index if call else None, step=step, why=why,
            )
        )  # fmt: skip
    return tuple(found)


def _lines(trajectory: Trajectory) -> list[_Line]:
    said = {step.index for step in model_steps(trajectory) if step.text.strip() or step.reasoning.strip()}
    pairs = brought(trajectory)
    known = {calls[0].agent: (calls, own) for calls, own in zip(sequences(trajectory), hits(trajectory), strict=True)}
    steps_of: dict[str | None, list[Step]] = {agent: [] for agent in known}
    for step in trajectory.steps:
        if step.line == "main":
            steps_of.setdefault(step.agent, []).append(step)
    lines = []
    for agent, steps in steps_of.items():
        calls, found = known.get(agent, ((), ()))
        own = [pairs[call.index] for call in calls]
        lines.append(_Line(calls, [signature for signature, _ in own], own, steps, said, found))
    return lines


def _in_a_row(line: _Line, count: int, *, silent: bool = False) -> ToolCall | None:
    """The call that is the ``count``-th equal one in a row; ``silent``: with no text of the model in between."""
    row = 0
    for at, call in enumerate(line.calls):
        new_step = at > 0 and call.step != line.calls[at - 1].step
        spoke = silent and new_step and call.step in line.said
        row = row + 1 if at and line.keys[at] == line.keys[at - 1] and not spoke else 1
        if row == count:
            return call
    return None


def _anywhere(line: _Line, count: int) -> ToolCall | None:
    seen: Counter[str] = Counter()
    for call, key in zip(line.calls, line.keys, strict=True):
        seen[key] += 1
        if seen[key] == count:
            return call
    return None


def _chanting(line: _Line) -> Step | None:
    return next((step for step in line.steps if step.role == "model" and chants_at(step.text) is not None), None)


def _openhands_same(line: _Line) -> ToolCall | None:
    row = 0
    for at, call in enumerate(line.calls):
        row = row + 1 if at and line.pairs[at] == line.pairs[at - 1] else 1
        if row == 4:
            return call
    return None


def _openhands_errors(line: _Line) -> ToolCall | None:
    row = 0
    for at, call in enumerate(line.calls):
        same = row > 0 and line.keys[at] == line.keys[at - 1]
        row = (row + 1 if same else 1) if call.state == "error" else 0
        if row == 3:
            return call
    return None


def _openhands_monologue(line: _Line) -> Step | None:
    last, row = "", 0
    for step in line.steps:
        if step.role == "environment" and step.marker == COMPACTION:
            continue
        text = step.text.strip() if step.role == "model" and not step.calls else ""
        row = (row + 1 if text == last else 1) if text else 0
        last = text
        if row == 3:
            return step
    return None


def _openhands_alternating(line: _Line) -> ToolCall | None:
    pairs, row = line.pairs, 0
    for at in range(2, len(pairs)):
        row = row + 1 if pairs[at] == pairs[at - 2] and pairs[at] != pairs[at - 1] else 0
        if row == 4:  # four matches on top of the first two calls are six
            return line.calls[at]
    return None


def _openhands_condensation(line: _Line) -> Step | None:
    count, adjacent, before = 0, False, False
    for step in line.steps:
        condensed = step.marker == COMPACTION
        count += condensed
        adjacent |= condensed and before
        before = condensed
        if condensed and adjacent and count >= 10:
            return step
    return None


def _agentcompass(line: _Line) -> ToolCall | None:
    by_step: dict[int, list[ToolCall]] = {}
    for call in line.calls:
        by_step.setdefault(call.step, []).append(call)
    last: list[str] | None = None
    row = 0
    for step in line.steps:
        calls = by_step.get(step.index)
        if calls is None:
            row = row if step.role != "model" else 0
            last = last if step.role != "model" else None
            continue
        keys = sorted(call.signature for call in calls)
        row = row + 1 if keys == last else 1
        last = keys
        if row > 5:
            return calls[0]
    return None


def _ours(kind: Kind) -> _Rule:
    def rule(line: _Line) -> ToolCall | None:
        first = min((fires_at(loop) for loop in line.loops if loop.kind == kind), default=None)
        return next((call for call in line.calls if call.index == first), None)

    return rule


def _named(kind: Kind) -> tuple[str, str, str, _Rule]:
    return kind, "ours", DEFINITIONS[kind], _ours(kind)


_RULES: Final[tuple[tuple[str, str, str, _Rule], ...]] = (
    (
        "doom_loop", "OpenCode",
        "Three calls of the same tool with equal input in a row, no text or reasoning between them.",
        lambda line: _in_a_row(line, 3, silent=True),
    ),
    (
        "tool_call_loop", "Gemini CLI", "Five calls with equal name and arguments in a row.",
        lambda line: _in_a_row(line, 5),
    ),
    (
        "content_loop", "Gemini CLI",
        "A chunk of 50 characters comes at least 10 times in one text, at most 250 characters apart on average.",
        _chanting,
    ),
    ("same_result", "OpenHands", "Four equal calls with equal results in a row.", _openhands_same),
    ("same_error", "OpenHands", "Three equal calls in a row, all of them errors.", _openhands_errors),
    (
        "monologue", "OpenHands", "Three equal messages of the agent with nothing observed in between.",
        _openhands_monologue,
    ),
    (
        "alternation", "OpenHands", "Six calls alternate between two, with equal results: A B A B A B.",
        _openhands_alternating,
    ),
    (
        "condensations", "OpenHands", "At least 10 condensations of the conversation, two of them adjacent.",
        _openhands_condensation,
    ),
    ("three_equal", "deepeval", "Three calls of equal name and arguments, anywhere.", lambda line: _anywhere(line, 3)),
    ("six_equal", "deepeval", "Six calls of equal name and arguments, anywhere.", lambda line: _anywhere(line, 6)),
    (
        "max_consecutive_repetition", "AgentCompass",
        "More than five steps in a row with equal calls; a step without calls ends the row.",
        _agentcompass,
    ),
    _named("repeated_failure"),
    _named("no_progress"),
    _named("oscillation"),
    _named("cycle"),
)  # fmt: skip
