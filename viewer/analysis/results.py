"""When two results are equal: the state and the text, without what changes from one run of a command to the next."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b
from typing import Final

from viewer.analysis.remembered import remembered
from viewer.model import ToolCall, Trajectory

_TIME: Final = re.compile(
    r"(?<![\w.])(?:"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"  # timestamps
    r"|\d\d?:\d\d:\d\d(?:[.,]\d+)?"
    r"|\d+(?:\.\d+)?\s?(?:[nuµm]?s|secs?|seconds?|min(?:ute)?s?)\b"  # durations
    r")"
)
_HEX: Final = re.compile(r"\b(?:0x[0-9a-fA-F]+|(?=[a-fA-F]*\d)[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*)\b")
_MAY_BE_HEX: Final = re.compile(r"[0-9a-fA-F]{8}|0x")
_PROCESS: Final = re.compile(r"\b(?:pid|process)[ =:#]*\d+\b", re.IGNORECASE)
_SHORT: Final = 200


@remembered
def brought(trajectory: Trajectory) -> tuple[tuple[str, str], ...]:
    """(signature, result signature) of every call of the run, by index.

    The latter is "" where the call's signature comes only once: no other can equal it, so nothing is masked.
    """
    counts = Counter(call.signature for call in trajectory.calls)
    return tuple(
        (call.signature, result_signature(call) if counts[call.signature] > 1 else "") for call in trajectory.calls
    )


def result_signature(call: ToolCall) -> str:
    """State and text of a call's result with timestamps, long hex strings, durations and process ids masked.

    Equal for results that say the same; texts over 200 characters are digested. No result: the state alone.
    """
    if call.result is None:
        return call.state
    text = masked(call.result.text)
    if len(text) > _SHORT:
        text = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{call.state}:{text}"


def masked(text: str) -> str:
    """The text with every changing part replaced by "~"."""
    text = _TIME.sub("~", text)
    if _MAY_BE_HEX.search(text):
        text = _HEX.sub("~", text)
    if "pid" in text or "rocess" in text or "PID" in text:
        text = _PROCESS.sub("~", text)
    return text
