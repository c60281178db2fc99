"""What a rule finds: a hit, with the step that decided it, the step where it shows, and the words that prove it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from viewer.analysis.diagnosis.categories import Category
from viewer.model import Where

Severity: TypeAlias = Literal["low", "medium", "high"]
WEIGHT: Final[dict[Severity, float]] = {"low": 0.3, "medium": 0.6, "high": 1.0}
_TAG: Final = re.compile(r"^</?[\w-]+>$|^[-=~*#`]+$")
_TELLING: Final = ("error", "fail", "not found", "denied", "could not", "no such", "invalid")
EVIDENCE: Final = 200
"""Characters of evidence at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One finding of one rule.

    ``step`` is the step that decided it, ``symptom`` the one where it shows (both indexes into the steps), ``call`` the
    call at the symptom. ``evidence`` is a verbatim part of the row at ``where``, at most 200 characters, on one line.
    ``recovered``: a later call of the same effect and target, or an equal one, went well: never a root.
    ``note``: a habit worth knowing, not a cause.
    """

    rule: str
    category: Category
    severity: Severity
    step: int
    symptom: int
    call: int | None
    summary: str
    evidence: str = ""
    where: Where | None = None
    recovered: bool = False
    note: bool = False


def quoted(text: str, wanted: str | None = None) -> str:
    """One line of ``text`` as evidence: the one that holds ``wanted``, else the one that says most.

    Cut to 200 characters, never re-worded. Lines that an escape would change in the file (tabs, quotes inside) stay:
    the check decodes the row.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    if wanted:
        chosen = next((line for line in lines if wanted in line), lines[0])
        at = max(0, chosen.find(wanted) - 60)
        return chosen[at : at + EVIDENCE]
    speaking = [line for line in lines if not _TAG.match(line)] or lines
    telling = [line for line in speaking if any(word in line.lower() for word in _TELLING)]
    return (telling[-1] if telling else speaking[0])[:EVIDENCE]
