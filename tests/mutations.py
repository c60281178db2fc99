"""Damage to a trace, drawn by hypothesis: bytes cut off, rows dropped, doubled and swapped, values of another type."""

import json
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

OTHER_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 7, 1.5, 1e308, 2**70, "", "x", "8", "[]", '{"a":1}', "\ud83d", "1999-13-99T99:99:99Z",
    [], [None], [1], ["x"], [[]], [{}], {}, {"a": None}, {"content": 1},
    {"type": "text"}, {"type": "tool_use"}, [{"type": "tool_use"}],
)  # fmt: skip


@dataclass(frozen=True)
class Damaged:
    """The bytes, and in words what was done to them: that is what a failing test prints."""

    data: bytes = field(repr=False)
    done: tuple[str, ...]


@st.composite
def cut(draw: st.DrawFn, path: Path) -> Damaged:
    """Ends at any byte."""
    data = path.read_bytes()
    end = draw(st.integers(0, len(data)))
    return Damaged(data[:end], (f"cut at byte {end:,} of {len(data):,}",))


@st.composite
def rows_moved(draw: st.DrawFn, path: Path) -> Damaged:
    """Up to four rows dropped, doubled, or swapped; in a document, elements of its largest list."""
    document, rows = _rows(path.read_bytes())
    done = []
    for _ in range(draw(st.integers(1, 4))):
        if not rows:
            break
        one, other = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows) - 1))
        what = draw(st.sampled_from(("drop", "double", "swap")))
        if what == "drop":
            del rows[one]
        elif what == "double":
            rows.insert(other, rows[one])
        else:
            rows[one], rows[other] = rows[other], rows[one]
        done.append(f"{what} row {one} (other: {other})")
    return Damaged(_joined(document, rows), tuple(done))


@st.composite
def values_replaced(draw: st.DrawFn, path: Path) -> Damaged:
    """Up to three values anywhere become one of another type, or their key goes."""
    document, rows = _rows(path.read_bytes())
    value = document if document is not None else [_decoded(row) for row in rows]
    done = []
    for _ in range(draw(st.integers(1, 3))):
        holder, path_in = _anywhere(draw, value)
        if holder is None:
            break
        key = path_in[-1]
        if isinstance(holder, dict) and draw(st.booleans()):
            del holder[key]
            done.append(f"{path_in} dropped")
        else:
            holder[key] = deepcopy(draw(st.sampled_from(OTHER_VALUES)))
            done.append(f"{path_in} = {holder[key]!r}")
    if document is not None:
        return Damaged(json.dumps(value).encode(), tuple(done))
    lines = (row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in value)
    return Damaged(b"".join(lines), tuple(done))


def _rows(data: bytes) -> tuple[Any, list[Any]]:
    """A document and its largest list, or None and the lines."""
    try:
        document = json.loads(data)
    except ValueError:
        return None, data.splitlines(keepends=True)
    return document, _largest(document)


def _joined(document: Any, rows: list[Any]) -> bytes:
    return b"".join(rows) if document is None else json.dumps(document).encode()


def _largest(value: Any) -> list[Any]:
    """The longest list of objects in a document, itself and not a copy."""
    best: list[Any] = []
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            best = found if len(found) > len(best) and any(isinstance(item, dict) for item in found) else best
            waiting += found
        elif isinstance(found, dict):
            waiting += found.values()
    return best


def _decoded(row: bytes) -> Any:
    try:
        return json.loads(row)
    except ValueError:
        return row


def _anywhere(draw: st.DrawFn, value: Any) -> tuple[Any, tuple[Any, ...]]:
    """A holder and the path to a key of it, at a depth that is drawn; (None, ()) in an empty value."""
    holder: Any = None
    path: tuple[Any, ...] = ()
    for _ in range(draw(st.integers(1, 9))):
        if isinstance(value, dict) and value:
            key = draw(st.sampled_from(sorted(value)))
        elif isinstance(value, list) and value:
            key = draw(st.integers(0, len(value) - 1))
        else:
            break
        holder, path = value, (*path, key)
        value = holder[key]
    return holder, path
