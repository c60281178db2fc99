"""Which judge to ask, from the environment only: never from a page, a link or a file of runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from viewer.cache_folder import cache_folder
from viewer.errors import ViewerError

TIMEOUT: Final = 60.0
"""Seconds to wait for one answer."""
MAX_DECISIONS: Final = 60
"""Decisions of one run that are sent at most."""


class InvalidConfiguration(ViewerError):
    """A judge is configured, but not well; the message names the setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """An OpenAI-compatible endpoint. ``timeout`` in seconds; ``cache`` is the folder for answers, None for none.

    The key never shows in a representation.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout: float = TIMEOUT
    max_decisions: int = MAX_DECISIONS
    cache: Path | None = None

    @property
    def host(self) -> str:
        """Where the text goes, for the preview; without credentials."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]


def configuration(environment: Mapping[str, str] | None = None) -> Configuration | None:
    """The configured judge; None (off) unless both TV_JUDGE_BASE_URL and TV_JUDGE_MODEL are set.

    TV_JUDGE_API_KEY, TV_JUDGE_TIMEOUT (seconds, 60) and TV_JUDGE_MAX_DECISIONS (60) may be set too. Answers are kept
    in the user's cache folder (``TRAJECTORY_VIEWER_CACHE``). Raises ``InvalidConfiguration``.
    """
    given = os.environ if environment is None else environment
    base_url, model = given.get("TV_JUDGE_BASE_URL", "").strip(), given.get("TV_JUDGE_MODEL", "").strip()
    if not base_url or not model:
        return None
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InvalidConfiguration(
            "TV_JUDGE_BASE_URL is no http or https address. Set it to the part before /chat/completions, "
            "like http://127.0.0.1:8000/v1."
        )
    folder = cache_folder(given)
    return Configuration(
        base_url=base_url,
        model=model,
        api_key=given.get("TV_JUDGE_API_KEY", "").strip(),
        timeout=_positive(given, "TV_JUDGE_TIMEOUT", TIMEOUT),
        max_decisions=int(_positive(given, "TV_JUDGE_MAX_DECISIONS", MAX_DECISIONS)),
        cache=folder / "judge" if folder else None,
    )


def _positive(given: Mapping[str, str], name: str, default: float) -> float:
    said = given.get(name, "").strip()
    if not said:
        return default
    try:
        value = float(said)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 100_000:
        raise InvalidConfiguration(f"{name} is {said!r}. Set it to a number from 1 to 100,000, or leave it out.")
    return value
