"""The folder for what can be made again, by the habits of the system; one setting for all of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "TRAJECTORY_VIEWER_CACHE"
"""Names another folder, or switches caching off: ``off``, ``none``, ``0`` or empty."""


def cache_folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """The folder, which need not exist; None when it is switched off. ``environment`` defaults to the process's."""
    given = os.environ if environment is None else environment
    named = given.get(VARIABLE)
    if named is not None:
        return None if named.strip().lower() in ("", "off", "0", "none") else Path(named).expanduser()
    if sys.platform == "win32":
        above = Path(given.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        above = Path.home() / "Library" / "Caches"
    else:
        above = Path(given.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return above / "trajectory-viewer"
