"""Reference files beside the repository: what their manifests and expectations say, field by field.

Their words for formats are mapped here, once. Where a reader and an expectation differ, ``DEVIATIONS`` says what we
find and why the file shows it; an entry that no longer differs fails, so that the list stays true.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import NO_SHARED
from tests.contract import hold
from tests.places import SHARED
from viewer import formats
from viewer.analysis.repetition import repetition
from viewer.errors import UnknownFormat, ViewerError
from viewer.model import ToolCall, ToolResult, Trajectory
from viewer.runs import index, open_entry
from viewer.source import Source

FORMATS = {
    # cases/bugs and cases/real
    "anthropic-msgs": {"anthropic_messages"},
    "atif": {"atif"},
    "claude-code": {"claude_code_session"},
    "claude-stream-json": {"claude_code_stream_json"},
    "codex-exec": {"codex_exec"},
    "codex-rollout": {"codex_rollout"},
    "copilot-cli": {"copilot_cli"},
    "cursor": {"cursor_transcript", "cursor_stream_json"},
    "droid": {"droid"},
    "gemini": {"gemini_cli_chat", "gemini_cli_stream_json"},
    "gemini-stream": {"gemini_cli_stream_json"},
    "hermes": {"hermes"},
    "inspect": {"inspect_log"},
    "kimi": {"kimi"},
    "langchain": {"langchain"},
    "langfuse": {"langfuse"},
    "langsmith": {"langsmith", "braintrust"},
    "mini-swe": {"mini_swe_agent"},
    "openai-chat": {"openai_chat"},
    "openai-responses": {"openai_responses", "nemo_gym"},
    "openclaw": {"openclaw_session", "openclaw_events", "openclaw_telemetry", "openclaw_a2a"},
    "opencode-export": {"opencode_export"},
    "opencode-run": {"opencode_run"},
    "openhands": {"openhands_v0"},
    "openhands-v1": {"openhands_v1"},
    "otel": {"otel"},
    "otlp": {"otel"},
    "pi": {"openclaw_session", "pi_print"},
    "qwen": {"qwen_code"},
    "swe-agent": {"swe_agent"},
    "tau": {"tau_bench"},
    # recorded
    "ATIF-v1.7": {"atif"},
    "ATIF-v1.8": {"atif"},
    "actf": {"actf"},
    "ai-sdk.messages": {"openai_chat"},
    "ai-sdk.otel": {"otel"},
    "ai-sdk.steps": {"vercel_ai_sdk"},
    "aider.history": {"aider"},
    "anthropic.messages": {"anthropic_messages"},
    "claude.session": {"claude_code_session"},
    "claude.stream": {"claude_code_stream_json"},
    "codex.exec": {"codex_exec"},
    "codex.rollout": {"codex_rollout"},
    "gemini.chat": {"gemini_cli_chat"},
    "gemini.stream": {"gemini_cli_stream_json"},
    "inspect.eval": {"inspect_log"},
    "inspect.json": {"inspect_log"},
    "kimi-code.stream": {"kimi_chat", "openai_chat"},
    "kimi-code.wire": {"kimi"},
    "kimi.context": {"kimi_chat", "openai_chat"},
    "kimi.stream": {"kimi_chat", "openai_chat"},
    "kimi.wire": {"kimi_cli_wire"},
    "langchain.dict": {"langchain"},
    "langchain.dumps": {"langchain"},
    "langsmith.runs": {"langsmith"},
    "mini.traj": {"mini_swe_agent"},
    "openai-agents.session": {"openai_agents_session"},
    "openai-agents.trace": {"openai_agents_trace"},
    "openai.chat": {"openai_chat"},
    "openai.responses": {"openai_responses"},
    "openclaw.session": {"openclaw_session"},
    "openclaw.trajectory": {"openclaw_events"},
    "opencode.export": {"opencode_export"},
    "opencode.run": {"opencode_run"},
    "openhands.events": {"openhands_v1"},
    "otel.genai": {"otel"},
    "otel.genai.legacy": {"otel"},
    "otel.genai.legacy.logs": {"otel"},
    "otel.genai.logs": {"otel"},
    "pi.events": {"pi_print"},
    "pi.session": {"openclaw_session"},
    "qwen.chat": {"qwen_code"},
    "qwen.stream": {"claude_code_stream_json"},
    "smolagents.memory": {"smolagents"},
    "strands.messages": {"strands"},
    "swe-agent.traj": {"swe_agent"},
}
"""Their word -> the names of our formats it stands for."""


@dataclass(frozen=True)
class Deviation:
    """What we find instead of what is expected, and how the file shows it."""

    found: Any
    why: str


REFUSED = "the model asked for web_lookup and no tool ran: the request stands in the model's reply, so it is a call"
WITH_REFUSED = "read_file bash edit_file bash bash edit_file bash bash bash read_file web_lookup bash bash bash".split()
STALE_TOTALS = "two rows repeat a total that did not advance; formats.md 5 leaves them out, as final_total_tokens does"
IN_A_GENERATION = "its note: calls recorded only inside a generation are not in this number; they are calls"
REPLIES_OF_A_DEMO = "the expectation counts entries of trajectory; a step of ours is every message of the file"

DEVIATIONS: dict[tuple[str, str], Deviation] = {
    ("openclaw/looping.trajectory-events.jsonl", "order"): Deviation(
        "read exec edit exec exec edit exec exec exec read tool_call web_lookup exec exec exec".split(), REFUSED
    ),
    ("langgraph/looping.runs.json", "order"): Deviation(WITH_REFUSED, REFUSED),
    ("openai-agents/looping-chat.trace.jsonl", "order"): Deviation(WITH_REFUSED, REFUSED),
    ("vercel-ai-sdk/looping.otlp.jsonl", "order"): Deviation(WITH_REFUSED, REFUSED),
    ("real/atif/phoenix-subagents-v17.json", "steps"): Deviation(
        6, "the expectation leaves the embedded sub-agent out; its two steps are in the run, with its agent"
    ),
    ("real/codex-exec/takopi-phase-unknown.jsonl", "names"): Deviation(
        {"spawn_agent": 1}, "the item's type is collab_tool_call, its tool is spawn_agent: the tool is the name"
    ),
    ("real/codex-rollout/codexbar-fork-child.jsonl", "sum_last_token_usage"): Deviation(
        26801911, STALE_TOTALS
    ),
    ("real/codex-rollout/codexbar-fork-parent.jsonl", "sum_last_token_usage"): Deviation(
        24992392, STALE_TOTALS
    ),
    ("real/langfuse/lf-langgraph-js-trace.json", "tool_observations"): Deviation(
        1, IN_A_GENERATION
    ),
    ("real/langfuse/lf-langgraph-py-trace.json", "tool_observations"): Deviation(
        1, IN_A_GENERATION
    ),
    ("real/langfuse/lf-seed-koog.json", "tool_observations"): Deviation(
        2, IN_A_GENERATION
    ),
    ("real/openhands/runtime-gui-mode.json", "errors"): Deviation(
        0, "success is false since the command had no new output for 30 seconds (exit code -1): a timeout, no error"
    ),
    ("real/swe-agent/demo-ctf-idemo.traj", "steps"): Deviation(23, REPLIES_OF_A_DEMO),
    ("real/swe-agent/demo-function-calling-simple.traj", "steps"): Deviation(7, REPLIES_OF_A_DEMO),
    ("real/swe-agent/demo-ctf-idemo.traj", "fn_calls"): Deviation(
        {"curl": 18, "create": 1, "edit": 1, "submit": 1},
        "fn_calls counts function calls only; the first words of actions are the calls of a file without any",
    ),
}  # fmt: skip

NO_RUN = {
    # what formats.md 24 lists, or what holds no run by its own expectation
    "real/anthropic-msgs/langsmith-managed-builtin.jsonl": "unrecognised",  # recorded SSE events
    "real/inspect/inspect-no-samples.json": "no_trajectory",
    "real/opencode-export/agent-issue102-verbose.txt": "unrecognised",  # "almost only log objects, no run in it"
    "real/tau/tau2-voice-results-index.json": "no_trajectory",
}


def listed(name: str) -> list[Any]:
    """A manifest; empty when it is not there, so that collecting works everywhere."""
    path = SHARED / name
    found = json.loads(path.read_text()) if path.is_file() else []
    return found["files"] if isinstance(found, dict) else found


RECORDED = listed("recorded/MANIFEST.json")
REAL = listed("cases/real/MANIFEST.json")
TRIALS = listed("cases/claude_tb2/MANIFEST.json")
BUGS = sorted((SHARED / "cases" / "bugs").glob("*.expect.json"))
if not SHARED.is_dir():
    pytestmark = pytest.mark.skip(reason=NO_SHARED)


@lru_cache(maxsize=8)
def read(path: Path) -> tuple[Source, tuple[Trajectory, ...]]:
    source = Source.open(path)
    return source, formats.read(source)


def calls_of(runs: tuple[Trajectory, ...]) -> list[ToolCall]:
    return [call for run in runs for call in (*run.calls, *run.superseded)]


def name_of(call: ToolCall) -> str:
    return call.raw_name if call.raw_name is not None else call.name


def agree(file: str, key: str, found: Any, expected: Any) -> None:
    """Compares a fact; a listed deviation must still be one."""
    deviation = DEVIATIONS.get((file, key))
    if deviation is None:
        assert found == expected, key
        return
    assert found == deviation.found, (key, deviation.why)
    assert found != expected, f"{key} agrees now: take {(file, key)} off the list"


def test_the_lists_of_exceptions_name_files_that_are_there(shared: Path) -> None:
    named = {file for file, _ in DEVIATIONS} | NO_RUN.keys()
    known = {entry["file"] for entry in (*RECORDED, *REAL)}
    assert not named - known
    ours = formats.known().keys()
    assert not {word for word, names in FORMATS.items() if not names & ours}, "no format of ours goes by these words"


# -- recorded ------------------------------------------------------------------------------------------------------


def short(entry: dict[str, Any]) -> str:
    parts = entry["file"].split("/")
    return "-".join(part if len(part) < 60 else part[:20] + part[-8:] for part in parts)


@pytest.mark.parametrize("entry", RECORDED, ids=short)
def test_recorded_runs_read_as_their_manifest_says(entry: dict[str, Any]) -> None:
    path = SHARED / "recorded" / entry["file"]
    if entry["tool_names_in_order"] is None and entry["format"] != "aider.history":
        with pytest.raises(UnknownFormat) as error:
            read(path)
        assert error.value.parse_state == "no_trajectory", error.value
        return
    source, runs = read(path)
    assert {run.format for run in runs} <= FORMATS[entry["format"]]
    for run in runs:
        hold(source, run)
        assert not run.coverage.unknown
        assert not run.coverage.blocked
    if entry["tool_names_in_order"] is None:
        assert calls_of(runs), "an edit that was applied is a call"
        return
    top = [call for run in runs for call in run.calls if not embedded(entry, call)]
    agree(entry["file"], "order", [name_of(call) for call in top], entry["tool_names_in_order"])


def embedded(entry: dict[str, Any], call: ToolCall) -> bool:
    """An ATIF sub-agent's call inside the document: the manifest counts the main run only (decisions.md 4)."""
    return entry["format"].startswith("ATIF") and "subagent_trajectories" in call.where.pointer


