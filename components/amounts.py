"""Numbers as a person reads them. ``None`` is "not recorded" everywhere, never 0."""

from __future__ import annotations

from typing import Final

NOT_RECORDED: Final = "not recorded"


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 call``, ``20,000 calls``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def tokens(number: int | None) -> str:
    """``787``, ``367.9k``, ``8.4M``."""
    if number is None:
        return NOT_RECORDED
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1_000:.1f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"


def seconds(value: float | None) -> str:
    """``309 ms``, ``12.7 s``, ``55 min 31 s``, ``49 h 43 min``."""
    if value is None:
        return NOT_RECORDED
    if value < 0:
        return "unknown"
    if value < 0.9995:
        return f"{value * 1_000:.0f} ms"
    if value < 99.95:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3_600:,} h {whole % 3_600 // 60} min"


def size(number: int) -> str:
    """``812 bytes``, ``59.1 kB``, ``2.4 MB``."""
    if number < 10_000:
        return f"{number:,} bytes"
    return f"{number / 1_000:,.1f} kB" if number < 1_000_000 else f"{number / 1_000_000:,.1f} MB"


def share(part: int, whole: int) -> str:
    """Whole percent; "none" over nothing."""
    return f"{100 * part / whole:.0f}%" if whole else "none"


def dollars(value: float | None) -> str:
    """``$0.0312``; only what a file states."""
    if value is None:
        return NOT_RECORDED
    return f"${value:,.2f}" if value >= 1 else f"${value:.4f}"
