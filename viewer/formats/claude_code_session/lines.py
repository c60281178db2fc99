"""Which rows of a session are not its main line: inherited from another session, or left behind on a branch."""

from __future__ import annotations

from viewer.dialects.branches import left_behind
from viewer.lenient import mapping
from viewer.model import Json, Line


class Tree:
    """The rows of one file by ``uuid``, gathered while they are read; a sub-agent's rows stay out of it."""

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._tips: set[str] = set()
        self._replies: dict[str, str] = {}
        self._sessions: dict[str, str] = {}

    def add(self, uuid: str, row: dict[str, Json], message: bool) -> None:
        """One row; ``message`` when a user or the model speaks in it."""
        if row.get("isSidechain") is True:
            return
        parent = row.get("parentUuid") or row.get("logicalParentUuid")
        self._parents[uuid] = parent if isinstance(parent, str) else None
        if message:
            self._tips.add(uuid)
            if isinstance(session := row.get("sessionId"), str):
                self._sessions[uuid] = session
            if isinstance(reply := mapping(row.get("message")).get("id"), str):
                self._replies[uuid] = reply

    def lines(self, name: str) -> dict[str, Line]:
        """The line of each row that is not on the main one. ``name`` is the file's: a session's id, in its home."""
        found: dict[str, Line] = {}
        left = left_behind(self._parents, self._tips)
        kept = {reply for uuid, reply in self._replies.items() if uuid not in left} if left else set()
        for uuid in left:
            # parallel calls of one reply hang below each other, and the next reply below one result only
            if self._replies.get(uuid) not in kept:
                found[uuid] = "abandoned"
        sessions = set(self._sessions.values())
        if len(sessions) > 1:
            stem = name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jsonl")
            own = stem if stem in sessions else next(reversed(self._sessions.values()))
            for uuid, session in self._sessions.items():
                if session == own:  # a fork begins with what it copied
                    break
                found[uuid] = "inherited"
        return found
