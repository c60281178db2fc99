"""One opened input: its bytes, its rows, the JSON values in them, and the way back from a value to its bytes.

Formats read ``rows``; the page reads ``raw``. Nothing here knows a format: ``head``, ``types`` and ``keys`` describe
the first rows once, for all acceptors.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

from viewer.errors import BrokenRun
from viewer.model import Json, Note, Where
from viewer.source import archive, raw, rows, salvage

HEAD: Final = 5_000
"""How many rows acceptors look at."""
ALIKE: Final = 40
"""How many rows of one shape they look at: a long session repeats a handful of shapes."""
_BOMS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_DROPPED: Final = object()


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a source. ``line`` is 1-based; ``start`` and ``end`` are byte offsets into ``buffer``.

    ``member`` is the name inside an archive, else None.
    """

    index: int
    value: Json
    line: int
    start: int
    end: int
    member: str | None = None


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that holds no JSON value. In a log that is usual (``Source.log``), elsewhere it is a loss."""

    line: int
    start: int
    end: int


class Source:
    """An opened input.

    ``name`` is a label (a path below a root, or an upload's name), never used to open anything.
    ``document`` is True when the whole text is one JSON value: a list's elements are its rows, an object is one row.
    ``companions`` are files that belong to the run and lie beside it (sub-agents, meta data); ``runs/`` finds them.
    """

    def __init__(self, name: str, data: bytes, companions: tuple[Source, ...] = (), path: Path | None = None) -> None:
        self.name = name
        self.path = path
        self.size = len(data)
        self.companions = companions
        self.notes: list[Note] = []
        self.document = False
        self.bad: tuple[BadLine, ...] = ()
        self.members: tuple[str, ...] = ()
        self._given = data
        self._list = False
        self._lines: list[int] = []
        self._starts: Sequence[int] = []
        self._ends: Sequence[int] = []
        self._values: list[Json] = []
        self._buffers: list[bytes] = []
        self._nonblank = 0
        self._prefixed = False
        self._data = data if archive.is_zip(data) else self._text(archive.decompressed(name, data))
        if archive.is_zip(self._data):
            self._open_archive()
        else:
            with no_collector():
                self._open_text()

    @classmethod
    def open(cls, path: Path, name: str | None = None, companions: tuple[Source, ...] = ()) -> Source:
        """The file at ``path``. Raises ``BrokenRun`` when it cannot be read or is larger than 2 GB."""
        label = name or str(path)
        try:
            size = path.stat().st_size
            if size > archive.LIMIT:
                raise BrokenRun(
                    label, f"The file has {size:,} bytes.", f"At most {archive.LIMIT:,} are read.", "Split it."
                )
            data = path.read_bytes()
        except OSError as error:
            raise BrokenRun(
                label, f"The file cannot be read: {error.strerror or error}.", "", "Check its rights."
            ) from None
        return cls(label, data, companions, path)

    # -- what formats read ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._values)

    @property
    def rows(self) -> Iterator[Row]:
        """The rows in file order."""
        return (self.row(index) for index in range(len(self._values)))

    def row(self, index: int) -> Row:
        """The row at ``index``; its value is decoded again when ``forget`` has dropped it."""
        member = self.members[index] if self.members else None
        return Row(index, self.value(index), self.line(index), *self._extent(index), member)

    def value(self, index: int) -> Json:
        """The JSON value of a row."""
        value = self._values[index]
        if value is not _DROPPED:
            return value
        if self._list:
            return self.whole[index]
        start, end = self._extent(index)
        return rows.decode(memoryview(self._buffer(index))[start:end])

    @property
    def values(self) -> list[Json]:
        """The values of all rows. Cheaper than ``rows`` for a reader's main loop; don't change them."""
        return [self.value(index) for index in range(len(self._values))]

    @cached_property
    def head(self) -> tuple[dict[str, Json], ...]:
        """Object rows among the first 5,000: of each shape (type and keys) the first 40. All acceptors may look at."""
        seen: Counter[tuple[object, ...]] = Counter()
        kept = []
        for value in map(self.value, range(min(HEAD, len(self)))):
            if isinstance(value, dict):
                kind = value.get("type")
                shape = (kind if isinstance(kind, str) else None, *value)
                seen[shape] += 1
                if seen[shape] <= ALIKE:
                    kept.append(value)
        return tuple(kept)

    @cached_property
    def types(self) -> frozenset[str]:
        """The texts under ``type`` of the head rows."""
        return frozenset(kind for value in self.head if isinstance(kind := value.get("type"), str))

    @cached_property
    def keys(self) -> Counter[str]:
        """How many head rows have each top-level key."""
        return Counter(key for value in self.head for key in value)

    @property
    def only(self) -> dict[str, Json] | None:
        """The object of a document with one object, or of a file with one row; None otherwise."""
        return self.head[0] if len(self) == 1 and self.head else None

    @property
    def is_list(self) -> bool:
        """The document is one list; its elements are the rows."""
        return self._list

    @cached_property
    def whole(self) -> Json:
        """The document's value (an object or a list). None for lines."""
        return rows.decode(self._data) if self.document else None

    @property
    def text(self) -> str:
        """The whole input as text, for formats that are no JSON."""
        return self._data.decode("utf-8", "replace")

    @property
    def log(self) -> bool:
        """Fewer than half of the non-blank lines start a value: the others are a log's words, not a loss."""
        return bool(self.bad) and len(self) < self._nonblank / 2

    @cached_property
    def digest(self) -> str:
        """sha256 of the bytes as they were handed in, in hex. Only asked for where a path gives no identity."""
        return sha256(self._given).hexdigest()

    # -- the way back to the bytes ---------------------------------------------------------------------------------

    def line(self, index: int) -> int:
        """The 1-based line on which a row starts; -1 is the first line without a value, -2 the next."""
        if index < 0:
            return self.bad[-1 - index].line
        if self._lines:
            return self._lines[index]
        return self._buffer(index).count(b"\n", 0, self._extent(index)[0]) + 1

    def owner(self, where: Where) -> Source:
        """The source that ``where`` points into: this one or a companion."""
        return self.companions[where.source - 1] if where.source else self

    def raw(self, where: Where) -> bytes:
        """The very bytes at ``where``; the whole row's when the value cannot be cut out of it."""
        owner = self.owner(where)
        row = owner.raw_row(where.row)
        extent = raw.span(row, where.pointer)
        return row if extent is None else row[extent[0] : extent[1]]

    def raw_row(self, index: int) -> bytes:
        """The bytes of a whole row, as they stand in the file (a list document: of the element)."""
        start, end = self._extent(index)
        return self._buffer(index)[start:end]

    def byte_range(self, where: Where) -> tuple[int, int]:
        """(first byte, byte behind the last) of ``raw(where)`` in the unpacked file."""
        owner = self.owner(where)
        start, end = owner._extent(where.row)
        extent = raw.span(owner.raw_row(where.row), where.pointer)
        return (start, end) if extent is None else (start + extent[0], start + extent[1])

    def raw_bad(self, bad: BadLine) -> bytes:
        """The bytes of a line that did not decode."""
        return self._data[bad.start : bad.end]

    def forget(self) -> None:
        """Drop the decoded values; they are decoded again when asked for. Call it once the model is built."""
        if self._prefixed:  # values over several prefixed lines don't decode from their bytes; such logs are small
            return
        self._values = [_DROPPED] * len(self._values)
        for name in ("head", "whole"):
            self.__dict__.pop(name, None)

    # -- opening ---------------------------------------------------------------------------------------------------

    def _text(self, data: bytes) -> bytes:
        for bom, encoding in _BOMS:
            if data.startswith(bom):
                return data.decode(encoding, "replace").encode("utf-8", "replace")
        if data.startswith(b"\xef\xbb\xbf"):
            return data[3:]
        try:
            data.decode("utf-8") if not data.isascii() else None
        except UnicodeDecodeError as error:
            self.notes.append(
                Note(code="not_utf8", text=f"Byte {error.start + 1:,} is not UTF-8; such bytes are shown as U+FFFD.")
            )
        return data

    def _open_text(self) -> None:
        data = self._data
        first = data[:4096].lstrip()[:1]
        if first in (b"{", b"[") and not _is_lines(data):
            try:
                self._open_document(rows.decode(data))
                return
            except rows.Unreadable:
                pass
            if not _has_value_line(data) and salvage.is_cut(data):
                self._salvage()
                return
        found = rows.scan(data)
        self._values, self._starts, self._ends = found.values, found.start, found.end
        self._lines = list(found.line)
        self.bad = tuple(BadLine(*bad) for bad in found.bad)
        self._nonblank = found.lines
        self._prefixed = found.prefixed
        if found.torn:
            line, start, _ = found.bad[-1]
            self.notes.append(
                Note(code="truncated", text=f"Line {line:,} is cut off at byte {len(data):,} (it starts at {start:,}).")
            )

    def _open_document(self, value: Json) -> None:
        self.document = True
        self.whole = value
        if isinstance(value, list):
            self._list = True
            self._values = list(value)
        else:
            self._values = [value]
            start = len(self._data) - len(self._data.lstrip())
            self._starts, self._ends = [start], [len(self._data.rstrip())]

    def _salvage(self) -> None:
        kept = salvage.closed(self._data)
        if kept is None:
            line = self._data.count(b"\n") + 1
            raise BrokenRun(
                self.name,
                f"The JSON document is cut off at byte {len(self._data):,}, before its first complete element.",
                "A whole document.",
                "Write or copy it again; exports piped into another program are often cut.",
                line=line,
            )
        whole, cut = kept
        line = self._data.count(b"\n", 0, cut) + 1
        try:
            value = rows.decode(whole)
        except rows.Unreadable:
            raise BrokenRun(
                self.name,
                f"The JSON document is damaged near line {line:,}.",
                "A whole document.",
                "Write it again.",
                line=line,
            ) from None
        self._data = whole
        self._open_document(value)
        self.notes.append(
            Note(
                code="truncated",
                text=f"The document is cut off at line {line:,}, byte {cut:,}; what is whole is shown.",
            )
        )

    def _open_archive(self) -> None:
        files = archive.members(self.name, self._data)
        kept: list[str] = []
        for name, body in files:
            if not name.endswith(".json"):
                continue
            try:
                value = rows.decode(body)
            except rows.Unreadable as error:
                self.notes.append(
                    Note(code="member_not_json", text=f"{name} is not JSON (byte {error.end:,}); it is left out.")
                )
                continue
            kept.append(name)
            self._values.append(value)
            self._buffers.append(body)
        self.members = tuple(kept)
        self._starts = [0] * len(kept)
        self._ends = [len(body) for body in self._buffers]
        self._nonblank = len(kept)

    # -- extents ---------------------------------------------------------------------------------------------------

    def _buffer(self, index: int) -> bytes:
        return self._buffers[index] if self._buffers else self._data

    @cached_property
    def _elements(self) -> tuple[tuple[int, int], ...]:
        return raw.elements(self._data)

    def _extent(self, index: int) -> tuple[int, int]:
        if index < 0:  # lines without a value count from behind; a format that is no JSON reads them
            bad = self.bad[-1 - index]
            return bad.start, bad.end
        if self._list:
            return self._elements[index] if index < len(self._elements) else (0, len(self._data))
        return self._starts[index], self._ends[index]


@contextmanager
def no_collector() -> Iterator[None]:
    """Reading makes many objects and no cycles; the cyclic collector would only walk them again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _is_lines(data: bytes) -> bool:
    """The first line is a whole value and more follows: JSON lines, which need not be tried as one document."""
    end = data.find(b"\n")
    if end < 0 or not data[end : end + 4096].strip():
        return False
    try:
        rows.decode(memoryview(data)[:end])
    except rows.Unreadable:
        return False
    return True


def _has_value_line(data: bytes) -> bool:
    """One of the first lines is a whole JSON object at the margin: JSON lines, not a document that was cut."""
    for line in data[: 1 << 20].split(b"\n", 50)[:50]:
        if line[:1] == b"{" and line.rstrip()[-1:] == b"}":
            try:
                rows.decode(line)
            except rows.Unreadable:
                continue
            return True
    return False