@pytest.mark.parametrize("entry", [entry for entry in RECORDED if entry["format"] == "actf"], ids=short)
def test_recorded_outcomes_reach_the_runs_of_a_results_folder(entry: dict[str, Any]) -> None:
    """AgentCompass judged these: passed and failed are its verdicts; an attempt that ended in an error has none."""
    if "/attempt-" not in entry["file"]:
        return
    _, (run,) = read(SHARED / "recorded" / entry["file"])
    expected = {"passed": "passed", "failed": "failed"}.get(entry["outcome"])
    if expected is not None:
        assert run.outcome in (expected, None)


PAIRS = [
    ("codex/good.exec.jsonl", "codex/good.rollout.jsonl"),
    ("codex/compacted.exec.jsonl", "codex/compacted.rollout.jsonl"),
    ("codex/killed.exec.jsonl", "codex/killed.rollout.jsonl"),
    ("gemini-cli/good.stream.jsonl", "gemini-cli/good.chat.jsonl"),
    ("gemini-cli/looping.stream.jsonl", "gemini-cli/looping.chat.jsonl"),
    ("opencode/good.run.jsonl", "opencode/good.export.json"),
    ("opencode/looping.run.jsonl", "opencode/looping.export.json"),
    ("claude-code/good.stream.jsonl", "claude-code/good.session.jsonl"),
    ("claude-code/looping.stream.jsonl", "claude-code/looping.session.jsonl"),
    ("claude-code/good.stream.jsonl", "atif-harbor/claude-code.good.trajectory.json"),
    ("claude-code/looping.stream.jsonl", "atif-harbor/claude-code.looping.trajectory.json"),
    ("gemini-cli/looping.chat.jsonl", "atif-harbor/gemini-cli.looping.trajectory.json"),
    ("opencode/looping.export.json", "atif-harbor/opencode.looping.trajectory.json"),
    ("inspect-ai/good.json", "inspect-ai/good.eval"),
    ("inspect-ai/looping.json", "inspect-ai/looping.eval"),
    ("otel-genai/good.otlp.jsonl", "otel-genai/good-v2.otlp.jsonl"),
]
SAME_RECORD = [pair for pair in PAIRS if pair[0].split("/")[0] != "codex"]


