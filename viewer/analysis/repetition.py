"""Repetition in the wide sense: four views of calls that came more than once (analysis.md 1 and 3).

Exact: equal signatures. Same result: equal signature and equal result, so that nothing was learnt. Near: the same tool
and target with slightly other arguments. Same effect: the same thing, called by another name or in another spelling.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from rapidfuzz import fuzz, process

from viewer.analysis import refuse_blocked
from viewer.analysis.results import brought
from viewer.analysis.scope import changes_files, main_calls, model_steps, sequences
from viewer.model import Coverage, Step, ToolCall, Trajectory
from viewer.tool_calls import Effect, command, effects

THRESHOLD: Final = 0.2
"""AgentCompass's, of both ratios."""
CONSECUTIVE_THRESHOLD: Final = 5
NEAR: Final = 90
"""rapidfuzz ratio, 0 to 100."""
NEAR_RECENT: Final = 20
NEAR_CHARACTERS: Final = 2_000
_LEADING_CD: Final = re.compile(r"^\s*cd\s+\S+\s*(?:&&|;)\s*")
DEFINITIONS: Final = {
    "step_ratio": "Equal calls within one step, but the first of each, over all calls.",
    "cross_ratio": "Equal calls anywhere in the run, but the first of each, over all calls; it includes the former.",
    "between_ratio": "The part of it that lies between steps: without the repeats within a step.",
    "max_consecutive": "The most steps in a row that make equal calls; a step without calls ends the row.",
    "exact": "Calls with equal name and arguments, order of keys and volatile arguments aside.",
    "same_result": "Equal calls with equal results (times, durations, hashes and process ids aside): nothing learnt.",
    "near": "The same tool on the same target with arguments that are at least 90 percent alike, e.g. a retry.",
    "same_effect": "Calls of equal command text, or that read, search or fetch the same, whichever tool made them.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Calls that belong together, in order. ``steps`` are theirs, one a call; ``signatures`` the distinct ones."""

    name: str
    """The canonical tool name, or several joined by " / "."""
    target: str
    calls: tuple[int, ...]
    steps: tuple[int, ...]
    signatures: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many calls."""
        return len(self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsecutiveRun:
    """Neighbouring steps of one agent that make equal calls: two steps or more."""

    agent: str | None
    steps: tuple[int, ...]
    calls: tuple[int, ...]

    @property
    def length(self) -> int:
        """How many steps."""
        return len(self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Ratios are rounded to 4 places, None without calls. Groups have the most calls first, then the earliest."""

    calls: int
    steps: int
    distinct: int
    within_step: int
    """Repeats within a step."""
    repeated: int
    """Repeats anywhere."""
    step_ratio: float | None
    cross_ratio: float | None
    between_ratio: float | None
    max_consecutive: int
    consecutive: tuple[ConsecutiveRun, ...]
    exact: tuple[Group, ...]
    same_result: tuple[Group, ...]
    near: tuple[Group, ...]
    same_effect: tuple[Group, ...]
    coverage: Coverage

    @property
    def between_steps(self) -> int:
        """Repeats between steps."""
        return self.repeated - self.within_step


def repetition(trajectory: Trajectory) -> Repetition:
    """All four views; counts are pooled over agents, rows and near groups are within one. Raises ``Blocked``."""
    refuse_blocked(trajectory)
    calls = main_calls(trajectory)
    found = effects(trajectory)
    total = len(calls)
    exact = _grouped(calls, [call.signature for call in calls])
    distinct = len({call.signature for call in calls})
    within = sum(
        len(step) - len({trajectory.calls[index].signature for index in step}) for step in _by_step(calls).values()
    )
    runs = tuple(run for steps in _lines(trajectory) for run in _consecutive(trajectory, steps))
    pairs = brought(trajectory)
    keys = effect_keys(trajectory)
    return Repetition(
        calls=total,
        steps=len(model_steps(trajectory)),
        distinct=distinct,
        within_step=within,
        repeated=total - distinct,
        step_ratio=round(within / total, 4) if total else None,
        cross_ratio=round((total - distinct) / total, 4) if total else None,
        between_ratio=round((total - distinct - within) / total, 4) if total else None,
        max_consecutive=max((run.length for run in runs), default=1 if total else 0),
        consecutive=runs,
        exact=_told(exact.values(), found),
        same_result=_told(_grouped(calls, [(call.agent, *pairs[call.index]) for call in calls]).values(), found),
        near=_told(_near(trajectory, found), found),
        same_effect=_told(
            (
                group
                for group in _grouped(calls, [keys[call.index] for call in calls]).values()
                if len({call.signature for call in group}) > 1
            ),
            found,
        ),
        coverage=trajectory.coverage,
    )


def earlier_equal(trajectory: Trajectory) -> tuple[int | None, ...]:
    """For each call the index of the previous equal call of the same agent and line, else None."""
    refuse_blocked(trajectory)
    last: dict[tuple[str | None, str, str], int] = {}
    found: list[int | None] = []
    for call in trajectory.calls:
        key = (call.agent, call.line, call.signature)
        found.append(last.get(key))
        last[key] = call.index
    return tuple(found)


def changed_between(trajectory: Trajectory) -> tuple[bool | None, ...]:
    """For each call: was a file changed, by any agent, since the previous equal call? None when there is none.

    A repeat after a change is a re-run, not a loop.
    """
    effect = effects(trajectory)
    edits = list(accumulate((changes_files(call, effect[call.index]) for call in trajectory.calls), initial=0))
    return tuple(
        None if earlier is None else edits[index] > edits[earlier + 1]
        for index, earlier in enumerate(earlier_equal(trajectory))
    )


def effect_keys(trajectory: Trajectory) -> tuple[tuple[str, ...], ...]:
    """A key a call, equal for calls that do the same whichever tool of whichever harness made them.

    What is read, searched or fetched by its (effect, target); any other command by its text, unwrapped and without a
    leading ``cd``; the rest, edits too, by the signature: what an edit changes is compared where two runs are.
    """
    return tuple(_effect_key(call, effect) for call, effect in zip(trajectory.calls, effects(trajectory), strict=True))


def _effect_key(call: ToolCall, effect: Effect) -> tuple[str, ...]:
    if effect.effect in ("read", "search") or (effect.effect == "web" and "://" in effect.target):
        return (effect.effect, effect.target)
    text = command(call)
    if text is None:
        return (effect.effect, effect.target if effect.effect == "web" else call.signature)
    return (effect.effect, _LEADING_CD.sub("", text).strip())


def _by_step(calls: Iterable[ToolCall]) -> dict[int, list[int]]:
    steps: dict[int, list[int]] = {}
    for call in calls:
        steps.setdefault(call.step, []).append(call.index)
    return steps


def _grouped(calls: Sequence[ToolCall], keys: Sequence[Hashable]) -> Mapping[Hashable, list[ToolCall]]:
    groups: dict[Hashable, list[ToolCall]] = {}
    for call, key in zip(calls, keys, strict=True):
        groups.setdefault(key, []).append(call)
    return groups


def _told(groups: Iterable[Sequence[ToolCall]], effect: Sequence[Effect]) -> tuple[Group, ...]:
    found = [
        Group(
            name=" / ".join(dict.fromkeys(call.name for call in group)),
            target=effect[group[0].index].target,
            calls=tuple(call.index for call in group),
            steps=tuple(call.step for call in group),
            signatures=tuple(dict.fromkeys(call.signature for call in group)),
        )
        for group in groups
        if len(group) > 1
    ]
    return tuple(sorted(found, key=lambda group: (-group.count, group.calls[0])))


def _lines(trajectory: Trajectory) -> Iterable[list[Step]]:
    lines: dict[str | None, list[Step]] = {}
    for step in model_steps(trajectory):
        lines.setdefault(step.agent, []).append(step)
    return lines.values()


def _consecutive(trajectory: Trajectory, steps: Sequence[Step]) -> Iterable[ConsecutiveRun]:
    row: list[Step] = []
    last: list[str] = []
    for step in steps:
        keys = sorted(trajectory.calls[index].signature for index in step.calls)
        if not keys or keys != last:
            yield from _row(row)
            row = []
        if keys:
            row.append(step)
        last = keys
    yield from _row(row)


def _row(row: Sequence[Step]) -> Iterable[ConsecutiveRun]:
    if len(row) > 1:
        yield ConsecutiveRun(
            agent=row[0].agent,
            steps=tuple(step.index for step in row),
            calls=tuple(index for step in row for index in step.calls),
        )


def _near(trajectory: Trajectory, effect: Sequence[Effect]) -> Iterable[list[ToolCall]]:
    """Distinct calls, each joined to the most alike of the last 20 of its tool and target, with their repeats."""
    groups: dict[str, list[ToolCall]] = {}
    recent: dict[tuple[str | None, str, str], deque[tuple[str, str]]] = {}
    leader: dict[tuple[str | None, str], str] = {}
    for calls in sequences(trajectory):
        for call in calls:
            known = leader.get((call.agent, call.signature))
            if known is None:
                own = recent.setdefault((call.agent, call.name, effect[call.index].target), deque(maxlen=NEAR_RECENT))
                text = call.signature[len(call.name) + 4 : NEAR_CHARACTERS + len(call.name) + 4]
                alike = process.extractOne(text, [other for other, _ in own], scorer=fuzz.ratio, score_cutoff=NEAR)
                known = own[alike[2]][1] if alike else f"{call.agent} {call.index}"
                leader[call.agent, call.signature] = known
                own.append((text, known))
            groups.setdefault(known, []).append(call)
    return [group for group in groups.values() if len({call.signature for call in group}) > 1]
