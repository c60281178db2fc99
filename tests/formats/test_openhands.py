"""OpenHands, both generations: what is a call, what answers it, and a conversation that is a folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.places import SAMPLE_RUNS
from viewer import formats
from viewer.model import Trajectory
from viewer.source import Source

SAMPLES = SAMPLE_RUNS / "openhands_v1"


def read(value: Any, *companions: Any) -> Trajectory:
    beside = tuple(Source("base_state.json", json.dumps(one).encode()) for one in companions)
    (run,) = formats.read(Source("events.json", json.dumps(value).encode(), beside))
    return run


def action(number: int, name: str, source: str = "agent", reply: str | None = None, **args: Any) -> dict[str, Any]:
    event = {"id": number, "source": source, "action": name, "args": args, "timestamp": f"2026-01-01T00:00:0{number}"}
    if reply is not None:
        response = {"id": reply, "usage": {"prompt_tokens": 10, "completion_tokens": 1}}
        event["tool_call_metadata"] = {"function_name": "execute_bash", "tool_call_id": f"t{number}",
                                       "model_response": response}  # fmt: skip
    return event


def observed(number: int, cause: int, kind: str = "run", content: str = "x", **extras: Any) -> dict[str, Any]:
    return {"id": number, "source": "agent", "cause": cause, "observation": kind, "content": content, "extras": extras}


def test_actions_of_one_response_are_one_step_with_one_usage() -> None:
    run = read([action(1, "run", reply="r", command="ls", thought="so"), observed(2, 1),
                action(3, "run", reply="r", command="pwd", thought="so", hidden=False), observed(4, 3)])  # fmt: skip
    (step,) = run.steps
    assert (step.text, step.calls) == ("so", (0, 1))
    assert [call.arguments for call in run.calls] == [{"command": "ls"}, {"command": "pwd"}]
    assert run.usage is not None and run.usage.input_tokens == 10


@pytest.mark.parametrize(
    ("observation", "state"),
    [
        (observed(2, 1, metadata={"exit_code": 0}), "ok"),
        (observed(2, 1, metadata={"exit_code": 1}), "error"),
        (observed(2, 1, metadata={"exit_code": -1}), "timeout"),
        (observed(2, 1, "error"), "error"),
        (observed(2, 1, "user_rejected"), "denied"),
        (observed(2, 1, content=""), "ok_empty"),
        (observed(2, 9), "unanswered"),
    ],
)
def test_an_observation_says_how_an_action_ended(observation: dict[str, Any], state: str) -> None:
    assert [call.state for call in read([action(1, "run", command="ls"), observation]).calls] == [state]


def test_what_the_user_runs_and_what_the_harness_does_are_no_calls() -> None:
    run = read([action(1, "message", "user", content="go"), action(2, "run", "user", command="ls"), observed(3, 2),
                action(4, "recall"), observed(5, 4, "recall"), action(6, "change_agent_state"),
                action(7, "message", content="done"), action(8, "finish", thought="bye")])  # fmt: skip
    assert [(call.name, call.kind) for call in run.calls] == [("finish", "finish")]
    assert run.coverage.not_understood == 0
    assert run.ending == "ended"


def test_an_evaluation_has_a_run_a_row_and_a_verdict() -> None:
    pairs = [[action(1, "run", command="ls"), observed(2, 1)]]
    rows = [{"instance_id": i, "history": pairs, "test_result": {"report": {"resolved": i == "a"}}} for i in "ab"]
    runs = formats.read(Source("output.jsonl", "\n".join(map(json.dumps, rows)).encode()))
    assert [(run.extra["instance"], run.outcome, len(run.calls)) for run in runs] == [
        ("a", "passed", 1), ("b", "failed", 1),
    ]  # fmt: skip


SEEN = {"kind": "ObservationEvent", "action_id": "e1"}


def made(**fields: Any) -> dict[str, Any]:
    return {"kind": "ActionEvent", "id": "e1", "source": "agent", "tool_name": "terminal", "tool_call_id": "c1",
            "action": {"kind": "TerminalAction", "command": "ls", "timeout": None}, **fields}  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ({**SEEN, "observation": {"content": [{"type": "text", "text": "x"}]}}, "ok"),
        ({"kind": "ObservationEvent", "tool_call_id": "c1", "observation": {"content": []}}, "ok_empty"),
        ({**SEEN, "observation": {"content": "x", "is_error": False, "exit_code": 1}}, "error"),
        ({**SEEN, "observation": {"content": "x", "exit_code": -1, "timeout": True}}, "timeout"),
        ({**SEEN, "observation": "x"}, "ok"),
        ({"kind": "AgentErrorEvent", "tool_call_id": "c1", "error": "no such tool"}, "error"),
        ({"kind": "UserRejectObservation", "action_id": "e1", "rejection_reason": "no"}, "denied"),
        ({"kind": "ObservationEvent", "observation": {"content": "Environment ready."}}, "unanswered"),
    ],
)  # fmt: skip
def test_an_event_says_how_a_call_ended(answer: dict[str, Any], state: str) -> None:
    run = read([made(), {"id": "e2", "source": "environment", **answer}])
    assert [call.state for call in run.calls] == [state]
    assert run.calls[0].arguments == {"command": "ls"}


def test_an_unknown_tool_keeps_the_arguments_the_model_wrote() -> None:
    called = {"name": "web_lookup", "arguments": '{"query": "q"}'}
    run = read([made(tool_name="web_lookup", action=None, tool_call=called)])
    assert [(call.name, call.arguments) for call in run.calls] == [("web_lookup", {"query": "q"})]


def test_the_only_declared_server_owns_the_remote_tools() -> None:
    remote = made(tool_name="line_lengths", action={"kind": "MCPToolAction", "data": {"path": "a"}})
    state = {"execution_status": "stuck", "agent": {"mcp_config": {"lint": {}}}, "stats": {}}
    run = read([remote], state)
    assert [(call.name, call.server, call.arguments) for call in run.calls] == [
        ("lint_line_lengths", "lint", {"path": "a"})
    ]
    assert (run.ending, run.ending_text) == ("error", "stuck")
    two = {**state, "agent": {"mcp_config": {"mcpServers": {"lint": {}, "web": {}}}}}
    run = read([remote], two)
    assert [(call.name, call.kind) for call in run.calls] == [("line_lengths", "mcp")]


def test_a_conversation_is_the_same_as_a_folder_and_as_a_list() -> None:
    folder = SAMPLES / "good.conversation"
    first, *others = sorted((folder / "events").glob("*.json"))
    beside = tuple(Source.open(path) for path in [*others, folder / "base_state.json"])
    (one,) = formats.read(Source.open(first, companions=beside))
    (other,) = formats.read(
        Source.open(SAMPLES / "good.events.json", companions=(Source.open(SAMPLES / "good.base_state.json"),))
    )
    assert [(c.id, c.name, c.signature, c.state) for c in one.calls] == [
        (c.id, c.name, c.signature, c.state) for c in other.calls
    ]
    assert [(s.role, s.text, s.usage, s.model_seconds) for s in one.steps] == [
        (s.role, s.text, s.usage, s.model_seconds) for s in other.steps
    ]
    assert (one.usage, one.ending, one.model) == (other.usage, other.ending, other.model)
    assert one.coverage.rows == other.coverage.rows == 15


def test_a_run_that_reached_its_limit_says_so() -> None:
    (run,) = formats.read(Source.open(SAMPLES / "max-iterations.events.json"))
    assert (run.ending, run.ending_text) == ("limit", "MaxIterationsReached")


def test_what_was_condensed_stays() -> None:
    (run,) = formats.read(Source.open(SAMPLES / "condensed.events.json"))
    assert [step.marker for step in run.steps if step.marker] == ["compaction"]
    assert len(run.calls) == 6


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("openhands/runtime-gui-mode.json",
         ["execute_bash", "str_replace_editor", "str_replace_editor", "execute_bash"]),
        ("openhands/runtime-wrong-initial-state.json",
         ["str_replace_editor", "execute_bash", "str_replace_editor", "finish"]),
        ("openhands-v1/sdk-goal-events.jsonl", ["terminal", "terminal"]),
        ("openhands-v1/letta-cleanup.json", ["unknown"]),
    ],
)  # fmt: skip
def test_real_files_have_their_calls(shared: Path, file: str, names: list[str]) -> None:
    (run,) = formats.read(Source.open(shared / "cases" / "real" / file))
    assert [call.name for call in run.calls] == names
    assert (run.coverage.not_understood, run.coverage.evidence) == (0, len(names))