each_pair = pytest.mark.parametrize(("one", "other"), PAIRS, ids=[f"{one} {other}" for one, other in PAIRS])
same_record = pytest.mark.parametrize(
    ("one", "other"), SAME_RECORD, ids=[f"{one} {other}" for one, other in SAME_RECORD]
)


@each_pair
def test_two_records_of_one_run_have_the_same_kinds_of_calls(shared: Path, one: str, other: str) -> None:
    """Codex names a command differently in its two records; what was done, and how it ended, is the same."""
    (_, first), (_, second) = read(shared / "recorded" / one), read(shared / "recorded" / other)
    seen = [[(call.kind, call.server) for call in calls_of(runs)] for runs in (first, second)]
    assert seen[0] == seen[1]


@same_record
def test_two_records_of_one_run_have_the_same_calls(shared: Path, one: str, other: str) -> None:
    """Paths are compared below the project: not every record names the directory that would make them relative."""
    (_, first), (_, second) = read(shared / "recorded" / one), read(shared / "recorded" / other)
    seen = [[call.signature.replace("/workspace/project/", "") for call in calls_of(runs)] for runs in (first, second)]
    assert seen[0] == seen[1]


# -- cases/bugs ----------------------------------------------------------------------------------------------------


def results_of(runs: tuple[Trajectory, ...]) -> list[ToolResult]:
    answered = [call.result for call in calls_of(runs) if call.result is not None]
    return answered + [result for run in runs for step in run.steps for result in step.results]


