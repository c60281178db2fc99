"""Traces made of a few rows, for tests of one reader."""

import json
from typing import Any

from viewer import formats
from viewer.model import Trajectory
from viewer.source import Source


def lines(*rows: Any) -> Source:
    """JSON lines."""
    return Source("run.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())


def runs(*rows: Any) -> tuple[Trajectory, ...]:
    return formats.read(lines(*rows))


def run(*rows: Any) -> Trajectory:
    (only,) = runs(*rows)
    return only


def codes(trajectory: Trajectory) -> list[str]:
    """The codes of its notes."""
    return [note.code for note in trajectory.notes]
