"""A comparison as plain values, for JSON: what the command line prints and the export holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewer.comparison.account import account
from viewer.comparison.metric_table import MetricRow
from viewer.comparison.pairwise import row_kind
from viewer.comparison.star import Star
from viewer.comparison.task import same_task
from viewer.model import Trajectory


def document(
    found: Star, runs: Sequence[Trajectory], files: Sequence[str], metrics: Sequence[MetricRow]
) -> dict[str, Any]:
    """Indexes and rows count from 0, null where there is none.

    Two runs: ``left``, ``right`` and rows of (kind, left, right), kind one of same, changed_arguments, changed_result,
    only_left, only_right, moved. More: ``runs`` and rows of (kind, calls, cells, variants, effect, target), as in
    ``star.StarRow``.
    ``metrics`` is {name: one value a run}; ``changes`` the same less the first run's, where both are numbers.
    """
    sides = [_side(file, run) for file, run in zip(files, runs, strict=True)]
    rows: list[dict[str, Any]]
    head: dict[str, Any]
    if len(runs) == 2:
        head = {"left": sides[0], "right": sides[1]}
        rows = [
            {
                "kind": row_kind(row),
                "left": row.calls[0],
                "right": row.calls[1],
            }
            for row in found.rows
        ]
    else:
        head = {"runs": sides}
        rows = [
            {
                "kind": row.kind,
                "calls": row.calls,
                "cells": row.cells,
                "variants": row.variants,
                "effect": row.effect,
                "target": row.target,
            }
            for row in found.rows
        ]
    return {
        **head,
        "same_task": same_task(runs),
        "account": account(found, runs),
        "rows": rows,
        "first_divergence": found.first_divergence,
        "first_sustained_divergence": found.first_sustained_divergence,
        "recovery": found.recovery,
        "decisive": found.decisive,
        "reference": found.reference,
        "similarity": found.similarity,
        "metrics": {row.name: row.values for row in metrics},
        "changes": {
            row.name: [row.change(run) for run in range(1, len(runs))]
            for row in metrics
            if any(row.change(run) is not None for run in range(1, len(runs)))
        },
    }


def _side(file: str, run: Trajectory) -> dict[str, Any]:
    return {
        "file": file,
        "run_id": run.run_id,
        "format": run.format,
        "harness": run.harness,
        "model": run.model,
        "calls": len(run.calls),
        "claim": run.claim,
    }
