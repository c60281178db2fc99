"""Evidence is checked, not trusted: every quotation must stand, word for word, in the row it cites."""

from __future__ import annotations

from collections.abc import Iterator

from viewer.analysis.diagnosis.hits import Hit
from viewer.model import Json, Where
from viewer.source import Source
from viewer.tool_calls import decoded


def verbatim(evidence: str, source: Source, where: Where) -> bool:
    """The text stands in a string of the row at ``where``, JSON inside text unpacked. Empty evidence proves nothing."""
    if not evidence or where.row < 0:
        return False
    row = source.owner(where).value(where.row)
    return any(evidence in text for text in _texts(row))


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
