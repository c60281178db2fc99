"""A table to take away: named columns of one kind each, as CSV or as Parquet.

Indexes count from 0, as in the model and in JSON; a column that holds some says ``index`` in its name.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

ColumnKind: TypeAlias = Literal["text", "integer", "number", "truth", "integers", "texts"]
"""``integers`` and ``texts`` hold several: a list in Parquet, parted by spaces or " | " in CSV."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """``cells`` are of ``kind`` or None, which is *not recorded*."""

    name: str
    kind: ColumnKind
    cells: Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Columns of equal length. ``name`` is one word or several joined by "-", fit for a file's name."""

    name: str
    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0].cells) if self.columns else 0

    def __getitem__(self, name: str) -> Sequence[Any]:
        return next(column.cells for column in self.columns if column.name == name)


def with_constants(table: Table, **values: tuple[ColumnKind, Any]) -> Table:
    """The table with leading columns that say the same in each row, so that tables of several runs can be stacked."""
    leading = (Column(name=name, kind=kind, cells=(value,) * len(table)) for name, (kind, value) in values.items())
    return Table(name=table.name, columns=(*leading, *table.columns))


def csv_bytes(table: Table) -> bytes:
    """UTF-8 with a header; empty cells are not recorded. A text that begins like a formula gets an apostrophe."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(column.name for column in table.columns)
    cells = ([_printed(cell, column.kind) for cell in column.cells] for column in table.columns)
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue().encode("utf-8", "replace")


def _printed(cell: Any, kind: ColumnKind) -> Any:
    if cell is None:
        return None
    if kind == "integers":
        return " ".join(map(str, cell))
    words = " | ".join(cell) if kind == "texts" else cell
    if isinstance(words, str):
        return f"'{words}" if words.startswith(FORMULA) else words
    return words


def parquet_bytes(table: Table) -> bytes:
    """Typed columns; an empty table keeps its types."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load, and few pages are asked for a file
    import pyarrow.parquet as pq  # noqa: PLC0415

    types = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "truth": pa.bool_(),
        "integers": pa.list_(pa.int64()),
        "texts": pa.list_(pa.string()),
    }
    arrays = [pa.array(_sound(column.cells, column.kind), types[column.kind]) for column in table.columns]
    held = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, names=[column.name for column in table.columns]), held)
    return held.getvalue()


def _sound(cells: Iterable[Any], kind: ColumnKind) -> list[Any]:
    """UTF-8 cannot hold a lone surrogate, Arrow no integer over 64 bit."""
    if kind == "text":
        return [None if cell is None else _encodable(cell) for cell in cells]
    if kind == "texts":
        return [None if cell is None else [_encodable(text) for text in cell] for cell in cells]
    if kind == "integer":
        return [None if cell is None or abs(cell) >= 2**63 else int(cell) for cell in cells]
    if kind == "number":
        return [None if cell is None else float(cell) for cell in cells]
    return list(cells)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
