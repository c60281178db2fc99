"""Failed runs with the step a person blames, as trajectories: Who&When and AgentRx (../shared/labels/README.md).

Their runs are conversations: a speaker's message is a step, its agent the speaker's name. A terminal's message
("exitcode: 1 ...") is the result of a shell call of the step before, and a step of the environment beside it, so that
a step's index is the message's. Tau-bench's runs are chats with tool calls and go through ``viewer.dialects.chat``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viewer.analysis.diagnosis.categories import agent_rx
from viewer.dialects.chat import read_message
from viewer.draft import Draft
from viewer.model import Trajectory, Where
from viewer.source import Source
from viewer.tool_calls.found import FoundCall, FoundResult

SETS = ("algorithm_generated", "hand_crafted", "magentic_one", "tau_retail")
_SUFFIX = re.compile(r" \([^()]*\)$")
_EXIT = re.compile(r"exitcode: (\d+)")
_CODE = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledRun:
    """A run and its label. ``step`` is the 0-based index of the blamed message, ``agent`` who is blamed, folded.

    ``speakers`` has one name a message. ``category`` is AgentRx's label in one spelling, None in Who&When.
    """

    name: str
    trajectory: Trajectory
    speakers: tuple[str, ...]
    step: int
    agent: str
    category: str | None = None

    def message(self, step: int) -> int:
        """The message a step of the trajectory stands in."""
        return self.trajectory.steps[step].where.row


def labelled_runs(labels: Path, name: str) -> tuple[LabelledRun, ...]:
    """The runs of one set of ``SETS``, by file name (tau_retail: by task), which is the order halves are cut in."""
    if name in ("algorithm_generated", "hand_crafted"):
        files = sorted((labels / "who_and_when" / name).glob("*.json"), key=lambda path: path.name)
        return tuple(_who_and_when(path) for path in files)
    truths = json.loads((labels / "agentrx" / f"{name}_ground_truth.json").read_text())
    if name == "tau_retail":
        truths.sort(key=lambda truth: int(truth["trajectory_id"]))
        return tuple(_agent_rx(labels / "agentrx" / name / f"task_{t['trajectory_id']}.json", t) for t in truths)
    truths.sort(key=lambda truth: str(truth["trajectory_id"]))
    return tuple(_agent_rx(labels / "agentrx" / name / f"{t['trajectory_id']}.json", t) for t in truths)


def conversation(messages: list[dict[str, Any]], task: str | None = None, name: str = "run.json") -> Trajectory:
    """A conversation of speakers as a trajectory; the step of message n has index n."""
    draft = Draft(Source(name, json.dumps(messages).encode()))
    draft.task = task
    last = None
    for index, message in enumerate(messages):
        where, speaker, text = Where(row=index), speaker_of(message), message["content"] or ""
        draft.used(where)
        if _is_terminal(speaker):
            draft.step("environment", where, agent=speaker, texts=[text])
            code = _EXIT.match(text)
            if code and last is not None:
                result = FoundResult(text=text, exit_code=int(code[1]))
                written = "\n".join(_CODE.findall("\n".join(last.texts)))
                call = FoundCall(name="shell", arguments={"command": written}, result=result)
                draft.call(last, call, where)
        elif speaker in ("human", "user"):
            draft.step("user", where, agent=speaker, texts=[text])
        else:
            last = draft.step("model", where, agent=speaker, texts=[text])
    return draft.finish(name, "conversation")


def speaker_of(message: dict[str, Any]) -> str:
    """The name, else the role, without a suffix like " (thought)"."""
    return _SUFFIX.sub("", message.get("name") or message["role"])


def folded(agent: str) -> str:
    """An agent's name for comparing: files differ in capitals."""
    return agent.strip().lower()


def _is_terminal(speaker: str) -> bool:
    return speaker.lower().endswith("terminal")


def _who_and_when(path: Path) -> LabelledRun:
    value = json.loads(path.read_text())
    return LabelledRun(
        name=path.stem,
        trajectory=conversation(value["history"], value["question"], path.name),
        speakers=tuple(folded(speaker_of(message)) for message in value["history"]),
        step=int(value["mistake_step"]),
        agent=folded(value["mistake_agent"]),
    )


def _agent_rx(path: Path, truth: dict[str, Any]) -> LabelledRun:
    value = json.loads(path.read_text())
    root = truth["root_cause"]["failure_id"]
    failure = next(one for one in truth["failures"] if str(one["failure_id"]) == str(root))
    messages = value if isinstance(value, list) else value["traj"]
    return LabelledRun(
        name=path.stem,
        trajectory=conversation(messages, None, path.name) if isinstance(value, list) else _chat(messages, path.name),
        speakers=tuple(folded(speaker_of(message)) for message in messages),
        step=int(failure["step_number"]) - 1,
        agent=folded(failure["failed_agent"]),
        category=agent_rx(failure["failure_category"]),
    )


def _chat(messages: list[dict[str, Any]], name: str) -> Trajectory:
    draft = Draft(Source(name, json.dumps(messages).encode()))
    for index, message in enumerate(messages):
        read_message(draft, message, Where(row=index))
    return draft.finish(name, "chat")
