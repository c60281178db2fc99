"""Why was my file not recognised? What stands in it, who accepts it, and which formats come near."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from components.recognition import Near, Recognition
from viewer import formats
from viewer.errors import RunError
from viewer.runs import Entry, parse_state, source_of
from viewer.session.open_run import OpenRun, run_name
from viewer.source import Source

SHOWN: Final = 10
NEAREST: Final = 3


def marks(source: Source) -> frozenset[str]:
    """What tells a file's shape: its top-level keys and its row types."""
    return frozenset(source.keys) | {f"type {kind}" for kind in source.types}


def sample_marks(entries: Iterable[tuple[str, Entry]]) -> dict[str, frozenset[str]]:
    """Format -> the marks that all its samples share."""
    found: dict[str, frozenset[str]] = {}
    for name, entry in entries:
        try:
            own = marks(source_of(entry))
        except RunError:
            continue
        found[name] = found[name] & own if name in found else own
    return found


def recognised(
    entry: Entry, samples: Mapping[str, frozenset[str]], runs: tuple[OpenRun, ...], error: RunError | None
) -> Recognition:
    """``runs`` or the ``error`` that opening the entry gave. Never raises for bad input."""
    accepted: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    try:
        source = source_of(entry)
    except RunError as broken:
        error = error or broken
    else:
        accepted, seen, own = formats.acceptors(source), formats.describe(source), marks(source)
    near = () if accepted else _near(own, samples)
    return Recognition(
        name=entry.label,
        state="ok" if error is None else parse_state(error),
        accepted=accepted,
        seen=seen,
        near=near,
        runs=tuple(
            (run.run_id, f"Open {run_name(entry, run.run_id if len(runs) > 1 else '')}") for run in runs[:SHOWN]
        ),
        found=error.found if error else "",
        expected=error.expected if error else "",
        do=error.do if error else "",
    )


def _near(own: frozenset[str], samples: Mapping[str, frozenset[str]]) -> tuple[Near, ...]:
    ranked = sorted(
        ((len(own & theirs) / len(own | theirs), name, theirs) for name, theirs in samples.items() if own & theirs),
        key=lambda entry: (-entry[0], entry[1]),
    )
    return tuple(
        Near(
            label=formats.known()[name].label,
            share=share,
            found=tuple(sorted(own & theirs)[:SHOWN]),
            missing=tuple(sorted(theirs - own)[:SHOWN]),
        )
        for share, name, theirs in ranked[:NEAREST]
        if name in formats.known()
    )
