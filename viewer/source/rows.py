"""From bytes to rows: one JSON document, JSON lines, or JSON values inside a log.

A *scan*, not a split (formats.md 0.1): at a line's start, a value is decoded from there on, over as many lines as
it takes; glued values on one line are rows of their own; a value that a logger cut in pieces is joined over its
prefixed lines; a line that does not decode is a bad line and costs nothing else. Only ``\\n`` ends a line.
"""

from __future__ import annotations

import codecs
import json
import re
from array import array
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Final

import orjson

from viewer.lenient import clean
from viewer.model import Json
from viewer.source.prefixes import Shift, without_prefixes

_OPEN: Final = b"{["
_BLANK: Final = b" \t\r\x0b\x0c"
_SOLID: Final = re.compile(rb"[^ \t\r\n\x0b\x0c]")
_WINDOW: Final = 64 * 1024**2
_FIRST_WINDOW: Final = 4096
_PIECES: Final = 1_000
"""Over how many lines a logger may have spread one value: 64 MB in pieces of 64 KB."""
_TRIES: Final = 16
"""How many of these lines may look like the last one."""
_JOINS: Final = 200
"""After so many lines that begin a value nobody ends, or one nested too deep, no further ends are searched for."""
_CHUNK: Final = 1 << 20
_GLUE: Final = re.compile(rb"[\s,]*")


class Unreadable(Exception):
    """A text that is not one JSON value; ``end`` is the byte where decoding stopped."""

    def __init__(self, end: int) -> None:
        self.end = end
        super().__init__(f"not JSON at byte {end}")


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that holds no JSON value. In a log that is usual (``Source.log``), elsewhere it is a loss."""

    line: int
    start: int
    end: int


def decode(data: bytes | memoryview, *, strict: bool = True) -> Json:
    """One JSON value. NaN, Infinity, lone surrogates and integers over 64 bit are read. Raises ``Unreadable``.

    Control characters inside texts are read where ``strict`` is false: in a line, where none is a line break.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    text = bytes(data).decode("utf-8", "replace")
    try:
        return clean(json.loads(text, parse_int=_integer, strict=strict))
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unreadable(getattr(error, "pos", 0)) from None


class Scan:
    """Rows of JSON lines, glued records and values inside logs, found while one iterates over their values.

    An iteration goes on where the last one stopped. ``start``, ``end`` and ``line`` are columns with an entry a row
    found so far; offsets are bytes of ``data``. ``bad``, ``torn`` and the rest are complete once no value is left.
    """

    def __init__(self, data: bytes) -> None:
        self.start: array[int] = array("Q")
        self.end: array[int] = array("Q")
        self.line: array[int] = array("Q")
        self.bad: list[BadLine] = []
        self.lines = 0
        """Non-blank lines."""
        self.torn = False
        """The last non-blank line opens a value that it does not close."""
        self.not_utf8: int | None = None
        """The first byte that is not UTF-8."""
        self._text, self._shift = without_prefixes(data)
        self.prefixed = len(self._text) != len(data)
        """Lines carry a logger's prefix, which is not part of the values."""
        self._values = self._walk()
        self._vain = 0
        self._deep = 0

    def __iter__(self) -> Iterator[Json]:
        return self._values

    def _walk(self) -> Iterator[Json]:
        text, shift, line, position, size = self._text, self._shift, 0, 0, len(self._text)
        view = memoryview(text)
        # the usual line, one value, is the hot path of every read: nothing but its decoding may cost
        find, loads, plain = text.find, orjson.loads, not self.prefixed
        begin, finish, number = self.start.append, self.end.append, self.line.append
        while position < size:
            line += 1
            stop = find(b"\n", position)
            if stop < 0:
                stop = size
            first = position
            if first < stop and text[first] in _BLANK:
                solid = _SOLID.search(text, first, stop)
                first = solid.start() if solid else stop
            position = stop + 1
            if first == stop:
                if (solid := _SOLID.search(text, position)) is None:
                    break
                behind = text.rfind(b"\n", position, solid.start()) + 1
                if behind > position:  # many blank lines at once
                    line += text.count(b"\n", position, behind)
                    position = behind
                continue
            self.lines += 1
            if text[first] not in _OPEN:
                self._lost(line, first, stop)
                continue
            try:
                value = loads(view[first:stop])
            except orjson.JSONDecodeError:
                position, line = yield from self._several(first, stop, line)
            else:
                begin(first if plain else shift(first))
                finish(stop if plain else shift(stop))
                number(line)
                yield value
        view.release()

    def _found(self, first: int, stop: int, line: int) -> None:
        self.start.append(self._shift(first))
        self.end.append(self._shift(stop))
        self.line.append(line)
        self._read_as_text(first, stop)

    def _lost(self, line: int, first: int, stop: int) -> None:
        self.bad.append(BadLine(line, self._shift(first), self._shift(stop)))
        self._read_as_text(first, stop)

    def _read_as_text(self, first: int, stop: int) -> None:
        """What orjson decodes is UTF-8; only other lines need a look."""
        if self.not_utf8 is None and (at := not_utf8(self._text, first, stop)) is not None:
            self.not_utf8 = self._shift(at)

    def _several(self, first: int, stop: int, line: int) -> Generator[Json, None, tuple[int, int]]:
        """Values glued on one line, or one over several lines. Returns the next position and the line it is behind."""
        text, at = self._text, first
        while at < stop and text[at] in _OPEN:
            end = self._value_end(at, stop)
            if end is None and (joined := self._joined(at, stop)) is not None:
                value, behind = joined
                self._found(at, behind, line)
                yield value
                over = text.count(b"\n", at, behind)
                self.lines += over
                return behind + 1, line + over
            if end is None:
                self._lost(line, at, stop)
                self.torn = _SOLID.search(text, stop) is None
                return stop + 1, line
            try:
                value = decode(text[at:end], strict=False)
            except Unreadable:
                self._lost(line, at, end)
            else:
                self._found(at, end, line)
                yield value
            if end > stop:
                over = text.count(b"\n", stop, end)
                line += over
                self.lines += over
                stop = text.find(b"\n", end)
                stop = len(text) if stop < 0 else stop
            glue = _GLUE.match(text, end, stop)
            at = glue.end() if glue else end
        if at < stop and text[at:stop].strip(b" \t\r,"):
            self._lost(line, at, stop)
        return stop + 1, line

    def _value_end(self, at: int, stop: int) -> int | None:
        """Where the value that starts at ``at`` ends; None when it does not. Latin-1: one byte is one character."""
        decoder, end = _IN_A_LINE, stop
        most = min(len(self._text), at + _WINDOW) if self._deep < _JOINS else stop
        while True:
            text = self._text[at:end].decode("latin-1")
            try:
                return at + decoder.raw_decode(text)[1]
            except json.JSONDecodeError as error:
                # only what stops at the very end may go on behind it; looking further costs, so it is done by and by
                open_text, line = error.msg.startswith("Unterminated string"), decoder is _IN_A_LINE
                if end >= most or (open_text and line):
                    return None
                if not open_text and error.pos < len(text.rstrip()) - (0 if line else _LONGEST_WORD):
                    return None
            except RecursionError:
                self._deep += 1
                return None
            decoder, end = _OVER_LINES, min(most, at + max(_FIRST_WINDOW, 16 * (end - at)))

    def _joined(self, at: int, stop: int) -> tuple[Json, int] | None:
        if self._vain > _JOINS or not _unfinished(self._text[at:stop]):
            return None  # a line that begins with a brace, not a value that goes on
        joined = _over_prefixes(self._text, at, stop, self._shift)
        self._vain += joined is None
        return joined


