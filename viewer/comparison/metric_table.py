"""The numbers of several runs side by side, each with what it means: for the page, the command line and exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from viewer.analysis import Blocked
from viewer.analysis.headline import headline
from viewer.analysis.loops import loops
from viewer.analysis.metrics import metrics
from viewer.analysis.network import network
from viewer.analysis.repetition import DEFINITIONS as REPETITION
from viewer.analysis.repetition import repetition
from viewer.comparison.star import Star
from viewer.model import Trajectory

Value: TypeAlias = int | float | str | bool | None
Unit: TypeAlias = Literal["", "tokens", "dollars", "seconds", "ratio", "call", "words"]
"""``call`` is the index of a call, ``words`` a text or a yes and no."""

_OWN: Final[dict[str, tuple[str, Unit, str]]] = {
    "harness": ("Harness", "words", "The program that ran the agent, as the file says or its format tells."),
    "model": ("Model", "words", "The model that the file names first."),
    "outcome": ("Outcome", "words", "What a verifier, a score or a label says; never the agent or its harness."),
    "score": ("Score", "ratio", "The score that came with the outcome."),
    "ending": ("Ending", "words", "How the run ended, as the file says."),
    "claims_success": ("Claims success", "words", "Whether the agent's final text claims that the task is done."),
    "loops": ("Loops", "", "Stretches where the run went in circles; the Loops tab of a run names the rules."),
    "first_unrecovered_error": (
        "First unrecovered error", "call", "The first error that no later call of the same kind and target made good.",
    ),
    "tokens": ("Tokens", "tokens", "Input and output tokens together."),
    "duration": ("Duration", "seconds", "From the run's first recorded time to its last."),
    "network_steps": ("Network steps", "", "Steps with a call that reached for the network."),
    "within_step": ("Repeats within a step", "", "Equal calls within one step, but the first of each."),
    "repeated": ("Repeats", "", "Equal calls anywhere in the run, but the first of each."),
    "step_ratio": ("Repetition within steps", "ratio", REPETITION["step_ratio"]),
    "cross_ratio": ("Repetition", "ratio", REPETITION["cross_ratio"]),
    "between_ratio": ("Repetition between steps", "ratio", REPETITION["between_ratio"]),
    "max_consecutive": ("Longest row of equal steps", "", REPETITION["max_consecutive"]),
    "shared": ("Calls also in the reference", "", "Calls that the reference made, too: the first passed run, or A."),
    "recall": ("Recall", "ratio", "Share of the reference's calls that the run made, too."),
    "precision": ("Precision", "ratio", "Share of the run's calls that the reference made, too."),
    "f1": ("Calls in common (F1)", "ratio", "Harmonic mean of recall and precision."),
    "order_agreement": ("Order agreement", "ratio", "Share of pairs of shared calls that come in the same order."),
    "overhead": ("Overhead", "ratio", "Calls per call of the reference."),
}  # fmt: skip
_FIRST: Final = (
    "harness", "model", "outcome", "score", "ending", "claims_success", "calls", "errors", "checks",
    "first_unrecovered_error", "loops",
    "cross_ratio", "steps", "tokens", "duration", "cost",
)  # fmt: skip
"""What a reader asks for first; the rest follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One number of every run; None is *not recorded*."""

    name: str
    label: str
    unit: Unit
    definition: str
    values: tuple[Value, ...]

    @property
    def differs(self) -> bool:
        """Not all runs have the same."""
        return any(value != self.values[0] for value in self.values[1:])

    def change(self, run: int, base: int = 0) -> float | None:
        """The run's number less the base's; None where either is no number or not recorded."""
        own, other = self.values[run], self.values[base]
        if self.unit in ("words", "call") or not _number(own) or not _number(other):
            return None
        return own - other  # type: ignore[operator]


def _number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def metric_table(runs: Sequence[Trajectory], found: Star) -> tuple[MetricRow, ...]:
    """All numbers, those asked for first at the top. Raises ``Blocked``."""
    columns = [numbers(run) for run in runs]
    for column, against in zip(columns, found.against, strict=True):
        column |= {
            name: getattr(against, name)
            for name in ("shared", "recall", "precision", "f1", "order_agreement", "overhead")
        }
    described: Mapping[str, tuple[str, Any, str]] = {
        **{item.key: (item.label, item.unit, item.definition) for item in metrics(runs[0]).items},
        **_OWN,
    }
    names = [*_FIRST, *(name for name in columns[0] if name not in _FIRST)]
    return tuple(
        MetricRow(
            name=name,
            label=described[name][0],
            unit=described[name][1],
            definition=described[name][2],
            values=tuple(column[name] for column in columns),
        )
        for name in names
    )


def numbers(run: Trajectory) -> dict[str, Value]:
    """The numbers of one run by name. Raises ``Blocked``."""
    usage = run.usage
    counts = [] if usage is None else [usage.input_tokens, usage.output_tokens]
    recorded = [count for count in counts if count is not None]
    measured = metrics(run)
    repeated = repetition(run)
    values: dict[str, Value] = {
        "harness": run.harness,
        "model": run.model,
        "outcome": run.outcome,
        "score": run.score,
        "ending": run.ending,
        "claims_success": headline(run).claims_success,
        "loops": len(loops(run)),
        "first_unrecovered_error": measured.first_unrecovered,
        "tokens": sum(recorded) if recorded else None,
        "duration": measured["wall"].value,
        "network_steps": len(network(run).network_steps),
    }
    for name in ("within_step", "repeated", "step_ratio", "cross_ratio", "between_ratio", "max_consecutive"):
        values[name] = getattr(repeated, name)
    return values | {item.key: item.value for item in measured.items if item.key != "wall"}


__all__ = ["Blocked", "MetricRow", "Unit", "Value", "metric_table", "numbers"]
