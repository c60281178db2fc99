"""Which result answers which call (calls.md 7).

An id means something only inside one agent of one run, and not even there always: ids restart every turn, repeat
inside one list, or are all "0". So results look for *pending* calls of their key, never for "the" call of an id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

Policy: TypeAlias = Literal["entries", "reissue"]
"""``entries``: every entry is a call. ``reissue``: row logs that write a block again before its result."""
Key: TypeAlias = tuple[Hashable, str]
"""(agent, id)"""


class Pending(Protocol):
    """What pairing needs to know of a call: the step and row it stands in, and whether it equals another."""

    @property
    def step_number(self) -> int:
        """The position of the step it stands in."""
        ...

    @property
    def row_number(self) -> tuple[int, int]:
        """(source, row) it stands in."""
        ...

    def repeats(self, other: Pending) -> bool:
        """Same name and arguments: the file wrote one call twice."""
        ...


C = TypeVar("C", bound=Pending)


@dataclass(slots=True)
class Answer(Generic[C]):
    """What became of a result: the call it answers; ``again`` when that call had a result before."""

    call: C | None
    again: bool = False


@dataclass(slots=True)
class Pairs(Generic[C]):
    """The open calls of one run. ``superseded`` collects calls that were issued again before a result came."""

    policy: Policy = "entries"
    pending: dict[Key, list[C]] = field(default_factory=lambda: defaultdict(list))
    answered: dict[Key, C] = field(default_factory=dict)
    superseded: list[C] = field(default_factory=list)

    def add(self, call: C, key: Key) -> C:
        """Registers a call. Returns the call it is: an earlier one when this is only written again (reissue)."""
        open_calls = self.pending[key]
        if self.policy == "reissue" and open_calls and open_calls[-1].row_number != call.row_number:
            earlier = open_calls[-1]
            if call.repeats(earlier):
                return earlier
            self.superseded.extend(open_calls)
            open_calls.clear()
        open_calls.append(call)
        return call

    def answer(self, key: Key, step: int | None = None) -> Answer[C]:
        """The call a result with this key belongs to: of its step the oldest open one, else the latest open one."""
        open_calls = self.pending.get(key)
        if open_calls:
            here = [call for call in open_calls if call.step_number == step] if step is not None else []
            call = here[0] if here else open_calls[-1]
            open_calls.remove(call)
            if not open_calls:
                del self.pending[key]
            self.answered[key] = call
            return Answer(call)
        return Answer(self.answered.get(key), again=key in self.answered)


def without_ids(
    names: Sequence[str | None], calls: Sequence[C], call_names: Sequence[str], only_pending: C | None
) -> list[C | None]:
    """Pairs the id-less results of one step (calls.md 7.4): by unique names, by position, or the only open call.

    ``names`` are the results' names, ``calls`` the step's open calls, ``only_pending`` the one open call so far.
    """
    named = [name for name in names if name]
    if named and len(named) == len(names) == len(set(named)) and len(set(call_names)) == len(call_names):
        by_name = dict(zip(call_names, calls, strict=True))
        found = [by_name.get(name or "") for name in names]
        if all(found):
            return list(found)
    if calls and len(names) == len(calls):
        return list(calls)
    if len(names) == 1 and only_pending is not None:
        return [only_pending]
    return [None] * len(names)
