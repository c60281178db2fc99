"""Rules for conversations: runs whose speakers hand each other texts and make few calls, or none.

There a cause is seldom an error of a tool. It is code that failed when somebody ran it, an answer that was first said
somewhere and then believed, or specifics that were stated before anything had been looked up. Tuned and measured on
half of Who&When (arXiv 2505.00212); ``tests/benchmarks/localization.py`` says what each is worth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from viewer.analysis.diagnosis.categories import of_error
from viewer.analysis.diagnosis.facts import Facts, result_text
from viewer.analysis.diagnosis.hits import Hit, quoted
from viewer.model import Step

FIGURES: Final = 4
"""So many figures of two or more signs that the task does not have are specifics."""
COVER: Final = 0.8
"""The share of the answer's words that a step must hold to be its origin."""
LAST_WORDS: Final = 2
"""The answer is looked for in so many last texts: the very last is often only a farewell."""
_FIGURE: Final = re.compile(r"\d[\d.,]*\d")
_FENCE: Final = "```"
_FAREWELL: Final = re.compile(r"\bTERMINATE\b")
_WORD: Final = re.compile(r"[^\W_]+(?:[.:/-]\d+)*")
_EMPTY: Final = frozenset(
    "the a an of in on at to and or is are was were be by for with from as it its this that".split()
)
_ANSWERS: Final = (
    re.compile(r"FINAL ANSWER:?\s*\**([^\n*]+)", re.IGNORECASE),
    re.compile(r"\\boxed\{([^{}\n]+)\}"),
    re.compile(r"\banswer\b[^.\n:*]{0,60}?(?:\bis\b|:)\s*\**([^\n*]{1,80})", re.IGNORECASE),
    re.compile(r"(?<=\w )\*\*([^*\n]{1,80})\*\*(?!\s*:)"),
)
"""How a final answer is marked, the most explicit first; the last is bold type inside a sentence."""
_NO_ANSWER: Final = re.compile(r"unable|cannot|not possible|could not|undetermined|unknown", re.IGNORECASE)
_GUARD: Final = re.compile(
    r"content[ _-]?filter\w*|(?:policy|Policy)[ ]?[Vv]iolation|content management policy|usage polic(?:y|ies)"
    r"|you are not a robot|verify (?:that )?you are (?:a )?human|\bCAPTCHA\b",
)


def is_conversation(facts: Facts) -> bool:
    """Two or more named speakers, a terminal may be one, whom no call started; or nothing was called at all."""
    speaking = [step for step in facts.steps if step.text]
    if len(speaking) < 2:
        return False
    if not facts.run.calls:
        return not facts.run.declared_tools
    if any(step.agent is None for step in facts.steps) or any(call.parent is not None for call in facts.calls):
        return False
    return len({step.agent for step in facts.run.steps if step.agent is not None}) > 1


def failed_attempt(facts: Facts) -> Iterator[Hit]:
    """R27: in a conversation the first call that failed, at the step that wrote it. A later success does not clear it:
    turns are few, and the others have built on it."""
    if not is_conversation(facts):
        return
    for call in facts.calls:
        if call.state in ("error", "timeout"):
            category = of_error(result_text(call))
            yield Hit(
                rule="R27", category="tool_invocation_error" if category == "unknown" else category, severity="high",
                step=call.step, symptom=call.step, call=call.index,
                summary=f"The first attempt that failed: {call.name}, written in this step",
                evidence=quoted(result_text(call)), where=call.result.where if call.result else call.where,
            )  # fmt: skip
            return


def answer_origin(facts: Facts) -> Iterator[Hit]:
    """R28: in a conversation the step that first held the final answer; everybody after it only repeated it."""
    found = _answer(facts)
    if found is None:
        return
    answer, last, words = found
    first = _holding(facts, words, last)
    if first is not None:
        yield Hit(
            rule="R28", category="tool_response_handling_error", severity="medium", step=first.index,
            symptom=last.index, call=None, summary=f"The final answer, {answer!r}, was first said here",
            evidence=quoted(last.text, answer), where=last.where,
        )  # fmt: skip


def ungrounded_answer(facts: Facts) -> Iterator[Hit]:
    """R29: in a conversation the final answer stands in no step before the one that gives it."""
    found = _answer(facts)
    if found is None:
        return
    answer, last, words = found
    if _holding(facts, words, last) is None:
        yield Hit(
            rule="R29", category="memory_context_error", severity="low", step=last.index, symptom=last.index,
            call=None, summary=f"The final answer, {answer!r}, stands nowhere before",
            evidence=quoted(last.text, answer), where=last.where,
        )  # fmt: skip


def early_specifics(facts: Facts) -> Iterator[Hit]:
    """R30: in a conversation the first step that acts, or states code or four figures that the task does not have,
    before any result came back. The opening counts only when it acts: it hands on the task."""
    if not is_conversation(facts):
        return
    given = set(_FIGURE.findall(facts.run.task or ""))
    for number, step in enumerate(facts.steps):
        new = [figure for figure in dict.fromkeys(_FIGURE.findall(step.text)) if figure not in given]
        states = number > 0 and (_FENCE in step.text or len(new) >= FIGURES)
        if step.calls or states:
            shown = new[0] if new else None
            yield Hit(
                rule="R30", category="memory_context_error", severity="low", step=step.index, symptom=step.index,
                call=None, summary="The first specifics, before anything was looked up",
                evidence=quoted(step.text, shown), where=step.where,
            )  # fmt: skip
            return


def guarded(facts: Facts) -> Iterator[Hit]:
    """R31: in a conversation a step says that a content filter or a check for robots stopped it; high where the run
    ends with it."""
    if not is_conversation(facts):
        return
    for step in facts.steps:
        if found := _GUARD.search(step.text):
            ends = step.index == facts.steps[-1].index
            yield Hit(
                rule="R31", category="safety_policy_error", severity="high" if ends else "low", step=step.index,
                symptom=step.index, call=None, summary=f"Stopped by a guard ({found.group()})",
                evidence=quoted(step.text, found.group()), where=step.where,
            )  # fmt: skip


def _answer(facts: Facts) -> tuple[str, Step, frozenset[str]] | None:
    """The final answer, the step that gives it and the words that make it up; None without one worth tracing."""
    if not is_conversation(facts):
        return None
    spoken = [step for step in facts.steps if len(_FAREWELL.sub("", step.text).strip()) > 2]
    for step in reversed(spoken[-LAST_WORDS:]):
        marked = next((found for pattern in _ANSWERS if (found := pattern.findall(step.text))), None)
        if not marked:
            continue
        answer = marked[-1].strip().rstrip(". ")
        if _NO_ANSWER.search(answer):
            return None
        words = _words(answer)
        words = words - _words(facts.run.task or "") or words  # a choice among the task's own words has only those
        return (answer, step, words) if sum(map(len, words)) >= 2 else None
    return None


def _holding(facts: Facts, words: frozenset[str], last: Step) -> Step | None:
    """The first step before ``last`` that holds the words, in its text or in what its calls brought."""
    for step in facts.steps:
        if step.index >= last.index:
            return None
        said = [step.text, *(result_text(facts.run.calls[index]) for index in step.calls)]
        if any(len(words & _words(text)) >= COVER * len(words) for text in said):
            return step
    return None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower().replace(",", ""))) - _EMPTY
