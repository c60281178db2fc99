"""OpenCode: the log and the export of one run, calls that grow, and sessions inside sessions."""

from typing import Any

from tests.places import SAMPLE_RUNS
from tests.rows import codes, lines, run, runs
from viewer import formats
from viewer.model import ToolCall, Trajectory
from viewer.source import Source


def sample(path: str, *companions: str) -> Trajectory:
    beside = tuple(Source.open(SAMPLE_RUNS / name) for name in companions)
    (only,) = formats.read(Source.open(SAMPLE_RUNS / path, companions=beside))
    return only


def part(kind: str, identity: str, message: str = "m", session: str = "s", **fields: Any) -> dict[str, Any]:
    told = {"id": identity, "type": kind, "messageID": message, "sessionID": session, **fields}
    return {"type": kind.replace("-", "_"), "sessionID": session, "timestamp": 1_767_000_000_000, "part": told}


def tool(identity: str, name: str = "bash", message: str = "m", session: str = "s", **state: Any) -> dict[str, Any]:
    return part("tool", identity, message, session, callID=f"call_{identity}", tool=name, state=state)


def done(command: str = "ls", output: str = "x", **metadata: Any) -> dict[str, Any]:
    return {"status": "completed", "input": {"command": command}, "output": output, "metadata": metadata}


def only(*rows: Any) -> ToolCall:
    (call,) = run(*rows).calls
    return call


def test_run_and_export_of_one_run_tell_the_same_calls() -> None:
    for name in ("good", "looping", "subagent"):
        log, export = sample(f"opencode_run/{name}.jsonl"), sample(f"opencode_export/{name}.json")
        facts = [
            [(call.id, call.name, call.arguments, call.state, call.result and call.result.text) for call in read.calls]
            for read in (log, export)
        ]
        assert facts[0] == facts[1]
        assert log.usage is not None
        assert export.usage is not None
        assert (log.usage.input_tokens, log.usage.output_tokens) == (
            export.usage.input_tokens,
            export.usage.output_tokens,
        )
        assert (log.ending, log.claim) == (export.ending, export.claim)
        assert (log.task, log.model, log.directory) == (None, None, None)  # the log cannot tell them
        assert (export.model, export.directory) == ("scripted-model", "/workspace/project")


def test_a_refused_call_has_the_name_the_model_meant() -> None:
    call = only(
        tool("p", "invalid", status="completed", input={"tool": "web_lookup", "error": "no"}, output="invalid: no")
    )
    assert (call.name, call.raw_name, call.kind, call.state) == ("web_lookup", "invalid", "other", "error")
    assert only(tool("p", "invalid", status="completed", input={}, output="")).name == "invalid"


def test_how_calls_end() -> None:
    timed_out = "x\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 5 ms\n</bash_metadata>"
    rejected = "The user rejected permission to use this specific tool call."
    for state, expected in (
        (done(exit=0), "ok"),
        (done(output="", exit=0), "ok_empty"),
        (done(exit=2), "error"),
        (done(output=timed_out), "timeout"),
        (done(output="exceeding timeout 5 ms"), "ok"),
        ({"status": "error", "input": {}, "error": "no"}, "error"),
        ({"status": "error", "input": {}, "error": "Tool execution aborted"}, "interrupted"),
        ({"status": "error", "input": {}, "error": rejected}, "denied"),
        ({"status": "running", "input": {}}, "running"),
    ):
        assert only(part("step-start", "a"), tool("p", **state)).state == expected, state
    both = only(tool("p", status="error", input={}, error="reason", output="said")).result
    assert both is not None
    assert both.text == "reason\nsaid"


def test_a_call_that_grows_is_one_call_at_its_first_place_in_its_last_state() -> None:
    def bus(row: dict[str, Any]) -> dict[str, Any]:
        return {"type": "message.part.updated", "properties": {"part": row["part"]}}

    read = run(
        bus(tool("p", status="pending", input={})),
        bus(part("text", "t", text="Hel")),
        bus(tool("q", **done("pwd"))),
        bus(part("text", "t", text="Hello")),
        tool("p", **done("ls")),
    )
    assert [(call.id, call.arguments) for call in read.calls] == [
        ("call_p", {"command": "ls"}),
        ("call_q", {"command": "pwd"}),
    ]
    assert read.calls[0].where.row == 4  # where its arguments and its result stand
    assert [step.text for step in read.steps] == ["Hello"]
    assert read.coverage.evidence == 2