def images_of(runs: tuple[Trajectory, ...]) -> int:
    in_steps = sum(len(step.images) for run in runs for step in run.steps)
    return in_steps + sum(len(result.images) for result in results_of(runs))


def tokens(runs: tuple[Trajectory, ...], *names: str) -> int:
    return sum(getattr(run.usage, name) or 0 for run in runs if run.usage is not None for name in names)


def steps_of(runs: tuple[Trajectory, ...], role: str) -> int:
    return sum(step.role == role and step.marker is None for run in runs for step in run.steps)


Fact = Callable[[Source, tuple[Trajectory, ...]], Any]
BUG_FACTS: dict[str, Fact] = {
    "calls": lambda _, runs: len(calls_of(runs)),
    "names": lambda _, runs: [codex_name(call, runs[0].format) for call in calls_of(runs)],
    "errors": lambda _, runs: sum(result.is_error is True for result in results_of(runs)),
    "missing_results": lambda _, runs: sum(call.result is None for call in calls_of(runs)),
    "orphan_results": lambda _, runs: sum(len(step.results) for run in runs for step in run.steps),
    "rows": lambda source, _: len(source),
    "bad_lines": lambda source, _: [bad.line for bad in source.bad],
    "output_tokens": lambda _, runs: tokens(runs, "output_tokens"),
    # their input counts fresh tokens only, ours the cached ones too
    "input_tokens": lambda _, runs: tokens(runs, "input_tokens") - tokens(runs, "cached_tokens", "cache_write_tokens"),
    "cache_read": lambda _, runs: tokens(runs, "cached_tokens"),
    "total_tokens": lambda _, runs: tokens(runs, "input_tokens", "output_tokens"),
    "own_calls": lambda _, runs: sum(call.line != "inherited" for call in calls_of(runs)),
    "active_calls": lambda _, runs: sum(call.line == "main" for call in calls_of(runs)),
    "main_calls": lambda _, runs: sum(call.agent is None for call in calls_of(runs)),
    "sub_calls": lambda _, runs: sum(call.agent is not None for call in calls_of(runs)),
    "images": lambda _, runs: images_of(runs),
    "assistant_turns": lambda _, runs: steps_of(runs, "model"),
    "human_prompts": lambda _, runs: steps_of(runs, "user"),
    "compactions": lambda _, runs: sum(step.marker == "compaction" for run in runs for step in run.steps),
    "steps": lambda _, runs: sum(len(run.steps) for run in runs),
    "session_id": lambda _, runs: runs[0].extra.get("session_id", runs[0].extra.get("thread_id")),
    "truncated": lambda _, runs: any(run.state == "truncated" for run in runs),
    "pairs": lambda _, runs: {call.id: call.result and call.result.text for call in calls_of(runs)},
    "repeat_groups": lambda _, runs: [group.count for group in repetition(runs[0]).exact],
}


