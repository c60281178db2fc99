"""Rules that look at single calls: errors, timeouts, refusals, silence, odd arguments, what was not looked at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from viewer.analysis.diagnosis.categories import Category, of_error
from viewer.analysis.diagnosis.facts import Facts, result_text
from viewer.analysis.diagnosis.hits import Hit, Severity, quoted
from viewer.model import ToolCall
from viewer.tool_calls import command, paths

TIMED_OUT: Final = re.compile(r"timed? ?out|deadline exceeded", re.IGNORECASE)
REFUSED: Final = re.compile(
    r"permission denied|EACCES|EPERM|not permitted|requires approval|\b(?:401|403)\b", re.IGNORECASE
)
NOTHING: Final = re.compile(
    r"^\s*(?:\[\]|\{\}|No files found|No matches found|No results\b.*|Found 0\b.*)\s*$", re.IGNORECASE
)
INVALID: Final = re.compile(
    r"InputValidation|missing required|invalid (?:json|argument)|validation error", re.IGNORECASE
)
UNKNOWN_TOOL: Final = re.compile(
    r"unknown tool|no such tool|tool .{0,60}not found|unsupported call|unavailable tool", re.IGNORECASE
)
PLACEHOLDER: Final = re.compile(r"^<[^<>/]{1,60}>$|\{\{.*\}\}|^todo$|^placeholder$|^your[_-]\w+", re.IGNORECASE)
SILENT: Final = frozenset("cd mkdir export touch rm cp mv chmod chown ln sleep set source git true kill wait".split())
ALIASES: Final = ({"task", "agent"},)
THRASH: Final = 3
THRASH_WINDOW: Final = 15
STREAK: Final = 3


def _hit(
    facts: Facts, rule: str, call: ToolCall, category: Category, severity: Severity, summary: str, **more: object
) -> Hit:
    evidence = quoted(result_text(call))
    place = call.result.where if call.result and evidence else None
    values: dict[str, object] = {
        "step": call.step,
        "symptom": call.step,
        "recovered": facts.recovered(call),
        "evidence": evidence if place else "",
        "where": place or call.where,
    }
    values |= more
    return Hit(rule=rule, call=call.index, category=category, severity=severity, summary=summary, **values)  # type: ignore[arg-type]


def tool_error(facts: Facts) -> Iterator[Hit]:
    """R01: a call ended in a stated error. A failed test or check is evidence for other rules, not a cause itself."""
    for call in facts.calls:
        if call.state == "error" and call.index not in facts.checks:
            category = of_error(result_text(call))
            said = f"{call.name} ended in an error"
            yield _hit(facts, "R01", call, category, "medium", said)


def timeout(facts: Facts) -> Iterator[Hit]:
    """R02: a call that timed out, by its state or by the words of its error."""
    for call in facts.calls:
        if call.state == "timeout" or (call.state == "error" and TIMED_OUT.search(result_text(call)[:2_000])):
            yield _hit(facts, "R02", call, "system_infra_error", "medium", f"{call.name} timed out")


def refused(facts: Facts) -> Iterator[Hit]:
    """R03: a call that was denied, or whose error says that permission was missing."""
    for call in facts.calls:
        if call.state == "denied" or (call.state == "error" and REFUSED.search(result_text(call)[:2_000])):
            yield _hit(facts, "R03", call, "system_infra_error", "medium", f"{call.name} was not permitted")


def unanswered(facts: Facts) -> Iterator[Hit]:
    """R04: a call without a result, or one that was interrupted; not the call with which a run ended normally."""
    for call in facts.calls:
        if call.index == facts.closing:
            continue
        if call.state in ("unanswered", "interrupted", "running"):
            yield _hit(facts, "R04", call, "system_infra_error", "medium", f"{call.name} got no result ({call.state})")


def malformed(facts: Facts) -> Iterator[Hit]:
    """R05: a call without a name, of a tool that the file does not declare, or with arguments that are no object."""
    declared = {name.lower() for name in facts.run.declared_tools or ()}
    for pair in ALIASES:
        if pair & declared:
            declared |= pair
    for call in facts.calls:
        raw = (call.raw_name or "").lower()
        text = result_text(call)[:2_000]
        if call.state == "error" and UNKNOWN_TOOL.search(text):
            yield _hit(facts, "R05", call, "tool_selection_error", "medium", f"There is no tool {call.name}")
        elif call.name == "unknown" or (
            declared and call.server is None and raw not in declared and call.state == "error"
        ):
            yield _hit(
                facts, "R05", call, "tool_selection_error", "medium", f"{call.name} is not among the declared tools"
            )
        elif call.state == "error" and INVALID.search(text):
            yield _hit(
                facts, "R05", call, "tool_invocation_error", "medium", f"The arguments of {call.name} were refused"
            )


def empty_retrieval(facts: Facts) -> Iterator[Hit]:
    """R06: three or more searches, reads or fetches in a row that found nothing."""
    streak: list[ToolCall] = []
    for call in (*facts.calls, None):
        found_nothing = (
            call is not None
            and facts.effect[call.index].effect in ("search", "web", "read")
            and (call.state == "ok_empty" or (call.state == "ok" and bool(NOTHING.match(result_text(call)[:200]))))
        )
        if found_nothing and call is not None:
            streak.append(call)
            continue
        if len(streak) >= STREAK:
            said = f"{len(streak)} look-ups in a row found nothing"
            yield _hit(facts, "R06", streak[0], "retrieval_error", "medium", said)
        streak = []


def edit_thrash(facts: Facts) -> Iterator[Hit]:
    """R11: three or more edits of one file within 15 steps, at least one of which failed."""
    by_path: dict[str, list[ToolCall]] = {}
    for call in facts.calls:
        effect = facts.effect[call.index]
        if effect.effect in ("edit", "write"):
            by_path.setdefault(effect.target, []).append(call)
    for path, calls in by_path.items():
        for at in range(len(calls) - THRASH + 1):
            window = [call for call in calls[at:] if call.step - calls[at].step <= THRASH_WINDOW]
            failed = [call for call in window if call.state == "error"]
            if len(window) >= THRASH and failed:
                said = f"{len(window)} edits of {path}, {len(failed)} of them failed"
                yield _hit(facts, "R11", failed[0], "planning_error", "medium", said)
                break


def silent_streak(facts: Facts) -> Iterator[Hit]:
    """R12: three or more shell calls in a row that succeeded and said nothing, though they should have."""
    streak: list[ToolCall] = []
    for call in (*facts.calls, None):
        text = command(call) if call is not None else None
        program = (text or "").split()[:1]
        if (
            call is not None
            and call.kind == "shell"
            and call.state == "ok_empty"
            and program
            and program[0] not in SILENT
        ):
            streak.append(call)
            continue
        if len(streak) >= STREAK:
            said = f"{len(streak)} commands in a row succeeded without a word"
            yield _hit(
                facts, "R12", streak[0], "tool_response_handling_error", "low", said, where=streak[0].where, note=True
            )
        streak = []


def ignored_error(facts: Facts) -> Iterator[Hit]:
    """R13: after an error the agent neither speaks of it nor tries again: its next call has another target."""
    for call in facts.calls:
        if call.state != "error" or call.index in facts.checks:
            continue
        following = facts.next_call(call)
        if following is None or following.step == call.step:
            continue
        mine, other = facts.effect[call.index], facts.effect[following.index]
        said = facts.run.steps[following.step]
        words = (said.text + " " + said.reasoning).lower()
        tokens = {call.name.lower(), *(path.rsplit("/", 1)[-1].lower() for path in paths(call)), "error", "fail"}
        if mine != other and not any(token in words for token in tokens if token) and words.strip():
            yield _hit(
                facts, "R13", call, "tool_response_handling_error", "medium",
                f"The error of {call.name} is not spoken of and not tried again", step=following.step,
            )  # fmt: skip


def error_streak(facts: Facts) -> Iterator[Hit]:
    """R19: three or more errors in a row, of any tool; failed checks count, for they are no progress either."""
    streak: list[ToolCall] = []
    for call in (*facts.calls, None):
        if call is not None and call.state == "error":
            streak.append(call)
            continue
        if len(streak) >= STREAK:
            categories = [of_error(result_text(item)) for item in streak]
            known = [category for category in categories if category != "unknown"]
            category: Category = Counter(known).most_common(1)[0][0] if known else "unknown"
            yield _hit(facts, "R19", streak[0], category, "medium", f"{len(streak)} calls in a row failed")
        streak = []


def unread_edit(facts: Facts) -> Iterator[Hit]:
    """R20: an edit failed on a file that the run never read, listed or made before."""
    seen: set[str] = set()
    for call in facts.calls:
        effect = facts.effect[call.index]
        name = effect.target.rsplit("/", 1)[-1]
        if effect.effect == "edit" and call.state == "error" and name and name not in seen:
            yield _hit(
                facts, "R20", call, "memory_context_error", "medium", f"{effect.target} was edited without being read"
            )
        seen |= {path.rsplit("/", 1)[-1] for path in paths(call)} | {name}
        if effect.effect == "search":
            seen |= set(re.findall(r"[\w.-]+\.\w+", result_text(call)[:20_000]))


def placeholder(facts: Facts) -> Iterator[Hit]:
    """R21: an argument is a placeholder: ``<name>``, ``{{x}}``, ``your_key``, "todo"."""
    for call in facts.calls:
        if isinstance(call.arguments, Mapping) and call.kind not in ("plan", "agent"):
            for key, value in call.arguments.items():
                if isinstance(value, str) and PLACEHOLDER.search(value.strip()) and len(value) < 200:
                    said = f"The argument {key} is a placeholder"
                    more = {"evidence": value.strip()[:200], "where": call.where}
                    yield _hit(facts, "R21", call, "tool_invocation_error", "medium", said, **more)
                    break


def context_loss(facts: Facts) -> Iterator[Hit]:
    """R25: within ten calls after a compaction the agent repeats a call that it had made before."""
    markers = [step for step in facts.run.steps if step.marker == "compaction"]
    for before, after in pairwise([*markers, None]):
        if before is None:
            continue
        earlier = {call.signature for call in facts.calls if call.step < before.index}
        end = after.index if after else len(facts.run.steps)
        later = [call for call in facts.calls if before.index < call.step < end][:10]
        again = next((call for call in later if call.signature in earlier), None)
        if again is not None:
            said = f"After the conversation was compacted, {again.name} repeats an earlier call"
            yield _hit(facts, "R25", again, "memory_context_error", "low", said, step=before.index)
