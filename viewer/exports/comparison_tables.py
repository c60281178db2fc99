"""A comparison to take away as data: its rows and its numbers as tables, and the whole of it as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewer.command_line.printing import json_bytes
from viewer.comparison.difference import asked
from viewer.comparison.document import document
from viewer.comparison.metric_table import MetricRow
from viewer.comparison.star import LETTERS, Star
from viewer.exports.tables import Column, Table
from viewer.masking import masked
from viewer.model import Trajectory

_LONG = 2_000


def comparison_json(
    found: Star, runs: Sequence[Trajectory], files: Sequence[str], metrics: Sequence[MetricRow]
) -> bytes:
    """What ``compare --json`` prints, with secrets in its texts masked."""
    return json_bytes(_masked(document(found, runs, files, metrics)))


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {key: _masked(inner) for key, inner in value.items()}
    return [_masked(inner) for inner in value] if isinstance(value, list | tuple) else value


def aligned_rows(found: Star, runs: Sequence[Trajectory]) -> Table:
    """One line an aligned row; of every run the index of its call, its tool, its state, and what it asked for.

    What was asked is cut after 2,000 characters; secrets in it are masked.
    """
    columns = [
        Column(name="row_index", kind="integer", cells=tuple(range(len(found.rows)))),
        Column(name="kind", kind="text", cells=tuple(row.kind for row in found.rows)),
        Column(name="effect", kind="text", cells=tuple(row.effect for row in found.rows)),
        Column(name="target", kind="text", cells=tuple(masked(row.target[:_LONG]) for row in found.rows)),
    ]
    for place, run in enumerate(runs):
        letter = LETTERS[place].lower()
        calls = [None if row.calls[place] is None else run.calls[row.calls[place] or 0] for row in found.rows]
        columns += [
            Column(name=f"{letter}_call_index", kind="integer", cells=tuple(call and call.index for call in calls)),
            Column(name=f"{letter}_variant", kind="integer", cells=tuple(row.variants[place] for row in found.rows)),
            Column(name=f"{letter}_tool", kind="text", cells=tuple(call and call.name for call in calls)),
            Column(name=f"{letter}_state", kind="text", cells=tuple(call and call.state for call in calls)),
            Column(
                name=f"{letter}_exit_code",
                kind="integer",
                cells=tuple(call.result.exit_code if call and call.result else None for call in calls),
            ),
            Column(
                name=f"{letter}_asked",
                kind="text",
                cells=tuple(None if call is None else masked(asked(call)[:_LONG]) for call in calls),
            ),
        ]
    return Table(name="aligned-rows", columns=tuple(columns))


def compared_metrics(metrics: Sequence[MetricRow]) -> Table:
    """One line a number: a column a run, and what the number means."""
    width = len(metrics[0].values) if metrics else 0
    return Table(
        name="compared-metrics",
        columns=(
            Column(name="metric", kind="text", cells=tuple(row.name for row in metrics)),
            Column(name="label", kind="text", cells=tuple(row.label for row in metrics)),
            *(
                Column(name=LETTERS[run].lower(), kind="text", cells=tuple(_text(row.values[run]) for row in metrics))
                for run in range(width)
            ),
            Column(name="definition", kind="text", cells=tuple(row.definition for row in metrics)),
        ),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)
