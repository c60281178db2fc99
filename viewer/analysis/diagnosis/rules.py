"""The rules by id. A rule is a function of the facts; its definition is its docstring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from viewer.analysis.diagnosis import call_rules, message_rules, run_rules
from viewer.analysis.diagnosis.facts import Facts
from viewer.analysis.diagnosis.hits import Hit


@dataclass(frozen=True, slots=True)
class Rule:
    """``id`` as it stands in hits (R01), the words people read, and the function. R08 to R10 come with R07's."""

    id: str
    title: str
    find: Callable[[Facts], Iterator[Hit]]

    @property
    def definition(self) -> str:
        """The rule in one or two sentences."""
        return (self.find.__doc__ or "").partition(": ")[2].strip()


RULES: Final[tuple[Rule, ...]] = (
    Rule("R01", "tool error", call_rules.tool_error),
    Rule("R02", "timeout", call_rules.timeout),
    Rule("R03", "permission denied", call_rules.refused),
    Rule("R04", "unanswered call", call_rules.unanswered),
    Rule("R05", "malformed or unknown tool", call_rules.malformed),
    Rule("R06", "empty retrieval", call_rules.empty_retrieval),
    Rule("R07", "loop", run_rules.loop),
    Rule("R11", "edit thrash", call_rules.edit_thrash),
    Rule("R12", "silent success streak", call_rules.silent_streak),
    Rule("R13", "ignored error", call_rules.ignored_error),
    Rule("R14", "sub-agent result ignored", run_rules.ignored_report),
    Rule("R15", "no verification after the last edit", run_rules.unverified),
    Rule("R16", "false success claim after a failing test", run_rules.false_claim),
    Rule("R18", "bad end", run_rules.bad_end),
    Rule("R19", "error streak", call_rules.error_streak),
    Rule("R20", "unread edit", call_rules.unread_edit),
    Rule("R21", "placeholder argument", call_rules.placeholder),
    Rule("R23", "work done twice", run_rules.duplicated_work),
    Rule("R24", "limit reached", run_rules.limit),
    Rule("R25", "context loss", call_rules.context_loss),
    Rule("R26", "instruction missed", run_rules.missed_instruction),
    Rule("R27", "first failed attempt", message_rules.failed_attempt),
    Rule("R28", "origin of the answer", message_rules.answer_origin),
    Rule("R29", "answer from nowhere", message_rules.ungrounded_answer),
    Rule("R30", "specifics before any result", message_rules.early_specifics),
    Rule("R31", "stopped by a guard", message_rules.guarded),
)
TITLES: Final[dict[str, str]] = {
    **{rule.id: rule.title for rule in RULES},
    "R07": "repeated same call",
    "R08": "no progress",
    "R09": "oscillation",
    "R10": "longer cycle",
    "R17": "claim against verdict",
}


def hits(facts: Facts, *, failed: bool) -> tuple[Hit, ...]:
    """All hits of a run, in the order of their steps. ``failed``: a verdict says so (R17 needs it)."""
    found = [hit for rule in RULES for hit in rule.find(facts)]
    found += run_rules.claim_against_label(facts, failed)
    return tuple(sorted(found, key=lambda hit: (hit.step, hit.rule)))
