"""Numbers in the sentences beside figures."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """``1 call``, ``1,234 calls``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
