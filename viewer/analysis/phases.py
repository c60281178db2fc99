"""What the agent was about, call by call: localize (L), patch (P), validate (V), general (G); decisions.md 2."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from viewer.analysis import refuse_blocked
from viewer.analysis.remembered import remembered
from viewer.analysis.scope import main_calls
from viewer.model import Trajectory
from viewer.tool_calls import effects

PHASES = {"L": "localize", "P": "patch", "V": "validate", "G": "general"}
DEFINITION = (
    "L: reading, searching, the web, and tests before the first edit. P: edits and writes. "
    "V: tests after the first edit. G: the rest, plans and sub-agents too. Within one agent."
)


@remembered
def phases(trajectory: Trajectory) -> tuple[str, ...]:
    """One letter a call of ``trajectory.calls``. "Before" and "after" are meant within an agent's line."""
    refuse_blocked(trajectory)
    patched: set[tuple[str | None, str]] = set()
    letters = []
    for call, effect in zip(trajectory.calls, effects(trajectory), strict=True):
        place = (call.agent, call.line)
        if effect.effect in ("edit", "write"):
            patched.add(place)
            letters.append("P")
        elif effect.effect == "test":
            letters.append("V" if place in patched else "L")
        else:
            letters.append("L" if effect.effect in ("read", "search", "web") else "G")
    return tuple(letters)


def phase_string(trajectory: Trajectory, agent: str | None = None) -> str:
    """The letters of one agent's main line, run lengths written out: "L2 V P V2". "" without calls.

    By default the main agent, or the first that made a call where the main one made none.
    """
    letters = phases(trajectory)
    calls = main_calls(trajectory)
    if agent is None and calls and all(call.agent is not None for call in calls):
        agent = calls[0].agent
    runs = (
        (letter, sum(1 for _ in run)) for letter, run in groupby(letters[c.index] for c in calls if c.agent == agent)
    )
    return " ".join(letter if count == 1 else f"{letter}{count}" for letter, count in runs)


def phase_shares(trajectory: Trajectory) -> dict[str, float]:
    """Letter -> share of the main line's calls, all agents pooled; letters that occur, in the order L P V G."""
    letters = phases(trajectory)
    counts = Counter(letters[call.index] for call in main_calls(trajectory))
    total = sum(counts.values())
    return {letter: counts[letter] / total for letter in PHASES if counts[letter]}
