"""The ledger of a read: every row ends as used, known to carry no step, or not understood (calls.md 11.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal, TypeAlias

from viewer.model import Coverage, UnknownRows, Where

Entry: TypeAlias = Literal["used", "known", "not_understood"]
_SHOWN = 10


class Ledger:
    """What became of each row or, in a document, of each message, step, span or event.

    The last word counts, except that a row once used stays used.
    """

    def __init__(self) -> None:
        self._entries: dict[Where, tuple[Entry, str]] = {}
        self._used: set[Where] = set()

    def used(self, where: Where) -> None:
        """The row gave text, reasoning, a call, a result, usage, a time or an ending."""
        self._entries[where] = ("used", "")
        self._used.add(where)

    def known(self, where: Where, type: str) -> None:
        """The row's type carries nothing to show, says the format's docstring."""
        if where not in self._used:
            self._entries[where] = ("known", type)

    def not_understood(self, where: Where, type: str) -> None:
        """Unknown type, unexpected shape, not an object, not JSON."""
        if where not in self._used:
            self._entries[where] = ("not_understood", type)

    def __contains__(self, where: Where) -> bool:
        return where in self._entries

    def rows(self, source: int = 0) -> set[int]:
        """The row numbers of a source that have an entry of any depth."""
        return {where.row for where in self._entries if where.source == source}

    def skipped(self) -> set[Where]:
        """Where known rows stand: what they hold is a copy or bookkeeping, no evidence of calls."""
        return {where for where, (entry, _) in self._entries.items() if entry == "known"}

    def __iter__(self) -> Iterator[tuple[Where, tuple[Entry, str]]]:
        return iter(self._entries.items())

    def coverage(self, *, evidence: int = 0, calls: int = 0, blocked: bool = False) -> Coverage:
        """The sums, with the first ten places of each type that was not understood."""
        counts = Counter(entry for entry, _ in self._entries.values())
        known = Counter(type for entry, type in self._entries.values() if entry == "known")
        unknown: dict[str, list[Where]] = {}
        for where, (entry, type) in self._entries.items():
            if entry == "not_understood":
                unknown.setdefault(type, []).append(where)
        return Coverage(
            rows=len(self._entries),
            used=counts["used"],
            known=counts["known"],
            not_understood=counts["not_understood"],
            known_types=tuple(known.most_common()),
            unknown=tuple(
                UnknownRows(type=type, count=len(places), where=tuple(places[:_SHOWN]))
                for type, places in unknown.items()
            ),
            evidence=evidence,
            calls=calls,
            blocked=blocked,
        )
