"""Which files a run read and edited, and what its tests said: by effect, so that ``cat`` and ``sed -i`` count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from viewer.analysis.errors import failed_checks
from viewer.analysis.scope import WORKED, main_calls
from viewer.model import ToolCall, Trajectory
from viewer.tool_calls import Effect, effects, paths
from viewer.tool_calls.effect import relative, shared_directory


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUse:
    """A file with the calls that used it and ended ok, and those that did not."""

    path: str
    calls: tuple[int, ...]
    failed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RanTests:
    """Calls that ran tests, linters or type checkers. ``last`` is the last one, ``last_result`` what it said.

    passed: ended ok; failed: the tests ran and failed; suspect: ended ok, but the text reads like a failure;
    broken: did not get to run (an error of another sort, denied, timed out, unanswered).
    """

    calls: tuple[int, ...]
    passed: int
    failed: int
    last: int | None
    last_result: Literal["passed", "failed", "suspect", "broken"] | None


def files_read(trajectory: Trajectory) -> tuple[FileUse, ...]:
    """By number of ok calls, then by first use."""
    return _used(trajectory, ("read",))


def files_edited(trajectory: Trajectory) -> tuple[FileUse, ...]:
    """By number of ok calls, then by first use; a call that edits several files counts for each."""
    return _used(trajectory, ("edit", "write"))


def ran_tests(trajectory: Trajectory) -> RanTests:
    """The test-like calls of the main line."""
    effect = effects(trajectory)
    checks = failed_checks(trajectory)
    calls = [call for call in main_calls(trajectory) if effect[call.index].effect == "test"]
    results = [_result(call, checks) for call in calls]
    return RanTests(
        calls=tuple(call.index for call in calls),
        passed=results.count("passed"),
        failed=results.count("failed"),
        last=calls[-1].index if calls else None,
        last_result=results[-1] if results else None,
    )


def _result(call: ToolCall, checks: frozenset[int]) -> Literal["passed", "failed", "suspect", "broken"]:
    if call.state in WORKED:
        return "suspect" if call.result is not None and call.result.suspect else "passed"
    return "failed" if call.index in checks else "broken"


def _used(trajectory: Trajectory, kinds: Sequence[str]) -> tuple[FileUse, ...]:
    effect = effects(trajectory)
    directory = trajectory.directory or shared_directory(trajectory.calls)
    ok: dict[str, list[int]] = {}
    failed: dict[str, list[int]] = {}
    for call in main_calls(trajectory):
        does = effect[call.index]
        if does.effect in kinds:
            for path in _paths(call, does, directory):
                ok.setdefault(path, [])
                failed.setdefault(path, [])
                (ok if call.state in WORKED else failed)[path].append(call.index)
    uses = (FileUse(path=path, calls=tuple(calls), failed=tuple(failed[path])) for path, calls in ok.items())
    return tuple(sorted(uses, key=lambda use: -len(use.calls)))


def _paths(call: ToolCall, effect: Effect, directory: str | None) -> tuple[str, ...]:
    if call.kind == "shell":
        return (effect.target,) if effect.target else ()
    return tuple(dict.fromkeys(relative(path, directory) for path in paths(call)))
