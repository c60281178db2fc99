"""Asks a judge why a run failed. Its evidence must stand word for word in the step it names, or it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from viewer.analysis.diagnosis import Diagnosis, with_judge
from viewer.analysis.diagnosis.categories import CATEGORIES
from viewer.analysis.diagnosis.hits import EVIDENCE
from viewer.analysis.diagnosis.opinion import Opinion
from viewer.judge.client import Client, NoAnswer
from viewer.judge.configuration import Configuration
from viewer.judge.prompts import Prompt, arguments, prompt, told
from viewer.model import Json, Step, ToolCall, Trajectory, Where

TASK: Final = 2_000
TEXT: Final = 1_200
RESULT: Final = 800
"""Characters of the task, of a step's texts, of a call's arguments and result, before the budget asks for less."""
BUDGET: Final = 60_000
"""Characters of steps in one prompt. Longer runs are told in shorter pieces, then without their middle."""
SHORT: Final = 160
_LIMITS: Final = ((TEXT, RESULT), (TEXT // 3, RESULT // 4), (SHORT, SHORT // 2))
"""(characters of a step's text, of a call's arguments and of its result), tried in turn."""
_STEP_FRAME: Final = 80
_CALL_FRAME: Final = 100
LEAST: Final = 12
"""So many characters of evidence at least, or the whole text: less stands anywhere."""
_INSTRUCTION: Final = (
    "You find the step at which a failed run of an agent first went wrong for good: the earliest mistake that was not "
    "made good later and that led to the failure. A symptom that shows later is not the cause. Name its step_id, one "
    "category, a summary of one or two sentences, and evidence: at most 200 characters copied letter by letter from "
    "that very step, at least 12 of them. Anything between [masked: and ] was taken out: do not quote it. If the steps "
    "do not show a cause, step_id is null, the category unknown and the evidence empty."
)
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["step_id", "category", "summary", "evidence", "confidence"],
    "additionalProperties": False,
    "properties": {
        "step_id": {"type": ["integer", "null"], "minimum": 0},
        "category": {"enum": list(CATEGORIES)},
        "summary": {"type": "string"},
        "evidence": {"type": "string"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDiagnosis:
    """``diagnosis`` has the judge's opinion where one was given and held. ``problems`` are sentences for a person."""

    diagnosis: Diagnosis
    problems: tuple[str, ...] = ()
    cached: int = 0


def diagnosis_prompt(run: Trajectory, diagnosis: Diagnosis) -> Prompt:
    """The task, the verdict and the main line's steps, cut to the budget. The rules' findings are not told."""
    document = {
        "task": told(run.task, TASK),
        "verdict": told(diagnosis.gate.why, SHORT),
        "steps": _steps(run),
    }
    return prompt("diagnosis", _INSTRUCTION, document, SCHEMA)


def judge_diagnosis(run: Trajectory, diagnosis: Diagnosis, configuration: Configuration) -> JudgedDiagnosis:
    """The diagnosis with a judge's opinion. Never raises for what a judge does or fails to do; a run that passed is
    not sent."""
    if diagnosis.gate.passed:
        return JudgedDiagnosis(diagnosis=diagnosis, problems=("The run passed: there is nothing to ask.",))
    client = Client(configuration)
    try:
        answer = client.ask(diagnosis_prompt(run, diagnosis))
        opinion = _checked(answer, run, configuration.model)
    except NoAnswer as error:
        return JudgedDiagnosis(diagnosis=diagnosis, problems=(str(error),), cached=client.cached)
    return JudgedDiagnosis(diagnosis=with_judge(diagnosis, opinion), cached=client.cached)


def _checked(answer: Json, run: Trajectory, model: str) -> Opinion:
    """Raises ``NoAnswer`` for a step that is not there, and for evidence that does not stand in it."""
    number, evidence = answer["step_id"], answer["evidence"][:EVIDENCE]
    summary = answer["summary"][:1_000]
    if number is None:
        return Opinion(
            model=model, step=None, category="unknown", summary=summary, confidence=answer["confidence"]
        )  # fmt: skip
    if number >= len(run.steps) or run.steps[number].line != "main":
        raise NoAnswer(f"{model} named step {number + 1}, which it was not shown: refused.")
    where = _place(run, run.steps[number], evidence)
    if where is None:
        raise NoAnswer(f"{model} quoted words that do not stand in step {number + 1}: refused.")
    return Opinion(
        model=model, step=number, category=answer["category"], summary=summary, evidence=evidence, where=where,
        confidence=answer["confidence"],
    )  # fmt: skip


def _place(run: Trajectory, step: Step, evidence: str) -> Where | None:
    """Where the words stand; None for words that stand nowhere in the step, or are too few to prove anything."""
    for text, where in _texts(run, step):
        if evidence in text and (len(evidence.strip()) >= LEAST or (evidence and evidence == text)):
            return where
    return None


def _texts(run: Trajectory, step: Step) -> Iterator[tuple[str, Where]]:
    yield from ((step.text, step.where), (step.reasoning, step.where))
    for index in step.calls:
        call = run.calls[index]
        yield from ((text, call.where) for text in _strings(call.arguments))
        if call.result is not None:
            yield call.result.text, call.result.where or call.where
    yield from ((result.text, result.where or step.where) for result in step.results)


def _strings(value: Json) -> Iterator[str]:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            stack.extend(node.values())
        elif isinstance(node, list | tuple):
            stack.extend(node)


def _steps(run: Trajectory) -> list[Json]:
    """Steps of the main line within the budget: at full length, else short, else the first and the last of them."""
    steps = [step for step in run.steps if step.line == "main"]
    for limits in _LIMITS:
        if sum(_size(run, step, *limits) for step in steps) <= BUDGET:
            return [_step(run, step, *limits) for step in steps]
    first, last, room = 0, len(steps), BUDGET
    while first < last:  # from both ends: causes are early, symptoms late
        at = first if first <= len(steps) - last else last - 1
        room -= _size(run, steps[at], *_LIMITS[-1])
        if room < 0:
            break
        first, last = (first + 1, last) if at == first else (first, last - 1)
    shown = [[_step(run, step, *_LIMITS[-1]) for step in part] for part in (steps[:first], steps[last:])]
    return [*shown[0], {"left_out": f"{last - first:,} steps in the middle"}, *shown[1]]


def _size(run: Trajectory, step: Step, text: int, result: int) -> int:
    """About how many characters the step will take."""
    size = _STEP_FRAME + min(len(step.text), text) + min(len(step.reasoning), text // 2)
    for index in step.calls:
        call = run.calls[index]
        given = sum(len(one) for one in _strings(call.arguments))
        size += _CALL_FRAME + min(given, result) + min(len(call.result.text) if call.result else 0, result)
    return size


def _step(run: Trajectory, step: Step, text: int, result: int) -> dict[str, Json]:
    shown: dict[str, Json] = {"step_id": step.index, "role": step.role}
    if step.agent is not None:
        shown["agent"] = told(step.agent, 80)
    if step.text:
        shown["text"] = told(step.text, text)
    if step.reasoning:
        shown["reasoning"] = told(step.reasoning, text // 2)
    if step.calls:
        shown["calls"] = [_call(run.calls[index], result) for index in step.calls]
    return shown


def _call(call: ToolCall, limit: int) -> dict[str, Json]:
    shown: dict[str, Json] = {"tool": told(call.name, 80), "state": call.state}
    if call.arguments:
        shown["arguments"] = arguments(call.arguments, limit)
    if call.result is not None:
        shown["result"] = told(call.result.text, limit)
    return shown
