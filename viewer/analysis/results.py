"""When two results are equal: the state and the text, without what changes from one run of a command to the next."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from viewer.model import ToolCall

_CHANGING: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"  # timestamps
    r"|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b"
    r"|\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*\b"  # addresses, hashes, uuids
    r"|\b\d+(?:\.\d+)?\s?(?:ns|us|µs|ms|s|sec|secs|seconds?|min|mins|minutes?)\b"  # durations
    r"|\b(?:pid|PID|Pid|process|Process)[ =:#]*\d+\b"
)
_DIGIT: Final = re.compile(r"\d")
_SHORT: Final = 200


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
    return _CHANGING.sub("~", text) if _DIGIT.search(text) else text
