"""How sure: reasons that speak for a root, counted into one of three levels (decisions.md 7). No weights set by hand.

What a level is worth is measured (``reliability``). "Not recovered" is no reason: a recovered hit is no root anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from viewer.analysis.diagnosis.facts import Facts
from viewer.analysis.diagnosis.hits import Hit
from viewer.analysis.diagnosis.ranking import Candidate

Level: TypeAlias = Literal["likely", "possible", "weak"]
FEW: Final = 12
"""In a run of so few steps a step is hit more easily."""
_KINDS: Final[dict[str, str]] = {
    **dict.fromkeys(("R01", "R02", "R03", "R04", "R05", "R11", "R13", "R19", "R20", "R27"), "error"),
    **dict.fromkeys(("R07", "R08", "R09", "R10"), "loop"),
    **dict.fromkeys(("R16", "R17", "R18", "R24", "R31"), "end"),
}
"""Rules that look at the same evidence: three on one failed call are one witness. Others stand for themselves."""


def level_of(reasons: Sequence[str]) -> Level:
    """likely from three reasons on, possible with two, else weak."""
    return "likely" if len(reasons) >= 3 else "possible" if len(reasons) == 2 else "weak"


def reasons(facts: Facts, root: Candidate, ranked: Sequence[Candidate]) -> tuple[str, ...]:
    """What speaks for the root, in words: an explicit error at it, kinds of evidence that agree on it within one step,
    what it explains, few steps to choose from, nothing that points elsewhere."""
    hit, found = root.hit, []
    call = facts.run.calls[hit.call] if hit.call is not None else None
    if call is not None and call.state in ("error", "denied", "timeout"):
        found.append("the step has an explicit error")
    near = {_kind(other.hit) for other in ranked if abs(other.hit.step - hit.step) <= 1}
    if len(near) >= 2:
        found.append(f"{len(near)} kinds of evidence agree on it")
    if root.explains and len(root.explains) >= (len(ranked) - 1) / 2:
        found.append(f"it explains {len(root.explains)} of {len(ranked) - 1} other findings")
    if len(facts.steps) <= FEW:
        found.append(f"the run has only {len(facts.steps)} steps")
    if {_kind(other.hit) for other in ranked} <= near:
        found.append("no evidence of another kind points elsewhere")
    return tuple(found)


def _kind(hit: Hit) -> str:
    return _KINDS.get(hit.rule, hit.rule)
