"""Two to four open runs, aligned, in the words the Compare page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from components import amounts
from components.alignment_table import WORDS, AlignedRow, only_in
from components.comparison_panels import run_metrics
from viewer.comparison.pairwise import compare
from viewer.comparison.star import star
from viewer.session.open_run import OpenRun


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """Rows are counted from 0; None where there is no such row. Two runs also tell moved calls and recovery."""

    runs: tuple[OpenRun, ...]
    rows: tuple[AlignedRow, ...]
    first_divergence: int | None
    decisive: int | None
    sustained: int | None
    recall: tuple[str, ...]

    @property
    def scope(self) -> str:
        """What a chosen row belongs to."""
        return " ".join(run.run_id for run in self.runs)

    @property
    def same_task(self) -> bool | None:
        """The runs name one task (by id, or by the same words); None where one names none."""
        for known in (
            [run.trajectory.extra.get("task_id") for run in self.runs],
            [" ".join((run.trajectory.task or "").split()) or None for run in self.runs],
        ):
            if all(known):
                return len(set(map(str, known))) == 1
        return None

    @cached_property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """(words, rows) of each kind that occurs."""
        return tuple(Counter(row.words for row in self.rows).most_common())

    @cached_property
    def metrics(self) -> Mapping[str, tuple[str, ...]]:
        """Metric -> one cell a run."""
        columns = []
        for run, recall in zip(self.runs, self.recall, strict=True):
            cells = run_metrics(run.trajectory)
            claims = {True: "yes", False: "admits failure", None: "says neither"}
            first = run.first_unrecovered
            cells |= {
                "claims success": claims[run.headline.claims_success],
                "tool calls": f"{len(run.trajectory.main_line):,}",
                "errors": f"{len(run.errors) - len(run.failed_checks):,}",
                "failed checks": f"{len(run.failed_checks):,}",
                "first unrecovered error": "none" if first is None else f"#{first + 1}",
                "cross-step repetition": _ratio(run.repetition.cross_ratio),
                "longest run of equal steps": f"{run.repetition.max_consecutive:,}",
                "loops": f"{len(run.loops):,}",
                "network steps": f"{len(run.network.network_steps):,}",
                "calls also in A": recall,
            }
            columns.append(cells)
        return {name: tuple(column[name] for column in columns) for name in columns[0]}

    def goes_to(self, place: int) -> dict[int, int]:
        """Call index of a run -> its row."""
        return {call: at for at, row in enumerate(self.rows) if (call := row.calls[place]) is not None}


def _ratio(value: float | None) -> str:
    return "no calls" if value is None else f"{value:.4f}"


def compared(runs: Sequence[OpenRun]) -> Compared:
    """Aligns two to four runs. Raises ``CannotCompare`` for a run whose read is blocked."""
    if len(runs) == 2:
        pair = compare(runs[0].trajectory, runs[1].trajectory)
        return Compared(
            runs=tuple(runs),
            rows=tuple(
                AlignedRow(kind=row.kind, words=WORDS[row.kind], calls=(row.left, row.right)) for row in pair.rows
            ),
            first_divergence=pair.first_divergence,
            decisive=pair.decisive,
            sustained=pair.first_sustained_divergence,
            recall=("reference", _share(sum(None not in (row.left, row.right) for row in pair.rows), runs[0])),
        )
    several = star([run.trajectory for run in runs])
    shared = [sum(None not in (row.calls[0], row.calls[at]) for row in several.rows) for at in range(len(runs))]
    return Compared(
        runs=tuple(runs),
        rows=tuple(
            AlignedRow(
                kind=row.kind,
                words=only_in(row.calls) if row.kind == "partial" else WORDS[row.kind],
                calls=row.calls,
            )
            for row in several.rows
        ),
        first_divergence=several.first_divergence,
        decisive=several.decisive,
        sustained=None,
        recall=("reference", *(_share(count, runs[0]) for count in shared[1:])),
    )


def _share(shared: int, base: OpenRun) -> str:
    return f"{shared:,} of {amounts.count(len(base.trajectory.main_line), 'call')}"