def codex_name(call: ToolCall, format: str) -> str:
    """Their spelling of an MCP item, which has server and tool in two keys."""
    return f"mcp:{call.server}.{name_of(call)}" if format == "codex_exec" and call.server else name_of(call)


def bug_input(expectation: Path) -> Path:
    stem = expectation.name.removesuffix(".expect.json")
    return next(path for path in expectation.parent.glob(f"{stem}.*") if path != expectation)


@pytest.mark.parametrize("expectation", BUGS, ids=lambda path: path.name.removesuffix(".expect.json"))
def test_the_small_inputs_of_bug_reports(expectation: Path) -> None:
    expected = json.loads(expectation.read_text())
    source, runs = read(bug_input(expectation))
    assert {run.format for run in runs} <= FORMATS[expected.pop("format")]
    assert not expected.keys() - {"notes"} - BUG_FACTS.keys()
    for run in runs:
        hold(source, run)
    for key, value in expected.items():
        if key != "notes" and value is not None:
            agree(expectation.name, key, BUG_FACTS[key](source, runs), value)


# -- cases/real ----------------------------------------------------------------------------------------------------


def counted(runs: tuple[Trajectory, ...]) -> dict[str, int]:
    return dict(Counter(codex_name(call, runs[0].format) for call in calls_of(runs)))


