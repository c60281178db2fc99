"""From bytes to rows: one JSON document, JSON lines, or JSON values inside a log.

A *scan*, not a split (formats.md 0.1): at a line's start, a value is decoded from there on, over as many lines as
it takes; glued values on one line are rows of their own; a value that a logger cut in pieces is joined over its
prefixed lines; a line that does not decode is a bad line and costs nothing else. Only ``\\n`` ends a line.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import orjson

from viewer.model import Json

_OPEN: Final = b"{["
_BLANK: Final = b" \t\r\x0b\x0c"
_PREFIX = re.compile(
    rb"^(?:\d+[:-])?\[\d{4}-\d\d-\d\d[T ][^\]\n]{0,40}\] ?\[[A-Za-z]{3,9}\] ?", re.MULTILINE
)  # a logger's time and level, perhaps behind the line number of `grep -n`
_WINDOW: Final = 64 * 1024**2
_PIECES: Final = 1_000
"""Over how many lines a logger may have spread one value: 64 MB in pieces of 64 KB."""
_GLUE: Final = re.compile(rb"[\s,]*")


class Unreadable(Exception):
    """A text that is not one JSON value; ``end`` is the byte where decoding stopped."""

    def __init__(self, end: int) -> None:
        self.end = end
        super().__init__(f"not JSON at byte {end}")


@dataclass(slots=True)
class Scan:
    """What a scan found. Parallel columns, one entry a row; ``bad`` are the (line, start, end) that did not decode."""

    values: list[Json] = field(default_factory=list)
    start: array[int] = field(default_factory=lambda: array("Q"))
    end: array[int] = field(default_factory=lambda: array("Q"))
    line: array[int] = field(default_factory=lambda: array("Q"))
    bad: list[tuple[int, int, int]] = field(default_factory=list)
    lines: int = 0
    """Non-blank lines."""
    prefixed: bool = False
    """Lines carry a logger's prefix, which is not part of the values."""
    torn: bool = False
    """The last non-blank line opens a value that it does not close."""

    def add(self, value: Json, start: int, end: int, line: int) -> None:
        """One more row."""
        self.values.append(value)
        self.start.append(start)
        self.end.append(end)
        self.line.append(line)


