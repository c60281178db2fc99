"""What the calls of one run bring to a batch: its habits, the errors it met, and patterns that many runs may share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from viewer.analysis.diagnosis.hits import quoted
from viewer.analysis.errors import failed_checks
from viewer.analysis.results import masked
from viewer.analysis.scope import main_calls, sequences
from viewer.model import Kind, ToolCall, Trajectory
from viewer.tool_calls import command, effects, head

PATTERNS: Final = 48
"""Patterns kept a run, the most frequent: the rest has less than 1/48 of the run's calls each."""
CLUSTERS: Final = 40
HABITS: Final = 40
_LONGEST: Final = 80
_WORDS: Final = 3
_ARGUMENTS: Final = 6
NO_TEXT: Final = "no error text recorded"
_GO_TO: Final = re.compile(r"^(?:\s*cd\s+[^\s;&|]+\s*(?:&&|;)\s*)+")
_NUMBER: Final = re.compile(r"\b\d{5,}\b|(?<=line )\d+|(?<=:)\d+(?=:\d*|\b)")
_TEMPORARY: Final = re.compile(r"/(?:tmp|var/folders)/[\w./+-]+")
_NOTHING: Final = re.compile(
    r"\s*\(?(?:Bash |Tool |Command )?(?:completed|ran)?(?: with)?(?:out)? ?(?:any )?(?:no )?output\.?\)?\s*", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Calls of one run that share something: how many, how many erred (failed checks aside), and brought nothing."""

    name: str
    calls: int
    errors: int
    nothing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSeen:
    """One error cluster in one run. ``key`` is its text with what changes from run to run masked; ``text`` verbatim.

    ``check``: a failed check (a test, a grep without a match), which is told apart from errors. ``first`` is the index
    of the first such call.
    """

    key: str
    text: str
    kind: Kind
    check: bool
    count: int
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """How often a call of effect ``after`` followed one of effect ``before`` within an agent."""

    before: str
    after: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """``effects`` are what the calls do (decisions.md 2), ``habits`` the program for a shell call, else the tool."""

    effects: tuple[Tally, ...]
    habits: tuple[Tally, ...]
    transitions: tuple[Transition, ...]
    patterns: tuple[Tally, ...]
    errors: tuple[ErrorSeen, ...]


def traits(trajectory: Trajectory) -> Traits:
    """Over the main line. The run may not be blocked."""
    calls = main_calls(trajectory)
    effect = effects(trajectory)
    checks = failed_checks(trajectory)
    return Traits(
        effects=_tallies(((str(effect[call.index].effect), call) for call in calls), checks),
        habits=_tallies(((habit(call), call) for call in calls), checks)[:HABITS],
        transitions=tuple(
            Transition(before=before, after=after, count=count)
            for (before, after), count in Counter(
                (str(effect[one.index].effect), str(effect[other.index].effect))
                for line in sequences(trajectory)
                for one, other in pairwise(line)
            ).most_common()
        ),
        patterns=_tallies(((pattern, call) for call in calls for pattern in _patterns(call)), checks)[:PATTERNS],
        errors=_errors(calls, checks),
    )


def habit(call: ToolCall) -> str:
    """``python3 -m unittest``, ``git diff``, ``Read``: a tool called "Bash" would be a habit of everybody."""
    text = command(call) if call.kind == "shell" else None
    return (head(text) if text else "")[:_LONGEST] or call.name


def brought_nothing(call: ToolCall) -> bool:
    """Ended ok with no output, or with words that say so."""
    text = call.result.text if call.result else ""
    return call.state == "ok_empty" or (call.state == "ok" and len(text) < 60 and bool(_NOTHING.fullmatch(text)))


def _tallies(named: Iterable[tuple[str, ToolCall]], checks: frozenset[int]) -> tuple[Tally, ...]:
    calls: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    nothing: Counter[str] = Counter()
    for name, call in named:
        calls[name] += 1
        errors[name] += call.state == "error" and call.index not in checks
        nothing[name] += brought_nothing(call)
    return tuple(
        Tally(name=name, calls=count, errors=errors[name], nothing=nothing[name]) for name, count in calls.most_common()
    )


def _patterns(call: ToolCall) -> Iterator[str]:
    """The first one, two and three words of a command, as written; else each textual argument with its value."""
    text = command(call) if call.kind == "shell" else None
    if text is not None:
        words = _GO_TO.sub("", text[:400]).split(maxsplit=_WORDS)[:_WORDS]
        for count in range(1, len(words) + 1):
            yield f"$ {' '.join(words[:count])[:_LONGEST]}"
        if not words:
            yield f"{call.name} with an empty command"
    elif isinstance(call.arguments, Mapping):
        for key, value in list(call.arguments.items())[:_ARGUMENTS]:
            if isinstance(value, str) and len(value) <= _LONGEST:
                yield f"{call.name} {key}={' '.join(value.split())}"


def _errors(calls: Sequence[ToolCall], checks: frozenset[int]) -> tuple[ErrorSeen, ...]:
    found: dict[tuple[str, str, bool], list[ToolCall]] = {}
    for call in calls:
        if call.state == "error":
            found.setdefault((cluster_key(call), call.kind, call.index in checks), []).append(call)
    seen = [
        ErrorSeen(key=key, text=_line(same[0]), kind=same[0].kind, check=check, count=len(same), first=same[0].index)
        for (key, _, check), same in found.items()
    ]
    return tuple(sorted(seen, key=lambda error: -error.count)[:CLUSTERS])


def cluster_key(call: ToolCall) -> str:
    """The telling line of an error; times, hashes, process ids, line and long numbers, temporary paths are masked."""
    return _NUMBER.sub("~", _TEMPORARY.sub("/tmp/~", masked(_line(call))))


def _line(call: ToolCall) -> str:
    return quoted(call.result.text[:20_000]) if call.result and call.result.text.strip() else NO_TEXT
