"""One line of the index: a run that can be opened, or a file with the reason why it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeAlias

from viewer.model import Ending, Judge, Note, Outcome
from viewer.runs.place import Place

EntryState: TypeAlias = Literal["run", "unfinished", "unreadable", "other"]
"""run: can be opened · unfinished: an attempt that left no result · unreadable: refused, with the reason ·
other: files that are no runs, counted in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What lies beside a run and says something about it. None is *not recorded*."""

    task: str | None = None
    """The task's id in its benchmark; the task's text is in the trajectory."""
    benchmark: str | None = None
    harness: str | None = None
    model: str | None = None
    attempt: int | None = None
    execution: int | None = None
    """1, 2, ... for an execution of the attempt that was thrown away and tried again; None for the one that counts."""
    outcome: Outcome | None = None
    score: float | None = None
    judged_by: Judge | None = None
    ending: Ending | None = None
    ending_text: str | None = None
    notes: tuple[Note, ...] = ()

    def over(self, other: Facts) -> Facts:
        """These facts where they say something, else the other's; notes of both."""
        return Facts(
            task=self.task or other.task,
            benchmark=self.benchmark or other.benchmark,
            harness=self.harness or other.harness,
            model=self.model or other.model,
            attempt=self.attempt if self.attempt is not None else other.attempt,
            execution=self.execution if self.execution is not None else other.execution,
            # an outcome comes with its own score and judge, never with another's
            outcome=self.outcome or (other.outcome if self.score is None else None),
            score=self.score if self.outcome or self.score is not None else other.score,
            judged_by=self.judged_by if self.outcome or self.score is not None else other.judged_by,
            ending=self.ending or other.ending,
            ending_text=self.ending_text or other.ending_text,
            notes=(*other.notes, *self.notes),
        )


NOTHING = Facts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A run, not yet read. Cheap: made from names, sizes and first bytes.

    ``run_id`` is the stem of its runs' ids: ``<run_id>.<ordinal>``. ``paths`` are its files below the place: one, or
    the pieces of a store that are read as one source. ``companions`` belong to the run (sub-agents, meta data).
    ``views`` are other records of the same run, poorer ones; numbers come from ``paths``.
    """

    run_id: str
    place: Place
    paths: tuple[str, ...]
    label: str
    state: EntryState = "run"
    reason: str | None = None
    companions: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    facts: Facts = NOTHING
    size: int = 0
    modified: float | None = None
    count: int = 1
    """How many files it stands for; more than one in the line of other files."""

    @property
    def root(self) -> str:
        """The name of the root, or of the upload, it was found below."""
        return self.place.name

    @property
    def path(self) -> str:
        """Its first file, relative to the root."""
        return self.paths[0] if self.paths else ""


def identity(place: Place, path: str) -> str:
    """12 hex digits that stay the same as long as the root's name and the path do; of the bytes for an upload."""
    if place.memory is not None and path in place.memory:
        return sha256(place.memory[path]).hexdigest()[:12]
    name = "/".join(part for part in (place.name, place.archive, path) if part)
    return sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:12]
