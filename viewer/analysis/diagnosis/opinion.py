"""A judge's word on why a run failed: it stands beside the rules' diagnosis and never changes it."""

from __future__ import annotations

from dataclasses import dataclass

from viewer.analysis.diagnosis.categories import Category
from viewer.model import Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What one model says. ``step`` is None where it names none.

    ``evidence`` stands word for word in the step, at ``where``; whoever makes an opinion has checked it.
    ``confidence`` is the model's own figure, 0 to 1, and not measured.
    """

    model: str
    step: int | None
    category: Category
    summary: str
    evidence: str = ""
    where: Where | None = None
    confidence: float | None = None