def not_utf8(data: bytes, start: int, end: int) -> int | None:
    """The first byte of a range that is not UTF-8; None when all are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(start, end, _CHUNK):
        chunk = data[at : min(end, at + _CHUNK)]
        waiting = len(decoder.getstate()[0])
        if chunk.isascii() and not waiting:
            continue
        try:
            decoder.decode(chunk, final=at + _CHUNK >= end)
        except UnicodeDecodeError as error:
            return at - waiting + error.start
    return None


def is_lines(data: bytes) -> bool:
    """The first line is a whole value and more follows: JSON lines, which need not be tried as one document."""
    end = data.find(b"\n")
    if end < 0 or not data[end : end + 4096].strip():
        return False
    try:
        decode(memoryview(data)[:end])
    except Unreadable:
        return False
    return True


def has_value_line(data: bytes) -> bool:
    """One of the first lines is a whole JSON object at the margin: JSON lines, not a document that was cut."""
    for line in data[: 1 << 20].split(b"\n", 50)[:50]:
        if line[:1] == b"{" and line.rstrip()[-1:] == b"}":
            try:
                decode(line)
            except Unreadable:
                continue
            return True
    return False


def _over_prefixes(clean: bytes, at: int, stop: int, shift: Shift) -> tuple[Json, int] | None:
    """A value that a logger cut where its input buffer was full: the rest stands on the next prefixed lines.

    The line breaks are the logger's, not the value's. Returns the value and where its last line ends.
    """
    parts = [clean[at:stop]]
    tries = 0
    while stop < len(clean) and len(parts) < _PIECES and tries < _TRIES and shift.prefixed(stop + 1):
        first, stop = stop + 1, clean.find(b"\n", stop + 1)
        stop = len(clean) if stop < 0 else stop
        parts.append(clean[first:stop])
        if parts[-1].rstrip()[-1:] in (b"}", b"]"):
            tries += 1
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


def _integer(text: str) -> int | float:
    if len(text) > 20:  # Python refuses to read thousands of digits as an int
        return float(text)
    return value if -(2**63) <= (value := int(text)) < 2**64 else float(text)


_IN_A_LINE: Final = json.JSONDecoder(parse_int=_integer, strict=False)
_OVER_LINES: Final = json.JSONDecoder(parse_int=_integer)
_LONGEST_WORD: Final = 16
"""``-Infinity`` or an escape, cut where no line ends, is refused at its beginning."""
