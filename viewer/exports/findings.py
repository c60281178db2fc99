"""Findings of a run as JSON, under the names of ``report --json``, with the coverage they rest on."""

from __future__ import annotations

from typing import Any

from viewer.command_line.printing import json_bytes
from viewer.exports.tables import Table, with_constants
from viewer.model import Trajectory


def findings_json(run: Trajectory, **findings: Any) -> bytes:
    """UTF-8, indented. Dataclasses become objects."""
    head = {
        "run_id": run.run_id,
        "format": run.format,
        "harness": run.harness,
        "model": run.model,
        "coverage": run.coverage,
    }
    return json_bytes(head | findings)


def of_run(table: Table, run: Trajectory) -> Table:
    """The table with the run's id, its harness and the share of its rows that were understood in every line."""
    rows = run.coverage.rows
    read = round((rows - run.coverage.not_understood) / rows, 4) if rows else None
    return with_constants(
        table, run_id=("text", run.run_id), run_harness=("text", run.harness), rows_read=("number", read)
    )
