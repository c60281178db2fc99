"""The sample runs of the repository: what the home page opens on."""

from __future__ import annotations

from pathlib import Path

import viewer

_NAME = "sample_runs"


def samples() -> Path | None:
    """The folder ``sample_runs`` beside the package, or inside it when it was installed; None when there is none.

    A bare clone and an editable install have it. A page says so when it is missing: samples are no part of a wheel.
    """
    package = Path(viewer.__file__).resolve().parent
    return next((place for place in (package.parent / _NAME, package / _NAME) if place.is_dir()), None)