REAL_FACTS: dict[str, Fact] = {
    "calls": lambda _, runs: len(calls_of(runs)),
    "names": lambda _, runs: counted(runs),
    "tool_names": lambda _, runs: counted(runs),
    "fn_calls": lambda _, runs: counted(runs),
    "tool_spans": lambda _, runs: len(calls_of(runs)),
    "tool_span_names": lambda _, runs: counted(runs),
    "tool_observations": lambda _, runs: len(calls_of(runs)),
    "distinct_tool_call_ids": lambda _, runs: len(calls_of(runs)),
    "assistant_with_exactly_one_block": lambda _, runs: len(calls_of(runs)),
    "results": lambda _, runs: len(results_of(runs)),
    "errors": lambda _, runs: sum(result.is_error is True for result in results_of(runs)),
    "success": lambda _, runs: dict(Counter(str(not r.is_error) for r in results_of(runs) if r.is_error is not None)),
    "orphan_results": lambda _, runs: sum(len(step.results) for run in runs for step in run.steps),
    "calls_without_result": lambda _, runs: sum(call.result is None for call in calls_of(runs)),
    "images": lambda _, runs: images_of(runs),
    "distinct_message_ids": lambda _, runs: steps_of(runs, "model"),
    "dedup_output_tokens_last": lambda _, runs: sum(
        step.usage.output_tokens or 0 for run in runs for step in run.steps if step.usage is not None
    ),
    "final_total_tokens": lambda _, runs: tokens(runs, "input_tokens", "output_tokens"),
    "sum_last_token_usage": lambda _, runs: tokens(runs, "input_tokens", "output_tokens"),
    "last_usage": lambda _, runs: {
        "input_tokens": tokens(runs, "input_tokens"),
        "cached_input_tokens": tokens(runs, "cached_tokens"),
        "output_tokens": tokens(runs, "output_tokens"),
    },
    "samples": lambda _, runs: len(runs),
    "threads": lambda _, runs: len(runs),
    "steps": lambda _, runs: sum(len(run.steps) for run in runs),
    "agent": lambda _, runs: runs[0].harness,
    "rewards": lambda _, runs: [run.score for run in runs],
    "exit_status": lambda _, runs: runs[0].ending_text,
    "cost": lambda _, runs: runs[0].cost,
    "step_cost_sum": lambda _, runs: runs[0].cost,
    "json_objects": lambda source, _: len(source),
    "lines_that_are_not_json": lambda source, _: len(source.bad),
}


@pytest.mark.parametrize("entry", REAL, ids=lambda entry: entry["file"].removeprefix("real/").replace("/", "-"))
def test_files_found_in_the_wild(entry: dict[str, Any]) -> None:
    file, expected = entry["file"], entry["expected"]
    path = SHARED / "cases" / file
    if file in NO_RUN:
        with pytest.raises(UnknownFormat) as error:
            read(path)
        assert error.value.parse_state == NO_RUN[file]
        return
    source, runs = read(path)
    assert {run.format for run in runs} <= FORMATS[entry["format"]]
    for run in runs:
        hold(source, run)
        assert not run.coverage.blocked
    for key, fact in REAL_FACTS.items():
        if key in expected:
            agree(file, key, fact(source, runs), expected[key])


UNDERSTOOD_NOT_WHOLLY = {
    "real/codex-exec/takopi-phase-unknown.jsonl": {"item future_item": 1},  # made to be unknown
    "real/cursor/letta-cleanup.jsonl": {"block future-block": 1, "not JSON": 1},  # made to be unknown
    "real/openclaw/letta-cleanup.jsonl": {"not JSON": 1},
}


@pytest.mark.parametrize("entry", REAL, ids=lambda entry: entry["file"].removeprefix("real/").replace("/", "-"))
def test_every_row_found_in_the_wild_is_understood(entry: dict[str, Any]) -> None:
    if entry["file"] in NO_RUN:
        return
    _, runs = read(SHARED / "cases" / entry["file"])
    left = {unknown.type: unknown.count for run in runs for unknown in run.coverage.unknown}
    assert left == UNDERSTOOD_NOT_WHOLLY.get(entry["file"], {})


