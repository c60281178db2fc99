"""The same small task, recorded with many harnesses: what the analyses find in each good and each looping run."""

import json
from functools import cache
from typing import Any

import pytest

from tests.places import SHARED
from viewer import formats
from viewer.analysis.errors import errors, failed_checks, first_unrecovered
from viewer.analysis.headline import headline
from viewer.analysis.loops import loops, stops
from viewer.analysis.metrics import metrics
from viewer.analysis.network import network
from viewer.analysis.phases import phases
from viewer.analysis.repetition import effect_keys
from viewer.model import Trajectory
from viewer.source import Source

RECORDED = SHARED / "recorded"
SIX = {
    "Claude Code": "claude-code/{}.session.jsonl",
    "Codex": "codex/{}.rollout.jsonl",
    "Gemini CLI": "gemini-cli/{}.chat.jsonl",
    "OpenCode": "opencode/{}.run.jsonl",
    "OpenClaw": "openclaw/{}.session.jsonl",
    "mini-swe-agent": "mini-swe-agent/{}.traj.json",
}
SIDE_FILES = (".agent-result.json", ".base_state.json", ".chat.history.md")
"""Files beside a run, and Aider's history, which has no calls."""
WITHOUT_EXIT_CODES = "gemini-cli/{}.stream.jsonl"


def manifest() -> list[dict[str, Any]]:
    path = RECORDED / "MANIFEST.json"
    return json.loads(path.read_text())["files"] if path.is_file() else []


def recorded(scenario: str) -> list[str]:
    entries = [entry for entry in manifest() if entry["scenario"] == scenario and entry["run"] == scenario]
    return [entry["file"] for entry in entries if not entry["file"].endswith(SIDE_FILES)]


@cache
def run_of(file: str) -> Trajectory:
    found = formats.read(Source.open(RECORDED / file))[0]
    assert found.calls, file
    return found


def runs(scenario: str) -> list[Any]:
    return [pytest.param(file, id=file) for file in recorded(scenario)]


@pytest.mark.parametrize("file", runs("good"))
def test_good_runs_do_not_loop(file: str) -> None:
    run = run_of(file)
    assert [(loop.kind, loop.calls) for loop in loops(run)] == []
    assert [stop.rule for stop in stops(run) if stop.fires] == []
    assert first_unrecovered(run) is None
    assert set(errors(run)) == failed_checks(run)  # only the test that reproduces the bug


@pytest.mark.parametrize("file", runs("looping"))
def test_looping_runs_loop(file: str) -> None:
    run = run_of(file)
    first = loops(run)[0]
    assert first.kind == "repeated_failure"
    assert first.count >= 5
    assert {stop.rule for stop in stops(run) if stop.fires} >= {"repeated_failure", "three_equal"}


@pytest.mark.parametrize("harness", SIX)
def test_the_looping_run_of(harness: str, shared: Any) -> None:
    run = run_of(SIX[harness].format("looping"))
    first = loops(run)[0]
    tests = metrics(run).tests
    assert (first.count, first.first, first.last) == (6, tests.calls[0], tests.calls[-1])
    assert first_unrecovered(run) == tests.calls[1]  # the first test after an edit; the one before shows the bug
    assert (tests.passed, tests.failed, tests.last_result) == (0, 6, "failed")
    assert {operation.label for operation in network(run).operations} >= {"curl", "pip install"}
    assert headline(run).claims_success is True


def test_without_exit_codes_only_equal_calls_tell(shared: Any) -> None:
    run = run_of(WITHOUT_EXIT_CODES.format("looping"))
    assert metrics(run).tests.failed == 0
    assert {stop.rule for stop in stops(run) if stop.fires} == {"repeated_failure", "three_equal", "six_equal"}


@pytest.mark.parametrize("scenario", ["good", "looping"])
def test_the_same_command_is_the_same_in_every_harness(scenario: str, shared: Any) -> None:
    keys = {harness: set(effect_keys(run_of(file.format(scenario)))) for harness, file in SIX.items()}
    common = set.intersection(*keys.values())
    assert ("test", "python3 -m unittest") in common
    assert ("read", "stats.py") in common
    if scenario == "looping":
        assert any(key[0] == "web" and "example.com" in key[1] for key in common)


def test_phases_of_the_good_runs_agree(shared: Any) -> None:
    for harness, file in SIX.items():
        letters = "".join(phases(run_of(file.format("good")))).replace("G", "")
        assert letters == "LLLPV", harness
