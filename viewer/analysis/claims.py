"""Does a final text claim success? English and Chinese, and only as far as the words go."""

from __future__ import annotations

import re
from typing import Final

_CLAIM: Final = re.compile(
    r"\b(?:fixed|resolved|completed?|done|finished|works? (?:now|correctly|as expected)|working (?:now|correctly)"
    r"|(?:all )?(?:\d+ )?(?:unit )?tests? (?:now )?pass(?:ed|es|ing)?|passes|succeeded|success(?:ful(?:ly)?)?"
    r"|implemented|verified|is ready|has been (?:added|updated|created|written|solved)|solved)\b"
    r"|已完成|已修复|修复了|完成了|通过|成功",
    re.IGNORECASE,
)
_DENIAL: Final = re.compile(
    r"\b(?:could not|couldn't|cannot|can't|unable|fail(?:ed|s|ing)? to|still fail(?:s|ing)?"
    r"|not (?:yet )?(?:fixed|done|able|complete|solved|resolved|working)|did(?:n't| not) (?:manage|succeed|work)"
    r"|unresolved|gave up|giving up|incomplete"
    r"|remains? (?:broken|unsolved|failing)|without success|unsuccessful(?:ly)?)\b"
    r"|未能|无法|失败|没有完成|未完成",
    re.IGNORECASE,
)


def claims_success(text: str | None) -> bool | None:
    """True for a claim of success, False for an admission of failure, None where the text says neither.

    A text that says both ("fixed the parser, could not run the tests") admits.
    """
    if not text:
        return None
    if _DENIAL.search(text):
        return False
    return True if _CLAIM.search(text) else None


def claim_words(text: str) -> str | None:
    """The words that make the claim, as they stand in the text."""
    found = _CLAIM.search(text)
    return found.group() if found else None
