"""What a trace format is: three things, each a function or a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from viewer.draft import Draft
from viewer.source import Source


@dataclass(frozen=True, slots=True)
class Format:
    """A format, as its module declares it.

    ``label`` is for people ("Claude Code session"). ``accepts`` looks at ``source.head``, ``types``, ``keys`` or the
    document: cheap, structural, never raises. ``read`` walks the rows and returns one draft a run; it raises only
    ``ViewerError``. Exactly one format may accept an input: there are no priorities.
    """

    label: str
    accepts: Callable[[Source], bool]
    read: Callable[[Source], tuple[Draft, ...]]
