"""Which rows of a session are not its main line: inherited from another session, or left behind on a branch."""

from __future__ import annotations

from viewer.branches import left_behind
from viewer.lenient import mapping
from viewer.model import Json, Line
from viewer.source import Source


def lines(source: Source, rows: list[dict[str, Json]]) -> dict[str, Line]:
    """The line of each row that is not on the main one, by its ``uuid``."""
    parents: dict[str, str | None] = {}
    tips: set[str] = set()
    replies: dict[str, str] = {}
    sessions: dict[str, str] = {}
    for row in rows:
        uuid = row.get("uuid")
        if not isinstance(uuid, str) or row.get("isSidechain") is True:
            continue
        parent = row.get("parentUuid") or row.get("logicalParentUuid")
        parents[uuid] = parent if isinstance(parent, str) else None
        if row.get("type") in ("user", "assistant"):
            tips.add(uuid)
            if isinstance(session := row.get("sessionId"), str):
                sessions[uuid] = session
            if isinstance(reply := mapping(row.get("message")).get("id"), str):
                replies[uuid] = reply
    found: dict[str, Line] = {}
    left = left_behind(parents, tips)
    kept = {reply for uuid, reply in replies.items() if uuid not in left} if left else set()
    for uuid in left:
        # parallel calls of one reply hang below each other, and the next reply below one result only
        if replies.get(uuid) not in kept:
            found[uuid] = "abandoned"
    if len(set(sessions.values())) > 1:
        stem = source.name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jsonl")
        own = stem if stem in sessions.values() else next(reversed(sessions.values()))
        for uuid, session in sessions.items():
            if session == own:  # a fork begins with what it copied
                break
            found[uuid] = "inherited"
    return found
