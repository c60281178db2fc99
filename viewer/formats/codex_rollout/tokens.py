"""Tokens of a thread: from one of two kinds of rows, never from both, and never a sum of totals."""

from __future__ import annotations

from viewer.draft import StepDraft, summed
from viewer.lenient import integer, mapping
from viewer.model import Json, Line, Usage


class Tokens:
    """Collects what rows say of tokens, and to which step it belongs."""

    def __init__(self) -> None:
        self._records: dict[str, tuple[Usage, StepDraft | None, Line]] = {}
        self._counts: list[tuple[Usage, StepDraft | None, Line]] = []
        self._total: dict[str, Json] | None = None

    def begin(self) -> None:
        """Another file: its running total is its own."""
        self._total = None

    def record(self, response: str | None, usage: Json, step: StepDraft | None, line: Line) -> None:
        """A ``token_usage_record``: one a response; written again, the last one counts."""
        key = response if response is not None else f"record {len(self._records)}"
        self._records[key] = _usage(mapping(usage)), step, line

    def count(self, payload: dict[str, Json], step: StepDraft | None, line: Line) -> bool:
        """A ``token_count`` event. False when its total did not move: Codex repeats them."""
        info = mapping(payload.get("info"))
        total, last = mapping(info.get("total_token_usage")), mapping(info.get("last_token_usage"))
        if not total and not last:
            return False
        if total:
            if total == self._total:
                return False
            if not last:
                last = _difference(total, self._total or {})
            self._total = total
        self._counts.append((_usage(last), step, line))
        return True

    def total(self) -> Usage | None:
        """The run's tokens, without those of inherited rows; sets the steps' own on the way."""
        found = list(self._records.values()) or self._counts
        rule = (
            "token_usage_record, once a response" if self._records
            else "token_count: the last usage of each row whose total moved"
        )  # fmt: skip
        by_step: dict[StepDraft, list[Usage]] = {}
        for usage, step, _ in found:
            if step is not None:
                by_step.setdefault(step, []).append(usage)
        for step, usages in by_step.items():
            step.usage = usages[0] if len(usages) == 1 else summed(usages)
        return summed([usage for usage, _, line in found if line != "inherited"], rule)


def _usage(usage: dict[str, Json]) -> Usage:
    """``input_tokens`` includes cached ones, ``output_tokens`` the reasoning."""
    return Usage(
        input_tokens=integer(usage.get("input_tokens")),
        output_tokens=integer(usage.get("output_tokens")),
        cached_tokens=integer(usage.get("cached_input_tokens")),
        cache_write_tokens=integer(usage.get("cache_write_input_tokens")),
        reasoning_tokens=integer(usage.get("reasoning_output_tokens")),
    )


def _difference(total: dict[str, Json], before: dict[str, Json]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in total.items():
        now, then = integer(value), integer(before.get(key)) or 0
        if now is not None:
            found[key] = now - then if now >= then else now
    return found
