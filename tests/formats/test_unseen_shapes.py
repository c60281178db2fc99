"""Shapes met in public files after the readers were written, made by hand as small as they come."""

from typing import Any

import pytest

from tests.rows import lines, run
from viewer import formats
from viewer.errors import UnknownFormat


def rollout(kind: str, type: str = "event_msg", **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-08-03T10:48:56Z", "type": type, "payload": {"type": kind, **payload}}


def item(kind: str, **payload: Any) -> dict[str, Any]:
    return rollout(kind, "response_item", **payload)


def test_a_codex_call_that_went_on_after_the_turn_was_stopped_says_itself_how_it_ended() -> None:
    read = run(
        item("function_call", name="shell", arguments="{}", call_id="a"),
        item("web_search_call", status="completed", action={"type": "search", "query": "q"}),
        item("function_call", name="shell", arguments="{}", call_id="b"),
        rollout("turn_aborted", reason="interrupted"),
        item("function_call_output", call_id="a", output="a.txt"),
        rollout("task_complete"),
    )
    assert [call.state for call in read.calls] == ["ok", "ok", "interrupted"]
    assert (read.ending, read.ending_text) == ("ended", None)


def test_a_log_with_session_ids_is_not_gemini_clis_stream() -> None:
    head = {"sessionId": "s", "timestamp": 1_777_651_201}
    with pytest.raises(UnknownFormat):
        formats.detect(
            lines(
                {"type": "session_start", **head},
                {"type": "message", "role": "user", "content": "Read a.py.", **head},
                {"type": "function_call", "name": "read_file", "arguments": {"path": "a.py"}, **head},
                {"type": "function_call_result", "name": "read_file", "output": "print()", **head},
            )
        )


def test_langsmith_names_the_model_and_the_instructions_that_stand_beside_the_input() -> None:
    read = run(
        {
            "id": "1", "trace_id": "1", "run_type": "llm", "dotted_order": "1", "end_time": "2026-07-10T12:00:02Z",
            "extra": {"metadata": {"ls_model_name": "gpt-4.1"}},
            "inputs": {"instructions": "Be brief.", "input": [{"role": "user", "content": "What time is it?"}]},
            "outputs": {"output": [{"type": "function_call", "call_id": "c", "name": "get_time", "arguments": "{}"}]},
        }
    )  # fmt: skip
    assert read.model == "gpt-4.1"
    assert [(step.role, step.text) for step in read.steps[:2]] == [
        ("system", "Be brief."),
        ("user", "What time is it?"),
    ]


def qwen(uuid: str, parent: str | None, type: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    role = "model" if type == "assistant" else "user"
    return {
        "uuid": uuid, "parentUuid": parent, "sessionId": "s", "type": type,
        "message": {"role": role, "parts": list(parts)}, **more,
    }  # fmt: skip


def test_what_a_rewind_of_qwen_code_left_behind_is_an_abandoned_branch() -> None:
    call = {"functionCall": {"id": "c", "name": "read_file", "args": {}}}
    read = run(
        qwen("1", None, "user", {"text": "Begin."}),
        qwen("2", "1", "assistant", {"text": "Left."}, call),
        {"uuid": "3", "parentUuid": "1", "sessionId": "s", "type": "system", "subtype": "rewind"},
        qwen("4", "3", "user", {"text": "Again."}, subtype="mid_turn_user_message"),
        qwen("5", "4", "assistant", {"text": "Kept."}, call),
    )
    assert [(step.role, step.line) for step in read.steps] == [
        ("user", "main"), ("model", "abandoned"), ("user", "main"), ("model", "main"),
    ]  # fmt: skip
    assert [call.line for call in read.calls] == ["abandoned", "main"]


def test_a_copilot_session_that_goes_on_has_not_ended() -> None:
    def row(kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "data": data, "timestamp": "2025-12-18T21:32:04Z"}

    start, asked = row("session.start", sessionId="s"), row("user.message", content="Go on.")
    said = row("assistant.message", content="Done.", toolRequests=[])
    assert run(start, asked, said, row("session.shutdown", shutdownType="routine"), asked, said).ending is None
    assert run(start, asked, row("abort"), asked, said, row("session.shutdown")).ending == "ended"


def test_the_row_of_a_result_names_the_sub_agent_it_answers_for() -> None:
    def row(type: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"type": type, "sessionId": "s", "isSidechain": False, "message": {"content": content}, **more}

    read = run(
        row("assistant", [{"type": "tool_use", "id": "t", "name": "Task", "input": {"prompt": "Look."}}]),
        row("user", [{"type": "tool_result", "tool_use_id": "t", "content": "Seen."}], agentId="e1"),
        row("assistant", [{"type": "tool_use", "id": "u", "name": "Grep", "input": {}}], agentId="e1")
        | {"isSidechain": True},
    )
    assert (read.calls[1].agent, read.calls[1].parent) == ("e1", 0)
