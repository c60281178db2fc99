"""Histories that are trees: which rows the newest one goes back to, and which hang on a branch that was left."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def left_behind(parents: Mapping[str, str | None], tips: Collection[str]) -> frozenset[str]:
    """The ids that no newest tip goes back to.

    ``parents`` maps each id to its parent's, in file order; ``tips`` are the ids that may end a history (messages,
    not bookkeeping). A parent that is not in the file, or null, makes a root. Each root's tree has a newest tip of its
    own, so a gap in the file makes two histories and no branch. Cycles end where they close.
    """
    children = [parent for parent in parents.values() if parent in parents]
    if len(children) == len(set(children)):
        return frozenset()
    roots = _roots(parents)
    newest: dict[str, str] = {}
    for id in parents:
        if id in tips:
            newest[roots[id]] = id
    kept: set[str] = set()
    for tip in newest.values():
        at: str | None = tip
        while at is not None and at in parents and at not in kept:
            kept.add(at)
            at = parents[at]
    return frozenset(id for id in parents if id not in kept and roots[id] in newest)


def _roots(parents: Mapping[str, str | None]) -> dict[str, str]:
    roots: dict[str, str] = {}
    for id in parents:
        path: list[str] = []
        at = id
        walked: set[str] = set()
        while at not in roots:
            path.append(at)
            walked.add(at)
            parent = parents[at]
            if parent is None or parent not in parents or parent in walked:
                roots[at] = at
                break
            at = parent
        for step in path:
            roots[step] = roots[at]
    return roots
