"""Text that goes round: a stretch of 50 characters written again and again (Gemini CLI's content loop)."""

from __future__ import annotations

import re
from collections import Counter, deque
from typing import Final

CHUNK: Final = 50
TIMES: Final = 10
MEAN_DISTANCE: Final = 250
_PART: Final = (CHUNK - 2) // 2
_WIDE: Final = re.compile(r"\s{3,}")


def chants_at(text: str) -> int | None:
    """Where the tenth copy of one chunk of 50 characters begins, the copies at most 250 characters apart on average.

    None when the text doesn't chant. Linear in the text.
    """
    if not _may_chant(text):
        return None
    places: dict[str, deque[int]] = {}
    for at in range(len(text) - CHUNK + 1):
        own = places.setdefault(text[at : at + CHUNK], deque(maxlen=TIMES))
        own.append(at)
        if len(own) == TIMES and own[-1] - own[0] <= MEAN_DISTANCE * (TIMES - 1):
            return at
    return None


def _may_chant(text: str) -> bool:
    """Cheap, and never wrong with its no.

    A chunk between narrow gaps holds a whole word, or 24 characters of a long one; that then comes ten times.
    """
    if len(text) < CHUNK + TIMES - 1:
        return False
    words = text.split()
    if max(Counter(words).values(), default=0) >= TIMES:
        return True
    wide = _WIDE.findall(text)
    if len(wide) >= TIMES or any(len(gap) >= CHUNK for gap in wide):
        return True
    parts = Counter(
        word[at : at + _PART] for word in words if len(word) >= _PART for at in range(len(word) - _PART + 1)
    )
    return max(parts.values(), default=0) >= TIMES
