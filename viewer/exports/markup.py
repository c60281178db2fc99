"""HTML from parts: text goes in escaped, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Final

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_VOID: Final = frozenset({"br", "meta", "hr"})


class Markup(str):
    """A text that is HTML already. Only this module and its callers' own constants make one."""

    __slots__ = ()


def plain(text: str) -> str:
    """Text without terminal colours; control signs, signs that turn the direction and lone surrogates become "�"."""
    return _CONTROL.sub("�", _ANSI.sub("", text))


def tag(element: str, /, *content: str | Iterable[str] | None, **attributes: str | bool | None) -> Markup:
    """``<element ...>content</element>``: strings are escaped unless they are ``Markup``; None is left out.

    ``class_`` and ``for_`` lose their underline, other underlines become hyphens; True is an attribute without value.
    """
    words = [element]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        named = key.rstrip("_").replace("_", "-")
        words.append(named if value is True else f'{named}="{escape(plain(value))}"')
    if element in _VOID:
        return Markup(f"<{' '.join(words)}>")
    return Markup(f"<{' '.join(words)}>{joined(*content)}</{element}>")


def joined(*content: str | Iterable[str] | None) -> Markup:
    """Content one after the other, escaped where it is not ``Markup``."""
    parts: list[str] = []
    for item in content:
        if item is None:
            continue
        if isinstance(item, Markup):
            parts.append(item)
        elif isinstance(item, str):
            parts.append(escape(plain(item)))
        else:
            parts.append(joined(*item))
    return Markup("".join(parts))
