"""Which hit is the root: recovered ones out, explanation links, a score, roles (diagnosis spec 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from viewer.analysis.diagnosis.facts import Facts, result_text
from viewer.analysis.diagnosis.hits import WEIGHT, Hit

Role: TypeAlias = Literal["root", "contributing", "downstream"]
FINAL_RULES: Final = frozenset({"R16", "R17", "R18"})
"""Rules about the end of a run: what they see is where a failure shows, hardly ever where it was made."""
LEAST: Final = 0.3
"""Below this score there is no root."""
LINKED: Final = 100
"""At most so many candidates are linked with one another, unrecovered ones first; linking is quadratic."""
_TOKEN: Final = re.compile(r"[\w./-]{4,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A hit with its score (0 to 1), what it explains (positions in the ranking's ``hits``), and its role."""

    hit: Hit
    score: float
    explains: frozenset[int]
    role: Role | None


def rank(facts: Facts, hits: Sequence[Hit], passing: Mapping[str, float] | None = None) -> tuple[Candidate, ...]:
    """Candidates, best first; the first has the role root when its score reaches 0.3 and it was not recovered.

    Score: 0.35 severity + 0.25 unrecovered + 0.20 reach + 0.10 earliness + 0.10 specificity. ``passing`` is the share
    of passing runs in which a rule fires, for specificity; without it every rule has 0.5.
    """
    real = sorted((hit for hit in hits if not hit.note), key=lambda hit: (hit.recovered, hit.step))[:LINKED]
    real.sort(key=lambda hit: (hit.step, hit.symptom, hit.rule))
    reach = _reach(_links(facts, real))
    scored = []
    for number, hit in enumerate(real):
        score = (
            0.35 * WEIGHT[hit.severity]
            + 0.25 * (not hit.recovered)
            + 0.20 * len(reach[number]) / max(1, len(real) - 1)
            + 0.10 * (1 - number / len(real))
            + 0.10 * (1 - (passing or {}).get(hit.rule, 0.5))
        )
        scored.append((number, round(score, 4)))
    eligible = [(number, score) for number, score in scored if _may_be_root(facts, real[number]) and score >= LEAST]
    root = max(eligible, key=lambda pair: (pair[1], -pair[0]), default=None)
    ranked = []
    for number, score in sorted(scored, key=lambda pair: (-pair[1], pair[0])):
        role: Role | None = None
        if root is not None:
            if number == root[0]:
                role = "root"
            elif number in reach[root[0]]:
                role = "downstream"
            elif score >= 0.5 * root[1]:
                role = "contributing"
        ranked.append(Candidate(hit=real[number], score=score, explains=reach[number], role=role))
    return tuple(sorted(ranked, key=lambda candidate: candidate.role != "root"))


def _may_be_root(facts: Facts, hit: Hit) -> bool:
    if hit.recovered or hit.rule == "R17":  # the verdict contradicts the claim: that is the failure, not its cause
        return False
    return hit.rule not in FINAL_RULES or not facts.loops


def _links(facts: Facts, hits: Sequence[Hit]) -> list[set[int]]:
    """Hit a explains hit b: b uses a word that a's result brought, repeats a's call, or is how a's failure ended."""
    brought = [_brought(facts, hit) for hit in hits]
    used = [_used(facts, hit) for hit in hits]
    last = max((n for n, hit in enumerate(hits) if not hit.recovered and hit.rule not in FINAL_RULES), default=None)
    links: list[set[int]] = [set() for _ in hits]
    for a, first in enumerate(hits):
        for b in range(a + 1, len(hits)):
            second = hits[b]
            if second.rule in FINAL_RULES:
                linked = a == last or first.rule in ("R07", "R08", "R09", "R10")
            elif first.call is None or second.call is None:
                linked = False
            else:
                same = facts.run.calls[first.call].signature == facts.run.calls[second.call].signature
                linked = same or bool(brought[a] & used[b])
            if linked:
                links[a].add(b)
    return links


def _brought(facts: Facts, hit: Hit) -> frozenset[str]:
    if hit.call is None:
        return frozenset()
    call = facts.run.calls[hit.call]
    words = set(_TOKEN.findall(result_text(call)[:4_000]))
    return frozenset(
        words - set(_TOKEN.findall(str(call.arguments)[:4_000])) - set(_TOKEN.findall(facts.run.task or ""))
    )


def _used(facts: Facts, hit: Hit) -> frozenset[str]:
    step = facts.run.steps[hit.step]
    words = set(_TOKEN.findall(step.text[:4_000])) | set(_TOKEN.findall(step.reasoning[:4_000]))
    if hit.call is not None:
        words |= set(_TOKEN.findall(str(facts.run.calls[hit.call].arguments)[:4_000]))
    return frozenset(words)


def _reach(links: Sequence[set[int]]) -> list[frozenset[int]]:
    """What is reachable; links only lead forward, so one pass from the end does."""
    reached: list[frozenset[int]] = [frozenset()] * len(links)
    for number in range(len(links) - 1, -1, -1):
        found = set(links[number])
        for other in links[number]:
            found |= reached[other]
        reached[number] = frozenset(found)
    return reached
