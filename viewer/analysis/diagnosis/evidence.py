"""Evidence is checked, not trusted: every quotation must stand, word for word, in the row it cites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from viewer.analysis.diagnosis import Diagnosis
from viewer.analysis.diagnosis.hits import Hit
from viewer.model import Json, Step, Where
from viewer.source import Source
from viewer.tool_calls import decoded

REACH: Final = 200
"""Rows of a step that are searched for a quotation."""


def verbatim(evidence: str, source: Source, where: Where) -> bool:
    """The text stands in a string of the row at ``where``, JSON inside text unpacked. Empty evidence proves nothing."""
    if not evidence or where.row < 0:
        return False
    row = source.owner(where).value(where.row)
    return any(evidence in text for text in _texts(row))


def proved(diagnosis: Diagnosis, source: Source, steps: Sequence[Step]) -> Diagnosis:
    """The same diagnosis, every quotation held against the rows.

    A quotation that stands in another row of its step (the step began earlier than its last words) gets that row;
    one that stands nowhere loses its evidence, and a warning says so.
    """
    fixed = {hit: _fixed(hit, source, steps) for hit in diagnosis.hits}
    lost = sum(bool(hit.evidence) and not fixed[hit].evidence for hit in fixed)
    candidates = tuple(replace(candidate, hit=fixed[candidate.hit]) for candidate in diagnosis.candidates)
    warning = (f"{lost} quotations could not be found in the file and were left out",) if lost else ()
    return replace(
        diagnosis,
        hits=tuple(fixed[hit] for hit in diagnosis.hits),
        candidates=candidates,
        root=next((candidate for candidate in candidates if candidate.role == "root"), None),
        warnings=diagnosis.warnings + warning,
    )


def _fixed(hit: Hit, source: Source, steps: Sequence[Step]) -> Hit:
    if not hit.evidence or (hit.where is not None and verbatim(hit.evidence, source, hit.where)):
        return hit
    for at in dict.fromkeys((hit.symptom, hit.step)):
        start = steps[at].where
        following = next((step.where.row for step in steps[at + 1 :] if step.where.row > start.row), start.row + REACH)
        for row in range(start.row, min(following + 1, start.row + REACH, len(source.owner(start)))):
            where = Where(row=row, source=start.source)
            if verbatim(hit.evidence, source, where):
                return replace(hit, where=where)
    return replace(hit, evidence="", where=None)


def unproved(hits: tuple[Hit, ...], source: Source) -> tuple[Hit, ...]:
    """The hits whose evidence is not in the row they cite; hits without evidence claim nothing."""
    return tuple(
        hit for hit in hits if hit.evidence and (hit.where is None or not verbatim(hit.evidence, source, hit.where))
    )


def _texts(value: Json) -> Iterator[str]:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            inner = decoded(node)
            if not isinstance(inner, str):
                stack.append(inner)
        elif isinstance(node, dict):
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
