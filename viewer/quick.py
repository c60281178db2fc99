"""Frozen dataclasses that are made quickly: a long run makes a million of them."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """Gives a frozen, slotted, keyword-only dataclass an ``__init__`` that takes half the time.

    The standard one calls ``object.__setattr__`` for each field. This one turns the new object into an open twin with
    the same slots, assigns, and turns it back: 0.9 instead of 1.8 µs for a ``ToolCall``. Nothing else changes.
    Not for classes with ``__post_init__``, default factories or subclasses.
    """
    names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
    defaults = {f"default_{field.name}": field.default for field in fields(cls) if field.default is not MISSING}  # type: ignore[arg-type]
    parameters = (f"{name}=default_{name}" if f"default_{name}" in defaults else name for name in names)
    lines = [
        f"def __init__(self, *, {', '.join(parameters)}):",
        "become(self, open_twin)",
        *(f"self.{name} = {name}" for name in names),
        "self.__class__ = frozen",
    ]
    scope: dict[str, Any] = {
        **defaults,
        "become": object.__dict__["__class__"].__set__,
        "open_twin": type(cls.__name__, (), {"__slots__": tuple(names)}),
        "frozen": cls,
    }
    exec("\n    ".join(lines), scope)  # as dataclasses make theirs
    scope["__init__"].__annotations__ = cls.__init__.__annotations__
    cls.__init__ = scope["__init__"]  # type: ignore[method-assign]
    return cls
