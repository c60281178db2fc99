"""``compare``: two runs, call by call, and their numbers side by side."""

from __future__ import annotations

import argparse
from typing import Any

from viewer.analysis.repetition import repetition
from viewer.command_line.inputs import Read, one
from viewer.command_line.printing import number, print_json, print_table
from viewer.command_line.report import numbers
from viewer.comparison import pairwise
from viewer.model import Trajectory
from viewer.runs import row


def compare(given: argparse.Namespace) -> int:
    """Prints the aligned rows with the first divergence, then the metrics, or JSON of both."""
    (left_read, left), (right_read, right) = (one(argument) for argument in given.file)
    found = pairwise.compare(left, right)
    metrics = _metrics((left_read, left), (right_read, right))
    if given.json:
        print_json(
            {
                "left": _side(left_read, left),
                "right": _side(right_read, right),
                "rows": [{"kind": row.kind, "left": row.left, "right": row.right} for row in found.rows],
                "first_divergence": found.first_divergence,
                "first_sustained_divergence": found.first_sustained_divergence,
                "metrics": metrics,
            }
        )
        return 0
    marks = {found.first_divergence: "first divergence", found.first_sustained_divergence: "first sustained divergence"}
    print_table(
        ("row", "kind", "left", "right", ""),
        [
            (str(n + 1), row.kind.replace("_", " "), _call(left, row.left), _call(right, row.right), marks.get(n, ""))
            for n, row in enumerate(found.rows)
        ],
    )
    print()
    print_table(
        ("metric", "left", "right"),
        [(name.replace("_", " "), number(one), number(other)) for name, (one, other) in metrics.items()],
    )
    return 0


def _side(read: Read, run: Trajectory) -> dict[str, Any]:
    return {
        "file": read.file,
        "run_id": run.run_id,
        "format": run.format,
        "harness": run.harness,
        "model": run.model,
        "calls": len(run.calls),
    }


def _metrics(*sides: tuple[Read, Trajectory]) -> dict[str, list[Any]]:
    columns = []
    for read, run in sides:
        line, repeated = row(read.entry, run), repetition(run)
        names = ("outcome", "score", "ending", "calls", "errors", "steps", "tokens", "cost", "duration")
        columns.append({name: getattr(line, name) for name in names} | dict(numbers(repeated)))
    return {name: [column[name] for column in columns] for name in columns[0]}


def _call(run: Trajectory, number: int | None) -> str:
    if number is None:
        return ""
    call = run.calls[number]
    return f"#{number + 1} {call.name}{'' if call.state in ('ok', 'ok_empty') else f' ({call.state})'}"
