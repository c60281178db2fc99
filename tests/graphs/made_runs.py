"""Small runs written by hand and large ones from a seed, made through the same draft that every reader uses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from viewer.draft import CallDraft, Draft
from viewer.model import Trajectory, Where
from viewer.source import Source
from viewer.tool_calls import FoundCall, FoundResult


class Made(NamedTuple):
    """A call to be made. ``exit_code`` None: the result states nothing. ``by`` names the sub-agent."""

    name: str
    arguments: dict[str, Any]
    exit_code: int | None = None
    status: Any = None
    answered: bool = True
    by: str | None = None
    started: float | None = None
    seconds: float | None = None
    starts: str | None = None
    """The sub-agent that this call starts."""


def bash(command: str, exit_code: int | None = 0, **fields: Any) -> Made:
    return Made("Bash", {"command": command}, exit_code, **fields)


def read(path: str, **fields: Any) -> Made:
    return Made("Read", {"file_path": path}, **fields)


def edit(path: str, new: str = "b", **fields: Any) -> Made:
    return Made("Edit", {"file_path": path, "old_string": "a", "new_string": new}, **fields)


def run(*made: Made, directory: str | None = "/project", output: bool = True) -> Trajectory:
    """A trajectory of these calls, one step a call."""
    draft = Draft(Source("made.jsonl", b"{}\n"))
    draft.directory = directory
    started: dict[str, CallDraft] = {}
    for row, call in enumerate(made):
        where = Where(row=row)
        step = draft.step("model", where, agent=call.by)
        result = None
        if call.answered:
            failed = None if call.exit_code is None else call.exit_code != 0
            result = FoundResult(
                text=f"output {row if output else ''}",
                exit_code=call.exit_code or None,
                is_error=failed,
                status=call.status,
            )
        ended = None if call.started is None or call.seconds is None else call.started + call.seconds
        drafted = draft.call(
            step,
            FoundCall(name=call.name, arguments=call.arguments, result=result, started=call.started, ended=ended),
            where,
        )
        if call.starts:
            started[call.starts] = drafted
    draft.delegations.update(started)
    draft.ending = "ended"
    return draft.finish("made", "made")


_FILES = [f"src/acme/{name}.py" for name in "app models users routes cache mail search serializers tasks views".split()]
_SOUGHT = ["def create_user", "class User", r"session\.commit", "TODO", "import requests"]
_TESTS = ["python -m pytest -q", "python -m pytest tests/test_users.py -x", "python -m pytest tests/test_mail.py"]
_SHELL = ["git status", "git diff", "pip install -e .", "ls -la src", "cat pyproject.toml", "npm run build"]


def random_calls(count: int, seed: int = 7, *, sub_agents: bool = True) -> Iterator[Made]:
    """A run as agents make them: look around, edit, test; now and then a loop, a denial, a sub-agent."""
    choose = random.Random(seed)
    clock, made, edits, agents = 1_700_000_000.0, 0, 0, 0
    pending: list[Made] = []
    while made < count:
        if not pending:
            what = choose.random()
            if what < 0.40:
                pending += [read(choose.choice(_FILES)) for _ in range(choose.randint(1, 4))]
            elif what < 0.52:
                pending.append(Made("Grep", {"pattern": choose.choice(_SOUGHT), "path": "src"}, None))
            elif what < 0.70:
                edits += 1
                pending.append(edit(choose.choice(_FILES), f"v{edits}", exit_code=int(choose.random() < 0.1)))
                pending.append(bash(choose.choice(_TESTS), int(choose.random() < 0.4)))
            elif what < 0.78:
                pending += [bash(choose.choice(_TESTS), 1)] * choose.randint(2, 14)
            elif what < 0.82:
                first, second = bash("cat status.txt"), bash("make status", 1)
                pending += [first, second] * choose.randint(2, 5)
            elif what < 0.94:
                pending.append(bash(choose.choice(_SHELL), int(choose.random() < 0.15)))
            elif what < 0.97:
                pending.append(
                    Made("WebFetch", {"url": f"https://docs.example.org/{choose.randint(1, 9)}"}, status="denied")
                )
            elif sub_agents:
                agents += 1
                name = f"agent-{agents}"
                pending.append(Made("Task", {"prompt": f"Explore {choose.choice(_FILES)}"}, None, starts=name))
                pending += [read(choose.choice(_FILES), by=name) for _ in range(choose.randint(2, 6))]
        if pending:
            call = pending.pop(0)
            clock += choose.expovariate(1 / 4) + (choose.random() < 0.002) * 4_000
            seconds = choose.expovariate(1 / 2)
            yield call._replace(started=clock, seconds=seconds)
            clock += seconds
            made += 1


def random_run(count: int, seed: int = 7, **fields: Any) -> Trajectory:
    """A run of ``count`` calls; the same seed makes the same run."""
    return run(*random_calls(count, seed, **fields))
