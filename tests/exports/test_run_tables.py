import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.places import SAMPLE_RUNS
from tests.trajectories import Say, trajectory
from viewer import formats
from viewer.analysis.action_log import action_log
from viewer.analysis.agentcompass import agentcompass, as_shipped
from viewer.analysis.loops import loops, stops
from viewer.analysis.metrics import metrics
from viewer.analysis.network import network
from viewer.analysis.repetition import repetition
from viewer.exports.findings import findings_json, of_run
from viewer.exports.run_tables import (
    agentcompass_table,
    consecutive_table,
    context_table,
    file_table,
    group_table,
    log_table,
    loop_table,
    metric_table,
    network_table,
    stop_table,
    tool_table,
)
from viewer.exports.tables import FORMULA, Column, ColumnKind, Table, csv_bytes, parquet_bytes
from viewer.model import Trajectory
from viewer.source import Source

LOOPING = trajectory(
    "Read a.py",
    *["bash python3 -m unittest => exit 1 FAILED", "Edit a.py"] * 3,
    "bash curl http://example.com => exit 6",
)


def tables(run: Trajectory) -> list[Table]:
    numbers, repeats = metrics(run), repetition(run)
    return [
        metric_table(numbers),
        agentcompass_table(agentcompass(run), as_shipped(run)),
        tool_table(numbers.tools),
        file_table(numbers.read, numbers.edited),
        context_table(numbers),
        *(group_table(name, getattr(repeats, name), run) for name in ("exact", "same_result", "near", "same_effect")),
        consecutive_table(repeats.consecutive, run),
        loop_table(loops(run)),
        stop_table(stops(run)),
        network_table(network(run), run),
        log_table(action_log(run)),
    ]


def rows(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_bytes(table).decode(), newline="")))


def one(kind: ColumnKind, *cells: Any) -> Table:
    return Table(name="one", columns=(Column(name="cell", kind=kind, cells=cells),))


@given(st.text(max_size=40), st.sampled_from(FORMULA))
def test_no_cell_begins_a_formula(text: str, sign: str) -> None:
    for table in (one("text", sign + text), one("texts", (sign + text, "b"))):
        cell = rows(table)[0]["cell"]
        assert cell.startswith("'")
        assert not cell[1:].startswith("'" + sign)


def test_what_is_no_formula_stays_and_negative_numbers_are_numbers() -> None:
    assert rows(one("text", "a=1", "'quoted'", "", None)) == [
        {"cell": "a=1"}, {"cell": "'quoted'"}, {"cell": ""}, {"cell": ""},
    ]  # fmt: skip
    assert rows(one("number", -1.5, 0.0)) == [{"cell": "-1.5"}, {"cell": "0.0"}]
    assert rows(one("integers", (1, 2), ())) == [{"cell": "1 2"}, {"cell": ""}]


@pytest.mark.parametrize("run", [LOOPING, trajectory(), trajectory("Read a"), trajectory(Say("only words"))])
def test_parquet_keeps_types_and_values_whatever_the_run(run: Trajectory) -> None:
    for table, same in zip(tables(run), tables(LOOPING), strict=True):
        read = pq.read_table(io.BytesIO(parquet_bytes(table)))
        assert read.num_rows == len(table) == len(rows(table))
        assert read.schema == pq.read_table(io.BytesIO(parquet_bytes(same))).schema
        for column in table.columns:
            cells = [list(cell) if isinstance(cell, tuple) else cell for cell in column.cells]
            assert read.column(column.name).to_pylist() == cells


def test_what_utf8_and_arrow_cannot_hold() -> None:
    for make in (csv_bytes, parquet_bytes):
        make(one("text", "a\ud800b"))
        make(one("texts", ("a\ud800b",)))
    held = pq.read_table(io.BytesIO(parquet_bytes(one("integer", 2**70, 1, None))))
    assert held.column("cell").to_pylist() == [None, 1, None]


def test_indexes_are_those_of_the_model() -> None:
    first = rows(group_table("exact", repetition(LOOPING).exact, LOOPING))[0]
    assert (first["tool"], first["times"], first["errors"]) == ("bash", "3", "3")
    calls = [int(index) for index in first["call_indexes"].split()]
    assert [LOOPING.calls[index].signature for index in calls] == [LOOPING.calls[1].signature] * 3
    assert {row["operation"] for row in rows(network_table(network(LOOPING), LOOPING))} == {"curl"}


def test_not_recorded_is_empty_and_zero_is_zero() -> None:
    found = {row["metric"]: row for row in rows(metric_table(metrics(trajectory("Read a"))))}
    assert found["cost"]["value"] == found["wall"]["value"] == found["outcome"]["words"] == ""
    assert float(found["errors"]["value"]) == 0
    assert all(row["definition"] for row in found.values())


def test_a_table_of_a_run_says_which_run_and_what_was_read() -> None:
    (run,) = formats.read(Source.open(SAMPLE_RUNS / "claude_code_session/looping.jsonl"))
    for row in rows(of_run(loop_table(loops(run)), run)):
        assert (row["run_id"], row["run_harness"], row["rows_read"]) == (run.run_id, run.harness, "1.0")


def test_findings_carry_their_coverage() -> None:
    (run,) = formats.read(Source.open(SAMPLE_RUNS / "actf/single/codex.trajectory.json"))
    found = json.loads(findings_json(run, agentcompass=agentcompass(run), metrics=metrics(run), loops=loops(run)))
    assert found["run_id"] == run.run_id
    assert found["coverage"]["rows"] == run.coverage.rows
    assert found["metrics"]["facts"] and found["metrics"]["items"]
    shown = {
        row["metric"]: row["agentcompass_1_0_1"]
        for row in rows(agentcompass_table(agentcompass(run), as_shipped(run)))
        if row["analyzer"] == "BasicMetricAnalyzer"
    }
    assert (shown["total_tool_calls"], shown["total_steps"]) == ("0", "")
