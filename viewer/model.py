"""The model every room works on: frozen, small, the same for every harness.

Frozen, slotted, keyword-only dataclasses; tuples, not lists. ``None`` means *not recorded*, ``0`` means
recorded as zero. Indexes are 0-based here and in JSON; what a person reads counts from 1.
Times are epoch seconds (UTC); durations are seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Json: TypeAlias = Any
"""A decoded JSON value. Its shape is checked where it is used, never assumed."""

Pointer: TypeAlias = tuple[str | int, ...]
"""A path into a JSON value: keys and list positions."""

Kind: TypeAlias = Literal["shell", "read", "edit", "write", "search", "web", "plan", "agent", "mcp", "finish", "other"]
KINDS: tuple[Kind, ...] = (
    "shell", "read", "edit", "write", "search", "web", "plan", "agent", "mcp", "finish", "other",
)  # fmt: skip

State: TypeAlias = Literal[
    "ok", "ok_empty", "error", "denied", "timeout", "interrupted", "running", "unanswered", "superseded"
]
STATES: tuple[State, ...] = (
    "ok", "ok_empty", "error", "denied", "timeout", "interrupted", "running", "unanswered", "superseded",
)  # fmt: skip

Role: TypeAlias = Literal["user", "system", "model", "environment"]
Line: TypeAlias = Literal["main", "abandoned", "inherited"]
NO_REPLY: Final = "no reply"
Outcome: TypeAlias = Literal["passed", "failed"]
Judge: TypeAlias = Literal["verifier", "evaluator", "human"]
Ending: TypeAlias = Literal[
    "ended", "error", "cancelled", "interrupted", "timeout", "limit", "truncated", "never_started"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place in the source: the row and the path inside its value.

    ``source`` is 0 for the opened file, n for its n-th companion (``Source.companions[n - 1]``).
    ``Source.raw(where)`` returns the very bytes.
    """

    row: int
    pointer: Pointer = ()
    source: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something a reader wants a person to know. ``code`` is one word for machines, ``text`` a sentence."""

    code: str
    text: str
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens. ``input_tokens`` includes cached ones where the format says so; ``rule`` names how sums were made."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image or another attachment (a PDF, a sound) beside a text: media type and decoded size in bytes.

    The bytes stay in the source.
    """

    media_type: str
    size: int | None = None
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came back. ``is_error`` is only what the format states; None is *not stated*.

    ``suspect`` marks a text that merely looks like an error (calls.md 8.1): never counted as one.
    """

    text: str = ""
    is_error: bool | None = None
    suspect: bool = False
    exit_code: int | None = None
    images: tuple[Image, ...] = ()
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of one tool, whichever harness made it.

    ``name`` is canonical (calls.md 3), ``raw_name`` as found; ``arguments`` a mapping, a text, or None.
    ``signature`` is equal for equal calls: canonical JSON of name and arguments without volatile fields.
    ``name_at`` and ``arguments_at`` are pointers below ``where`` that say how the call was found.
    ``agent`` is None on the main line, else the sub-agent's id; ``parent`` the index of the delegating call.
    """

    index: int
    step: int
    id: str | None
    name: str
    raw_name: str | None
    server: str | None
    kind: Kind
    arguments: Mapping[str, Json] | str | None
    signature: str
    state: State
    result: ToolResult | None
    where: Where
    agent: str | None = None
    line: Line = "main"
    parent: int | None = None
    started: float | None = None
    ended: float | None = None
    duration: float | None = None
    name_at: Pointer | None = None
    arguments_at: Pointer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One model reply with its calls, or one message of a user, the system or the environment.

    ``label`` is the file's own number or id; ``calls`` are indexes into ``Trajectory.calls``.
    """

    index: int
    role: Role
    where: Where
    agent: str | None = None
    line: Line = "main"
    text: str = ""
    reasoning: str = ""
    prompt: str = ""
    """What the model was given, in formats whose steps hold prompt and reply together (ACTF); said once if repeated."""
    images: tuple[Image, ...] = ()
    calls: tuple[int, ...] = ()
    results: tuple[ToolResult, ...] = ()
    """Results that belong to no call of the file: shown here, never counted as calls."""
    usage: Usage | None = None
    model: str | None = None
    stop_reason: str | None = None
    started: float | None = None
    ended: float | None = None
    model_seconds: float | None = None
    tool_seconds: float | None = None
    label: str | None = None
    marker: str | None = None
    """Not a message but an event of the harness worth seeing: "compaction", "branch", "interrupted" ...

    ``NO_REPLY`` on a step of role model: the file has the step, and no reply in it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownRows:
    """Rows a reader did not understand: their type as found, how many, and the first ten places."""

    type: str
    count: int
    where: tuple[Where, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The ledger of a run: ``rows == used + known + not_understood``. It goes with every number on screen.

    ``known`` rows carry no step (``known_types`` counts them by type). ``evidence`` is what a scan that knows no
    format takes for calls, ``calls`` what the model has (superseded ones too, since they stand in the file).
    """

    rows: int = 0
    used: int = 0
    known: int = 0
    not_understood: int = 0
    known_types: tuple[tuple[str, int], ...] = ()
    unknown: tuple[UnknownRows, ...] = ()
    evidence: int = 0
    calls: int = 0
    blocked: bool = False
    """Silent loss: call-like objects were seen and no call was read. No number of the run may be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One run: the main line and, in file order, what its sub-agents did.

    ``calls`` never holds superseded calls; those are in ``superseded``, with indexes of their own.
    ``outcome`` comes only from a verifier, reward, score or label, never from the harness's own "success".
    """

    run_id: str
    format: str
    harness: str | None = None
    harness_version: str | None = None
    model: str | None = None
    task: str | None = None
    steps: tuple[Step, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    superseded: tuple[ToolCall, ...] = ()
    outcome: Outcome | None = None
    score: float | None = None
    judged_by: Judge | None = None
    ending: Ending | None = None
    ending_text: str | None = None
    claim: str | None = None
    """The agent's final text."""
    declared_tools: tuple[str, ...] | None = None
    declared_servers: tuple[str, ...] | None = None
    directory: str | None = None
    """The run's working directory, where the file states it; arguments below it are compared relative to it."""
    usage: Usage | None = None
    cost: float | None = None
    """In US dollars, only what the file states."""
    started: float | None = None
    ended: float | None = None
    notes: tuple[Note, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)
    extra: Mapping[str, Json] = field(default_factory=dict)
    """What only one format knows and a person may want: session id, agents' names, own totals."""

    @property
    def state(self) -> Literal["ok", "never_started", "no_tools", "truncated", "blocked"]:
        """How the read went, apart from how the run went (decisions.md 5)."""
        if self.coverage.blocked:
            return "blocked"
        if self.ending == "never_started":
            return "never_started"
        if self.ending == "truncated" or any(note.code == "truncated" for note in self.notes):
            return "truncated"
        if not any(step.role == "model" for step in self.steps):
            return "never_started"
        return "ok" if self.calls else "no_tools"

    @property
    def main_line(self) -> tuple[ToolCall, ...]:
        """The calls analyses count: neither abandoned nor inherited; sub-agents included."""
        return tuple(call for call in self.calls if call.line == "main")

    @property
    def agents(self) -> tuple[str | None, ...]:
        """The agents that made a step, in order of appearance; None is the main one."""
        return tuple(dict.fromkeys(step.agent for step in self.steps))
