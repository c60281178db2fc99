"""Traces as plain mappings: ``go.Figure`` checks them once, where trace objects would be checked and copied twice."""

from __future__ import annotations

from typing import Any, TypeAlias

Trace: TypeAlias = dict[str, Any]


def scatter(**fields: Any) -> Trace:
    """A scatter trace: lines, marks, text."""
    return {"type": "scatter", **fields}


def bars(**fields: Any) -> Trace:
    """A bar trace."""
    return {"type": "bar", **fields}
