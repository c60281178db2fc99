"""Kimi's three files of one run, and Qwen Code's chat."""

from typing import Any

from tests.places import SAMPLE_RUNS
from tests.rows import codes, run
from viewer import formats
from viewer.model import ToolCall, Trajectory
from viewer.source import Source


def sample(path: str) -> Trajectory:
    (only,) = formats.read(Source.open(SAMPLE_RUNS / path))
    return only


def wire(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": 1_767_000_000.5, "message": {"type": kind, "payload": payload}}


def asked(identity: str, name: str = "Shell", arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function", "id": identity, "function": {"name": name, "arguments": arguments}}


def returned(identity: str, **value: Any) -> dict[str, Any]:
    return wire("ToolResult", tool_call_id=identity, return_value=value)


def loop(kind: str, **event: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "time": 1_767_000_000_000, "event": {"type": kind, **event}}


def error_of(call: ToolCall) -> tuple[str, int | None]:
    assert call.result is not None
    return call.state, call.result.exit_code


def test_wire_and_stream_of_one_run_tell_the_same_calls() -> None:
    for name in ("good", "looping"):
        whole, stream = sample(f"kimi_cli_wire/{name}.jsonl"), sample(f"kimi_chat/{name}.stream.jsonl")
        assert [call.id for call in whole.calls] == [call.id for call in stream.calls]
        assert [call.raw_name for call in whole.calls] == [call.raw_name for call in stream.calls]
        assert [call.arguments for call in whole.calls] == [call.arguments for call in stream.calls]
        assert [error_of(call) for call in whole.calls] == [error_of(call) for call in stream.calls]
        assert (stream.task, stream.usage) == (None, None)
        assert whole.task


def test_a_bare_name_gets_the_server_that_has_the_tool() -> None:
    for path in ("kimi_cli_wire/good.jsonl", "kimi/good.jsonl", "qwen_code/good.jsonl"):
        (call,) = [call for call in sample(path).calls if call.server]
        assert (call.name, call.server, call.kind) == ("lint_line_lengths", "lint", "mcp")


def test_kimi_clis_remark_states_errors_and_comes_off() -> None:
    def answer(text: str) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": text}]}

    def call(text: str) -> ToolCall:
        thinking = [{"type": "think", "think": "hm"}]
        (only,) = run({"role": "assistant", "content": thinking, "tool_calls": [asked("a")]}, answer(text)).calls
        return only

    failed = call("<system>ERROR: Command failed with exit code: 3.</system>\nout")
    assert failed.result is not None
    assert (failed.state, failed.result.exit_code, failed.result.text) == ("error", 3, "out")
    assert call("<system>All fine.</system>").state == "ok"
    assert call("<system>All fine.</system>\nCommand failed with exit code: 3.").state == "ok"


def test_the_wire_of_kimi_cli() -> None:
    read = run(
        {"type": "metadata", "protocol_version": "1.10"},
        wire("TurnBegin", user_input=[{"type": "text", "text": "go"}]),
        wire("StepBegin", n=1),
        wire("ToolCall", **asked("a", "Shell", '{"com')),
        wire("ToolCallPart", arguments_part='mand": "ls"}'),
        wire("StatusUpdate", token_usage={"input_other": 5, "output": 1, "input_cache_read": 2}),
        returned("a", is_error=True, output="", message="Command failed with exit code: 7."),
        wire("StepBegin", n=2),
        wire("StepInterrupted"),
    )
    assert [(call.arguments, error_of(call)) for call in read.calls] == [({"command": "ls"}, ("error", 7))]
    assert read.usage is not None
    assert (read.usage.input_tokens, read.ending) == (7, "interrupted")


def test_a_sub_agents_events_belong_to_the_call_that_started_it() -> None:
    def inner(kind: str, **payload: Any) -> dict[str, Any]:
        return wire("SubagentEvent", parent_tool_call_id="t", event={"type": kind, "payload": payload})

    read = run(
        wire("StepBegin", n=1),
        wire("ToolCall", **asked("t", "Task")),
        inner("StepBegin", n=1),
        inner("ToolCall", **asked("k", "ReadFile")),
        inner("ToolResult", tool_call_id="k", return_value={"is_error": False, "output": "x"}),
        returned("t", is_error=False, output="done"),
        wire("TurnEnd"),
    )
    assert [(call.name, call.agent, call.parent, call.state) for call in read.calls] == [
        ("Task", None, None, "ok"),
        ("ReadFile", "t", 0, "ok"),
    ]


def test_kimi_code_counts_usage_once_and_tells_turns_from_injections() -> None:
    def said(text: str, origin: str) -> dict[str, Any]:
        message = {"role": "user", "content": [{"type": "text", "text": text}], "origin": {"kind": origin}}
        return {"type": "context.append_message", "message": message}

    used = {"inputOther": 5, "output": 1, "inputCacheRead": 2}
    record = {"type": "usage.record", "usage": used}
    rows = (said("date", "injection"), said("go", "user"), loop("step.begin", uuid="s"), record)
    assert "truncated" in codes(run(*rows))
    without = run(*rows)
    with_end = run(*rows, loop("step.end", uuid="s", usage=used, finishReason="end_turn"))
    for read in (without, with_end):
        assert read.task == "go"
        assert read.usage is not None
        assert read.usage.input_tokens == 7
    assert with_end.ending == "ended"
    assert [step.marker for step in with_end.steps] == ["harness", None, None]


def test_kimi_code_calls_and_cancelled_turns() -> None:
    read = run(
        {"type": "turn.prompt", "input": [{"type": "text", "text": "go"}]},
        loop("step.begin", uuid="s"),
        loop("tool.call", stepUuid="s", toolCallId="a", name="Bash", args={"command": "ls"}),
        loop("tool.result", toolCallId="a", result={"output": "x\nCommand failed with exit code: 2.", "isError": True}),
        loop("tool.call", stepUuid="s", toolCallId="b", name="Bash", args={"command": "ls"}),
        {
            "type": "agent.message.appended",
            "kind": "event",
            "message": {"role": "assistant", "toolCalls": [{"id": "a"}]},
        },
        {"type": "turn.cancel"},
    )
    assert (read.task, read.ending) == ("go", "interrupted")
    assert [call.state for call in read.calls] == ["error", "unanswered"]
    assert error_of(read.calls[0]) == ("error", 2)
    assert read.coverage.evidence == 2


def qwen(kind: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": "s", "message": {"parts": list(parts)}, **fields}


def test_qwen_tells_what_was_typed_from_what_a_hook_added() -> None:
    both = qwen("user", {"text": "go"}, {"text": "<hook>"}, systemPayload={"displayText": "go"})
    notice = qwen("user", {"text": "done in the background"}, subtype="notification")
    read = run(both, qwen("assistant", {"text": "ok"}), notice)
    assert read.task == "go"
    assert [(step.role, step.marker) for step in read.steps] == [
        ("user", None),
        ("model", None),
        ("environment", "notification"),
    ]


def test_qwen_results_state_how_they_ended() -> None:
    call = {"functionCall": {"id": "a", "name": "run_shell_command", "args": {}}}
    output = "Command: x\nDirectory: (root)\nOutput: y\nError: (none)\nExit Code: 1\nSignal: 0\nProcess Group PGID: 5"

    def ended(status: str, response: dict[str, Any]) -> ToolCall:
        answer = {"functionResponse": {"id": "a", "name": "run_shell_command", "response": response}}
        row = qwen("tool_result", answer, toolCallResult={"callId": "a", "status": status})
        (only,) = run(qwen("assistant", call), row).calls
        return only

    failed = ended("success", {"output": output})
    assert failed.result is not None
    assert (failed.state, failed.result.text, failed.result.exit_code) == ("error", "y", 1)
    assert ended("error", {"error": "no"}).state == "error"
    assert ended("cancelled", {"output": "stopped"}).state == "interrupted"
