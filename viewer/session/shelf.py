"""Things that are costly to make and may be made again: kept until their weight exceeds a limit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass
class _Slot(Generic[Value]):
    lock: Lock = field(default_factory=Lock)
    value: Value | None = None
    weight: int = 0


class Shelf(Generic[Value]):
    """At most ``limit`` weight of values, the least recently used leave first; the newest stays whatever it weighs.

    Two threads that ask for one key at once make it once: the second waits for the first. An exception is not kept.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._slots: OrderedDict[Hashable, _Slot[Value]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Value], weight: Callable[[Value], int]) -> Value:
        """The value under ``key``, made when it is not there."""
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
        with slot.lock:
            if slot.value is None:
                try:
                    slot.value = make()
                except BaseException:
                    with self._lock:
                        if self._slots.get(key) is slot:
                            del self._slots[key]
                    raise
                slot.weight = weight(slot.value)
                self._shrink(key)
            return slot.value

    def peek(self, key: Hashable) -> Value | None:
        """The value under ``key`` if it is there; does not make it, does not count as use."""
        with self._lock:
            slot = self._slots.get(key)
        return slot.value if slot else None

    def values(self) -> tuple[Value, ...]:
        """All values that are there, the least recently used first."""
        with self._lock:
            return tuple(slot.value for slot in self._slots.values() if slot.value is not None)

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def weight(self) -> int:
        """The sum of all weights."""
        with self._lock:
            return sum(slot.weight for slot in self._slots.values())

    def _shrink(self, newest: Hashable) -> None:
        with self._lock:
            total = sum(slot.weight for slot in self._slots.values())
            for key in list(self._slots):
                if total <= self.limit:
                    break
                if key != newest and self._slots[key].value is not None:
                    total -= self._slots.pop(key).weight
