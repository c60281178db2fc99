"""mini-SWE-agent: commands in fences, commands as tool calls, and replies that the harness refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.places import SAMPLE_RUNS
from viewer import formats
from viewer.model import Trajectory
from viewer.source import Source

SAMPLES = SAMPLE_RUNS / "mini_swe_agent"


def read(value: Any) -> Trajectory:
    (run,) = formats.read(Source("run.traj.json", json.dumps(value).encode()))
    return run


def fenced(*commands: str, word: str = "bash") -> dict[str, Any]:
    return {"role": "assistant", "content": "".join(f"So:\n```{word}\n{command}\n```\n" for command in commands)}


def printed(code: int, output: str) -> dict[str, Any]:
    return {"role": "user", "content": f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>"}


@pytest.mark.parametrize("word", ["bash", "mswea_bash_command"])
def test_one_fence_is_a_call_and_the_next_message_its_result(word: str) -> None:
    run = read([{"role": "user", "content": "go"}, fenced("ls", word=word), printed(2, "no")])
    (call,) = run.calls
    assert (call.name, call.kind, call.arguments, call.state) == ("bash", "shell", {"command": "ls"}, "error")
    assert call.result is not None and (call.result.text, call.result.exit_code) == ("no", 2)
    assert [step.role for step in run.steps] == ["user", "model"]
    assert run.steps[1].text == "So:"


def test_none_or_several_fences_run_nothing() -> None:
    complaint = {"role": "user", "content": "Please write exactly one command."}
    run = read([fenced("a", "b"), complaint, fenced(), complaint, fenced("c"), printed(0, "")])
    assert [call.arguments for call in run.calls] == [{"command": "c"}]
    assert sum(note.code == "format_error" for note in run.notes) == 2
    assert [step.role for step in run.steps] == ["model", "environment", "model", "environment", "model"]


def test_what_the_submitting_command_printed_is_its_result() -> None:
    run = read([fenced("ls"), printed(0, "a"), fenced("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),
                {"role": "user", "content": "diff --git a/x b/x"}])  # fmt: skip
    assert [call.state for call in run.calls] == ["ok", "ok"]
    assert run.ending == "ended"


def test_a_killed_command_timed_out() -> None:
    killed = "The last command <command>sleep 9</command> timed out and has been killed."
    run = read([fenced("ls"), printed(0, "a"), fenced("sleep 9"), {"role": "user", "content": killed}])
    assert run.calls[-1].state == "timeout"


def test_refused_replies_are_calls_that_failed() -> None:
    """They stand only in the complaint; every converter to another format drops them."""
    (run,) = formats.read(Source.open(SAMPLES / "format-error.traj.json"))
    refused = run.calls[-3:]
    assert [(call.name, call.state) for call in refused] == [("web_search", "error")] * 3
    assert all(call.result and "Unknown tool 'web_search'" in call.result.text for call in refused)
    assert len({call.id for call in refused}) == 1
    assert (run.ending, run.ending_text) == ("error", "RepeatedFormatError")


def test_the_whole_output_is_read_and_not_its_cut_copy() -> None:
    (run,) = formats.read(Source.open(SAMPLES / "good.traj.json"))
    first = run.calls[0]
    assert first.result is not None
    assert first.result.text.startswith('     1\t"""Tiny statistics helpers."""')
    assert first.result.exit_code == 0
    assert run.calls[2].state == "error"


def test_the_submitting_command_was_never_run() -> None:
    (run,) = formats.read(Source.open(SAMPLES / "good.traj.json"))
    assert run.calls[-1].state == "interrupted"
    assert run.claim is not None and run.claim.startswith("Fixed median()")


def test_commands_of_a_reply_run_one_after_the_other() -> None:
    (run,) = formats.read(Source.open(SAMPLES / "good.traj.json"))
    first, second = run.calls[:2]
    assert first.step == second.step
    assert first.ended == second.started
    assert all(call.duration is not None and call.duration >= 0 for call in run.calls)


@pytest.mark.parametrize(
    ("file", "calls", "refused"),
    [("gemini3-django-12143.traj.json", 27, 0), ("gemini3-django-15629-600k.traj.json", 49, 2),
     ("repo-github-issue.traj.json", 10, 0)],
)  # fmt: skip
def test_real_files_have_a_call_for_every_reply_with_one_command(
    shared: Path, file: str, calls: int, refused: int
) -> None:
    (run,) = formats.read(Source.open(shared / "cases" / "real" / "mini-swe" / file))
    assert len(run.calls) == calls
    assert sum(note.code == "format_error" for note in run.notes) == refused
    assert {call.state for call in run.calls} <= {"ok", "ok_empty", "error"}
    assert run.coverage.not_understood == 0