# -- cases/claude_tb2 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial["run"])
def test_terminal_bench_trials_of_claude_code(trial: dict[str, Any]) -> None:
    folder = SHARED / "cases" / "claude_tb2" / trial["run"]
    (entry,) = [entry for entry in index([folder]) if entry.state == "run"]
    source, runs = open_entry(entry)
    for run in runs:
        hold(source, run)
        assert not run.coverage.unknown
    calls = [call for run in runs for call in run.calls]
    left = [call for run in runs for call in run.superseded]
    assert {
        "answered": sum(call.result is not None for call in calls),
        "unanswered": sum(call.result is None for call in calls),
        "orphan_results": sum(len(step.results) for run in runs for step in run.steps),
        "error_results": sum(call.result is not None and call.result.is_error is True for call in calls),
        "names_without_superseded": dict(Counter(name_of(call) for call in calls)),
    } == {
        key: trial[key]
        for key in ("answered", "unanswered", "orphan_results", "error_results", "names_without_superseded")
    }
    # a call written again with the same name and arguments is one call (calls.md 7.1): fewer are superseded
    merged = trial["superseded"] - len(left)
    assert merged >= 0
    assert bool(merged) == any(note.code == "call_repeated_in_file" for run in runs for note in run.notes)
    assert all(call.result is None for call in left)


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial["run"])
def test_what_lies_beside_a_trial_reaches_its_runs(trial: dict[str, Any]) -> None:
    folder = SHARED / "cases" / "claude_tb2" / trial["run"]
    (entry,) = [entry for entry in index([folder]) if entry.state == "run"]
    _, runs = open_entry(entry)
    passed = trial["reward"] >= 1
    assert {(run.outcome, run.score, run.judged_by) for run in runs} == {
        ("passed" if passed else "failed", trial["reward"], "verifier")
    }
    assert entry.facts.task == trial["task"]
    codes = {note.code for run in runs for note in run.notes}
    assert ("exception_beside" in codes) == (trial["exception"] is not None)
    timed_out = trial["exception"] is not None and "AgentTimeoutError" in trial["exception"]
    assert (runs[-1].ending == "timeout") == timed_out
    assert ({"second_view", "views_differ"} & codes != set()) == (trial["atif"] is not None)


@pytest.mark.parametrize("trial", [trial for trial in TRIALS if trial["atif"]], ids=lambda trial: trial["run"])
def test_stream_and_atif_of_a_trial_have_the_same_calls(trial: dict[str, Any]) -> None:
    """The converter orders parallel calls by their results and leaves out a call without a name: no order here."""
    folder = SHARED / "cases" / "claude_tb2" / trial["run"]
    _, stream = read(folder / "stream.jsonl")
    _, atif = read(folder / "atif.json")
    assert len(calls_of(atif)) == trial["atif"]["calls"]
    named = Counter((call.id, call.name) for run in stream for call in run.calls if call.raw_name != "")
    assert Counter((call.id, call.name) for call in calls_of(atif)) == named


# -- exactly one acceptor ------------------------------------------------------------------------------------------


def every_input() -> list[Path]:
    recorded = [SHARED / "recorded" / entry["file"] for entry in RECORDED]
    real = [SHARED / "cases" / entry["file"] for entry in REAL]
    trials = [
        path for trial in TRIALS for path in sorted((SHARED / "cases" / "claude_tb2" / trial["run"]).glob("*.json*"))
    ]
    return [*recorded, *real, *trials, *map(bug_input, BUGS)]


def test_exactly_one_format_accepts_each_file(shared: Path) -> None:
    none, several = [], []
    for path in every_input():
        name = path.relative_to(shared).as_posix()
        try:
            source = Source.open(path)
        except ViewerError as error:
            none.append(f"{name}: {error}")
            continue
        found = formats.acceptors(source)
        if len(found) > 1:
            several.append((name, found))
        elif not found and name.removeprefix("cases/") not in NO_RUN:
            none.append(name)
    assert not several
    without = {f"recorded/{entry['file']}" for entry in RECORDED if entry["tool_names_in_order"] is None}
    assert not set(none) - without