def test_equal_call_ids_in_two_parts_are_two_calls() -> None:
    rows = [tool("p", message="m", **done()), tool("q", message="n", **done())]
    for row in rows:
        row["part"]["callID"] = "bash:0"
    assert len(run(*rows).calls) == 2


def test_texts_stand_in_the_order_in_which_they_began() -> None:
    late = part("text", "b", text="second", time={"start": 1_767_000_002_000})
    early = part("text", "a", text="first", time={"start": 1_767_000_001_000})
    assert run(late, early).steps[0].text == "first\n\nsecond"


def test_a_finished_step_counts_once() -> None:
    finish = part("step-finish", "f", reason="stop", tokens={"input": 5, "output": 2, "cache": {"read": 3}}, cost=0.5)
    read = run(part("step-start", "a"), finish, finish)
    assert read.usage is not None
    assert (read.usage.input_tokens, read.usage.cached_tokens, read.cost, read.ending) == (8, 3, 0.5, "ended")


def test_endings() -> None:
    start, cut = part("step-start", "a"), part("step-finish", "f", reason="tool-calls")
    error = {"type": "error", "error": {"name": "APIError", "data": {"message": "limit"}}}
    assert run(start).ending == "truncated"
    assert run(start, cut).ending == "truncated"
    assert run(start, cut, error).ending == "error"
    assert run(start, cut, error).ending_text == "APIError: limit"
    assert (
        run(start, error, part("step-start", "b", "n"), part("step-finish", "g", "n", reason="stop")).ending == "ended"
    )
    denied = run(start, tool("p", status="completed", input={}, output=""), {"type": "done", "rejected": ["call_p"]})
    assert (denied.ending, denied.calls[0].state) == ("ended", "denied")


def test_a_task_calls_session_is_its_sub_agent_and_another_session_a_run() -> None:
    task = tool("t", "task", status="completed", input={"prompt": "look"}, output="", metadata={"sessionId": "child"})
    child = tool("c", session="child", message="cm", **done("grep"))
    first, second = runs(task, child, tool("o", session="other", message="om", **done("pwd")))
    assert [(call.name, call.agent, call.parent) for call in first.calls] == [
        ("task", None, None),
        ("bash", "child", 0),
    ]
    assert [call.arguments for call in second.calls] == [{"command": "pwd"}]


def test_a_childs_export_beside_its_parent_follows_it() -> None:
    parent, child = "opencode_export/subagent.json", "opencode_export/subagent.child.json"
    together = sample(parent, child)
    alone = sample(child)
    assert [call.index for call in together.calls if call.agent] == [7]
    assert together.calls[7].parent == 3
    assert together.calls[3].kind == "agent"
    assert together.calls[7].where.source == 1
    assert alone.calls[0].id == together.calls[7].id
    assert alone.extra["parent_session"] == together.extra["session_id"]


def export(*messages: Any) -> dict[str, Any]:
    return {"info": {"id": "s", "time": {"created": 1_767_000_000_000}}, "messages": list(messages)}


def message(role: str, *parts: Any, **info: Any) -> dict[str, Any]:
    return {"info": {"id": f"{role}{len(parts)}", "role": role, **info}, "parts": list(parts)}


def test_the_exports_own_numbers_count_once_and_quotation_marks_come_off() -> None:
    asked = message("user", {"type": "text", "text": '"do it"', "id": "a"})
    finish = {"type": "step-finish", "id": "b", "reason": "stop", "tokens": {"input": 5, "output": 1}, "cost": 1}
    read = run(export(asked, message("assistant", finish, tokens={"input": 5, "output": 1}, cost=1, finish="stop")))
    assert read.task == "do it"
    assert read.usage is not None
    assert (read.usage.input_tokens, read.cost, read.ending) == (5, 1.0, "ended")


def test_an_export_that_stops_in_a_call_or_an_error() -> None:
    assert run(export(message("assistant", finish="tool-calls"))).ending == "truncated"
    aborted = run(export(message("assistant", error={"name": "MessageAbortedError", "data": {"message": "stop"}})))
    assert (aborted.ending, aborted.ending_text) == ("interrupted", "MessageAbortedError: stop")
    assert "never_started" in codes(run(export(message("user", {"type": "text", "text": "hi"}))))


def test_unknown_parts_are_counted() -> None:
    read = run(part("text", "a", text="x"), part("hologram", "b"))
    assert [unknown.type for unknown in read.coverage.unknown] == ["part hologram"]
    assert formats.acceptors(lines({"type": "tool_use", "name": "x"})) != ("opencode_run",)
