"""A batch to take away: one line a run as CSV or Parquet, everything as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from viewer.batch import Batch, Paired
from viewer.batch.groups import task_names
from viewer.batch.run_facts import RunFacts

_TEXTS: Final[Mapping[str, Callable[[RunFacts], str | None]]] = {
    "run_id": lambda one: one.run_id,
    "label": lambda one: one.row.label,
    "standing": lambda one: one.standing,
    "outcome": lambda one: one.row.outcome,
    "judged_by": lambda one: one.row.judged_by,
    "ending": lambda one: one.row.ending,
    "harness": lambda one: one.harness,
    "model": lambda one: one.row.model,
    "benchmark": lambda one: one.row.benchmark,
    "format": lambda one: one.row.format,
    "folder": lambda one: one.folder,
    "day": lambda one: one.day,
    "diagnosis": lambda one: one.label,
    "category": lambda one: one.category,
    "rule": lambda one: one.rule,
    "level": lambda one: one.level,
    "rules": lambda one: " ".join(rule for rule, _ in one.rules),
    "stands_out": lambda one: one.stands_out,
    "parse_state": lambda one: one.row.parse_state,
    "reason": lambda one: one.row.reason,
}
_INTEGERS: Final[Mapping[str, Callable[[RunFacts], int | None]]] = {
    "attempt": lambda one: one.row.attempt,
    "execution": lambda one: one.row.execution,
    "calls": lambda one: one.row.calls,
    "steps": lambda one: one.row.steps,
    "errors": lambda one: one.row.errors,
    "failed_checks": lambda one: one.checks,
    "repeated": lambda one: one.row.repeated,
    "loops": lambda one: one.loops,
    "tokens": lambda one: one.row.tokens,
    "root_step": lambda one: one.root_step,
    "decisions": lambda one: one.decisions if one.read else None,
    "objections": lambda one: sum(count for _, count in one.objections) if one.read else None,
}
_NUMBERS: Final[Mapping[str, Callable[[RunFacts], float | None]]] = {
    "score": lambda one: one.row.score,
    "cost_dollars": lambda one: one.row.cost,
    "duration_seconds": lambda one: one.row.duration,
    "started": lambda one: one.row.started,
    "failed_at": lambda one: one.failed_at,
    "coverage": lambda one: one.row.coverage,
}
_BOOLEANS: Final[Mapping[str, Callable[[RunFacts], bool | None]]] = {
    "counts": lambda one: one.counts,
    "claims_success": lambda one: one.claims_success,
}
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def columns(facts: Sequence[RunFacts]) -> dict[str, list[Any]]:
    """Name -> one cell a run; None is not recorded. ``root_step`` counts from 0, ``failed_at`` is 0 to 1."""
    names = task_names(facts)
    found: dict[str, list[Any]] = {}
    for table in (_TEXTS, _INTEGERS, _NUMBERS, _BOOLEANS):
        for name, cell in table.items():
            found[name] = [cell(one) for one in facts]
            if name == "model":
                found["task"] = [names.get(one.run_id) for one in facts]
    return found


def as_csv(facts: Sequence[RunFacts]) -> bytes:
    """UTF-8 with a header. A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    table = columns(facts)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(table)
    writer.writerows(map(_inert, zip(*table.values(), strict=True)))
    return text.getvalue().encode("utf-8", "replace")


def _inert(cells: Iterable[Any]) -> list[Any]:
    return [f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell for cell in cells]


def as_parquet(facts: Sequence[RunFacts]) -> bytes:
    """The same columns, typed; an empty batch keeps its types."""
    import pyarrow as pa  # noqa: PLC0415 - it would slow down the start of every command
    import pyarrow.parquet as pq  # noqa: PLC0415

    kinds = {
        **dict.fromkeys(_TEXTS, pa.string()),
        "task": pa.string(),
        **dict.fromkeys(_INTEGERS, pa.int64()),
        **dict.fromkeys(_NUMBERS, pa.float64()),
        **dict.fromkeys(_BOOLEANS, pa.bool_()),
    }
    table = columns(facts)
    arrays = [pa.array([_sound(cell) for cell in cells], kinds[name]) for name, cells in table.items()]
    held = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, names=list(table)), held)
    return held.getvalue()


def _sound(cell: Any) -> Any:
    """UTF-8 cannot hold a lone surrogate."""
    return cell.encode("utf-8", "replace").decode() if isinstance(cell, str) else cell


def document(found: Batch, facts: Sequence[RunFacts], pairs: Mapping[str, Sequence[Paired]]) -> dict[str, Any]:
    """The whole batch as one object: its fields, the paired comparisons by dimension, and one object a run."""
    table = columns(facts)
    return {
        **{field.name: getattr(found, field.name) for field in fields(found)},
        "paired": pairs,
        "runs": [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)],
    }


def as_json(value: Any) -> bytes:
    """Indented, ASCII: texts of traces may hold what UTF-8 cannot."""
    return json.dumps(value, indent=2, default=_plain).encode("ascii")


def _plain(value: Any) -> dict[str, Any]:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise TypeError(type(value).__name__)