def decode(data: bytes | memoryview) -> Json:
    """One JSON value. NaN, Infinity, lone surrogates and integers over 64 bit are read. Raises ``Unreadable``."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    text = bytes(data).decode("utf-8", "replace")
    try:
        return _clean(json.loads(text, parse_int=_integer))
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unreadable(getattr(error, "pos", 0)) from None


def scan(data: bytes) -> Scan:
    """Rows of JSON lines, glued records and values inside logs; offsets are bytes of ``data``."""
    clean, shift = _without_prefixes(data)
    found = Scan(prefixed=len(clean) != len(data))
    position, line, size = 0, 0, len(clean)
    view = memoryview(clean)
    # the usual line, one value, is the hot path of every read: nothing but its decoding may cost
    find, loads, plain = clean.find, orjson.loads, not found.prefixed
    keep, begin, finish, number = found.values.append, found.start.append, found.end.append, found.line.append
    while position < size:
        line += 1
        stop = find(b"\n", position)
        if stop < 0:
            stop = size
        first = position
        while first < stop and clean[first] in _BLANK:
            first += 1
        position = stop + 1
        if first == stop:
            continue
        found.lines += 1
        if clean[first] in _OPEN:
            try:
                keep(loads(view[first:stop]))
            except orjson.JSONDecodeError:
                position, line = _several(clean, first, stop, line, found, shift)
            else:
                begin(first if plain else shift(first))
                finish(stop if plain else shift(stop))
                number(line)
        else:
            found.bad.append((line, shift(first), shift(stop)))
    view.release()
    return found


def _several(clean: bytes, first: int, stop: int, line: int, found: Scan, shift: _Shift) -> tuple[int, int]:
    """Values glued on one line, or one over several lines. Returns the next position and the line it is behind."""
    at = first
    while at < stop and clean[at] in _OPEN:
        end = _value_end(clean, at, stop)
        if end is None and (joined := _over_prefixes(clean, at, stop, shift)) is not None:
            value, behind = joined
            found.add(value, shift(at), shift(behind), line)
            over = clean.count(b"\n", at, behind)
            found.lines += over
            return behind + 1, line + over
        if end is None:
            found.bad.append((line, shift(at), shift(stop)))
            found.torn = not clean[stop:].strip()
            return stop + 1, line
        try:
            value = decode(clean[at:end])
        except Unreadable:
            found.bad.append((line, shift(at), shift(end)))
        else:
            found.add(value, shift(at), shift(end), line)
        if end > stop:
            over = clean.count(b"\n", stop, end)
            line += over
            found.lines += over
            stop = clean.find(b"\n", end)
            stop = len(clean) if stop < 0 else stop
        glue = _GLUE.match(clean, end, stop)
        at = glue.end() if glue else end
    if at < stop and clean[at:stop].strip(b" \t\r,"):
        found.bad.append((line, shift(at), shift(stop)))
    return stop + 1, line


def _value_end(clean: bytes, at: int, stop: int) -> int | None:
    """Where the JSON value that starts at ``at`` ends; None when it does not. Latin-1: one byte is one character."""
    decoder = json.JSONDecoder()
    for end in (stop, min(len(clean), at + _WINDOW)):
        try:
            return at + decoder.raw_decode(clean[at:end].decode("latin-1"))[1]
        except json.JSONDecodeError:
            continue
        except RecursionError:
            return None
    return None


def _over_prefixes(clean: bytes, at: int, stop: int, shift: _Shift) -> tuple[Json, int] | None:
    """A value that a logger cut where its input buffer was full: the rest stands on the next prefixed lines.

    The line breaks are the logger's, not the value's. Returns the value and where its last line ends.
    """
    parts = [clean[at:stop]]
    if not _unfinished(parts[0]):
        return None  # a line that begins with a brace, not a value that goes on
    while stop < len(clean) and len(parts) < _PIECES and shift.prefixed(stop + 1):
        first, stop = stop + 1, clean.find(b"\n", stop + 1)
        stop = len(clean) if stop < 0 else stop
        parts.append(clean[first:stop])
        if parts[-1].rstrip()[-1:] in (b"}", b"]"):
            text = b"".join(parts)
            if not _unfinished(text):
                try:
                    return decode(text), stop
                except Unreadable:
                    return None
    return None


def _unfinished(text: bytes) -> bool:
    """The text begins a JSON value and ends before the value does."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return error.msg.startswith("unexpected end")
    return False


class _Shift:
    """Offsets of the text without log prefixes, back to offsets of the file."""

    def __init__(self, at: list[int], by: list[int]) -> None:
        self._at, self._by = at, by

    def __call__(self, offset: int) -> int:
        if not self._at:
            return offset
        return offset + self._by[bisect_right(self._at, offset) - 1]

    def prefixed(self, offset: int) -> bool:
        """A logger's prefix stood at this offset."""
        index = bisect_right(self._at, offset) - 1
        return index > 0 and self._at[index] == offset


def _without_prefixes(data: bytes) -> tuple[bytes, _Shift]:
    if data[:1] in (b"{", b"[") and not _PREFIX.match(data):
        return data, _Shift([], [])
    prefixes = [match.span() for match in _PREFIX.finditer(data)]
    if len(prefixes) < 3:
        return data, _Shift([], [])
    edges = [(0, 0), *prefixes, (len(data), len(data))]
    parts, at, by, size, removed = [], [], [], 0, 0
    for (_, left), (right, behind) in pairwise(edges):
        parts.append(data[left:right])
        at.append(size)
        by.append(removed)
        size += right - left
        removed += behind - right
    return b"".join(parts), _Shift(at, by)


def _integer(text: str) -> int | float:
    if len(text) > 20:  # Python refuses to read thousands of digits as an int
        return float(text)
    return value if -(2**63) <= (value := int(text)) < 2**64 else float(text)


def _clean(value: Json) -> Json:
    """Lone surrogates become U+FFFD: they cannot be sent to a page, a database or a file."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value
