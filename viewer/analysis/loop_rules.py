"""The rules for loops, each on the calls of one agent in order. ``loops`` puts them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from viewer.analysis.remembered import remembered
from viewer.analysis.results import brought
from viewer.analysis.scope import WORKED, changes_files, sequences, worked
from viewer.model import ToolCall, Trajectory
from viewer.tool_calls import Effect, effects

Kind: TypeAlias = Literal["repeated_failure", "consecutive", "oscillation", "cycle", "no_progress"]
FAILURES: Final = 3
GAP: Final = 8
"""Calls that may lie between two equal failing ones (decisions.md 3)."""
IN_A_ROW: Final = 3
"""As OpenCode counts."""
ALTERNATING: Final = 6
"""As OpenHands counts."""
PERIODS: Final = range(3, 11)
NO_PROGRESS: Final = 5
DEFINITIONS: Final[dict[Kind, str]] = {
    "repeated_failure": "At least 3 equal calls with at most 8 calls between two of them, none of which ended ok.",
    "consecutive": "At least 3 equal calls in a row.",
    "oscillation": "Two calls in turn with equal results, A B A B A B.",
    "cycle": "A block of 3 to 10 calls, made at least twice in a row.",
    "no_progress": (
        "At least 5 calls in a row of which none brought a call and result not seen before without an error, "
        "and none was an edit that changed something."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """One loop. ``calls`` are the indexes of the calls in it, ``first`` and ``last`` the outermost of them.

    ``count`` is how often the unit came: equal calls, rounds of an oscillation or a cycle, calls without progress.
    ``signature`` is that of the repeated call, or of the first call of a block.
    """

    kind: Kind
    label: str
    agent: str | None
    calls: tuple[int, ...]
    count: int
    signature: str
    first: int
    last: int


@remembered
def hits(trajectory: Trajectory) -> tuple[tuple[Loop, ...], ...]:
    """What every rule finds, one tuple an agent (as in ``sequences``), stricter rules first; loops may overlap."""
    pairs = brought(trajectory)
    effect = effects(trajectory)
    return tuple(tuple(_hits(calls, [pairs[call.index] for call in calls], effect)) for calls in sequences(trajectory))


def _hits(calls: Sequence[ToolCall], pairs: Sequence[tuple[str, str]], effect: Sequence[Effect]) -> Iterator[Loop]:
    yield from _failures(calls)
    yield from _in_a_row(calls)
    yield from _cycles(calls)
    yield from _alternating(calls, pairs)
    yield from _still(calls, pairs, effect)


def fires_at(loop: Loop) -> int:
    """The call with which the rule was first met."""
    rounds = len(loop.calls) // loop.count if loop.kind == "cycle" else 0
    needed = {
        "repeated_failure": FAILURES, "consecutive": IN_A_ROW, "oscillation": ALTERNATING, "cycle": 2 * rounds,
        "no_progress": NO_PROGRESS,
    }  # fmt: skip
    return loop.calls[needed[loop.kind] - 1]


def _loop(kind: Kind, label: str, calls: Sequence[ToolCall], count: int) -> Loop:
    return Loop(
        kind=kind,
        label=label,
        agent=calls[0].agent,
        calls=tuple(call.index for call in calls),
        count=count,
        signature=calls[0].signature,
        first=calls[0].index,
        last=calls[-1].index,
    )


def _failures(calls: Sequence[ToolCall]) -> Iterator[Loop]:
    chains: dict[str, list[int]] = {}
    ended: list[list[int]] = []
    for at, call in enumerate(calls):
        chain = chains.get(call.signature)
        if worked(call):
            if chain is not None:
                ended.append(chains.pop(call.signature))
        elif chain is not None and at - chain[-1] <= GAP + 1:
            chain.append(at)
        else:
            if chain is not None:
                ended.append(chain)
            chains[call.signature] = [at]
    for chain in [*ended, *chains.values()]:
        if len(chain) >= FAILURES:
            yield _loop(
                "repeated_failure",
                f"the same call {len(chain)} times, none ended ok",
                [calls[at] for at in chain],
                len(chain),
            )


def _in_a_row(calls: Sequence[ToolCall]) -> Iterator[Loop]:
    for start, end in _stretches([call.signature for call in calls]):
        if end - start >= IN_A_ROW:
            yield _loop("consecutive", f"the same call {end - start} times in a row", calls[start:end], end - start)


def _stretches(keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(start, end) of each maximal stretch of equal keys."""
    start = 0
    for at in range(1, len(keys) + 1):
        if at == len(keys) or keys[at] != keys[start]:
            yield start, at
            start = at


def _periodic(keys: Sequence[object], period: int) -> Iterator[tuple[int, int]]:
    """(start, end) of each maximal region in which every key equals the one ``period`` before, two rounds or more."""
    start = period
    for at in range(period, len(keys) + 1):
        if at == len(keys) or keys[at] != keys[at - period]:
            if at - start >= period:
                yield start - period, at
            start = at + 1


def _alternating(calls: Sequence[ToolCall], pairs: Sequence[tuple[str, str]]) -> Iterator[Loop]:
    for start, end in _periodic(pairs, 2):
        if end - start >= ALTERNATING and pairs[start] != pairs[start + 1]:
            rounds = (end - start) // 2
            yield _loop("oscillation", f"two calls in turn, {rounds} rounds", calls[start:end], rounds)


def _cycles(calls: Sequence[ToolCall]) -> Iterator[Loop]:
    keys = [call.signature for call in calls]
    inside = [0] * len(keys)  # the end of a region with a smaller period that covers this place
    for period in (1, 2, *PERIODS):
        regions = [(start, end) for start, end in _periodic(keys, period) if inside[start] < end]
        for start, end in regions:
            if period in PERIODS:
                rounds = (end - start) // period
                yield _loop("cycle", f"a block of {period} calls, {rounds} times", calls[start:end], rounds)
            for at in range(start, end):
                inside[at] = max(inside[at], end)


def _still(calls: Sequence[ToolCall], pairs: Sequence[tuple[str, str]], effect: Sequence[Effect]) -> Iterator[Loop]:
    seen: set[tuple[str, str]] = set()
    last_edit: dict[str, str] = {}
    still: list[ToolCall] = []
    for call, pair in zip(calls, pairs, strict=True):
        moved = pair not in seen and call.state in WORKED
        seen.add(pair)
        if changes_files(call, effect[call.index]):
            target = effect[call.index].target
            moved |= last_edit.get(target) != call.signature  # the same edit once more changes nothing
            last_edit[target] = call.signature
        if not moved:
            still.append(call)
            continue
        yield from _standstill(still)
        still = []
    yield from _standstill(still)


def _standstill(still: Sequence[ToolCall]) -> Iterator[Loop]:
    if len(still) >= NO_PROGRESS:
        yield _loop("no_progress", f"{len(still)} calls in a row, none new", still, len(still))
