"""How often the rules name the step (and the agent, the category) that a person blamed, beside what chance would.

Run: uv run python -m tests.benchmarks.localization  (needs ../shared/labels: half of Who&When and AgentRx)

The rules for conversations (R27 to R31) and the reasons that are counted into a level were chosen on these very runs,
among about sixty variants (which errors count, where texts are searched, how an answer is marked, what comes first,
which reasons are counted), so expect less on others. AgentRx's Magentic-One runs are Who&When's hand-crafted runs with
other people's labels; they are left out of the table of reliability, which would count them twice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.benchmarks.labelled_runs import SETS, LabelledRun, labelled_runs
from tests.places import SHARED
from viewer.analysis.diagnosis import Diagnosis, diagnose
from viewer.analysis.diagnosis.categories import AGENT_RX
from viewer.analysis.diagnosis.reliability import Measured
from viewer.batch.proportions import share as counted

LABELS = SHARED / "labels"
NEAR = (0, 1, 3, 5)
LEVELS = ("likely", "possible", "weak")
INDEPENDENT = ("algorithm_generated", "hand_crafted", "tau_retail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Of ``runs`` runs: within 0, 1, 3 and 5 steps of the label, the agent, the exact step in both halves.

    Shares are 0 to 1. Halves are the even and the odd positions. ``category`` is None without such labels.
    """

    runs: int
    within: tuple[float, ...]
    agent: float
    halves: tuple[float, float]
    category: float | None = None

    def interval(self, share: float) -> tuple[float, float]:
        """Wilson's interval of a share that was counted."""
        return _interval(round(share * self.runs), self.runs)


def score(runs: Sequence[LabelledRun], steps: Sequence[int | None], right: Sequence[bool] | None = None) -> Accuracy:
    """Scores one predicted message a run; None names no step and is wrong everywhere. Integers, compared with ==.

    ``right``: whether the category was right, a run.
    """
    far = [None if step is None else abs(step - run.step) for run, step in zip(runs, steps, strict=True)]
    agent = [step is not None and run.speakers[step] == run.agent for run, step in zip(runs, steps, strict=True)]
    return Accuracy(
        runs=len(runs),
        within=tuple(_share([off is not None and off <= reach for off in far]) for reach in NEAR),
        agent=_share(agent),
        halves=(_share([off == 0 for off in far[::2]]), _share([off == 0 for off in far[1::2]])),
        category=None if right is None else _share(right),
    )


def by_chance(runs: Sequence[LabelledRun]) -> Accuracy:
    """What a step drawn evenly from all messages would score on average; exact is the mean of 1/length."""

    def mean(shares: Sequence[float]) -> float:
        return sum(shares) / len(shares)

    def around(run: LabelledRun, reach: int) -> float:
        places = range(max(0, run.step - reach), min(len(run.speakers), run.step + reach + 1))
        return len(places) / len(run.speakers)

    exact = [around(run, 0) for run in runs]
    return Accuracy(
        runs=len(runs),
        within=tuple(mean([around(run, reach) for run in runs]) for reach in NEAR),
        agent=mean([run.speakers.count(run.agent) / len(run.speakers) for run in runs]),
        halves=(mean(exact[::2]), mean(exact[1::2])),
    )


def best_constant(runs: Sequence[LabelledRun]) -> int:
    """The index that is right most often; it knows the labels, which no method may."""
    counts = Counter(run.step for run in runs)
    return max(sorted(counts), key=lambda step: counts[step])


def last_step(run: LabelledRun) -> int | None:
    """The last message."""
    return len(run.speakers) - 1


def first_error(run: LabelledRun) -> int | None:
    """The message with the first result that is an error, or looks like one: the symptom."""
    for call in run.trajectory.calls:
        if call.result and call.result.where and (call.state == "error" or call.result.suspect):
            return call.result.where.row
    return None


def before_first_error(run: LabelledRun) -> int | None:
    """The agent's step before the first failed call; without one the first agent's step."""
    model = (step.index for step in run.trajectory.steps if step.role == "model")
    failed = (call.step for call in run.trajectory.calls if call.state == "error")
    step = next(failed, next(model, None))
    return None if step is None else run.message(step)


BASELINES: dict[str, Callable[[LabelledRun], int | None]] = {
    "last step": last_step,
    "first error": first_error,
    "agent step before first error": before_first_error,
}


def diagnosed(runs: Sequence[LabelledRun]) -> tuple[Diagnosis, ...]:
    """The rules' word on each run; that it failed is known, what failed is not."""
    return tuple(diagnose(run.trajectory, "failed") for run in runs)


def named(run: LabelledRun, diagnosis: Diagnosis) -> int | None:
    """The message that the root stands in."""
    return run.message(diagnosis.root.hit.step) if diagnosis.root else None


def table(runs: Sequence[LabelledRun]) -> dict[str, Accuracy]:
    """The rules, then the baselines, by name."""
    diagnoses = diagnosed(runs)
    steps = [named(run, diagnosis) for run, diagnosis in zip(runs, diagnoses, strict=True)]
    constant = best_constant(runs)
    found = {
        "rules": score(runs, steps, _categories(runs, [diagnosis.category for diagnosis in diagnoses])),
        "random": by_chance(runs),
        f"best constant (index {constant})": score(
            runs, [constant if constant < len(run.speakers) else None for run in runs]
        ),
    }
    for name, predict in BASELINES.items():
        found[name] = score(runs, [predict(run) for run in runs])
    return found


def reliability(sets: Sequence[Sequence[LabelledRun]]) -> dict[str, Measured]:
    """Exact hits a level, over the runs in which the rules named a root."""
    counts = {level: [0, 0] for level in LEVELS}
    for runs in sets:
        for run, diagnosis in zip(runs, diagnosed(runs), strict=True):
            if diagnosis.level is not None:
                counts[diagnosis.level][0] += named(run, diagnosis) == run.step
                counts[diagnosis.level][1] += 1
    found = {}
    for level, (exact, of) in counts.items():
        low, high = _interval(exact, of)
        found[level] = Measured(exact=exact, runs=of, low=round(low, 4), high=round(high, 4))
    return found


def literal(measured: dict[str, Measured]) -> str:
    """The table as it stands in ``reliability.py``."""
    lines = [
        f'    "{level}": Measured(exact={one.exact}, runs={one.runs}, low={one.low}, high={one.high}),'
        for level, one in measured.items()
    ]
    return "\n".join(["MEASURED: Final[dict[str, Measured]] = {", *lines, "}"])


def main() -> None:
    results = []
    sets = {name: labelled_runs(LABELS, name) for name in SETS}
    for name, runs in sets.items():
        print(f"\n{name}: {len(runs)} runs (percent; interval: Wilson 95 %)")
        print(
            f"{'':34} {'exact':>6} {'interval':>12} {'even':>6} {'odd':>6} {'±1':>6} {'±3':>6} {'±5':>6} {'agent':>6}"
        )
        for method, found in table(runs).items():
            low, high = found.interval(found.within[0])
            interval = "" if method == "random" else f"{100 * low:.1f}-{100 * high:.1f}"
            shares = (*found.halves, *found.within[1:], found.agent)
            cells = " ".join(f"{100 * share:>6.1f}" for share in shares)
            print(f"{method:34} {100 * found.within[0]:>6.1f} {interval:>12} {cells}{_category(found)}")
            results.append({"set": name, "method": method, "runs": found.runs, "exact": round(found.within[0], 4)})
        print(_by_rule(runs))
    print("\nviewer/analysis/diagnosis/reliability.py:\n")
    print(literal(reliability([sets[name] for name in INDEPENDENT])))
    print(json.dumps({"benchmark": "localization", "results": results}))


def _interval(hits: int, of: int) -> tuple[float, float]:
    found = counted(hits, of)
    return found.low or 0.0, 1.0 if found.high is None else found.high


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def _categories(runs: Sequence[LabelledRun], found: Sequence[str]) -> list[bool] | None:
    if any(run.category is None for run in runs):
        return None
    return [ours in AGENT_RX.get(run.category or "", ()) for run, ours in zip(runs, found, strict=True)]


def _category(found: Accuracy) -> str:
    if found.category is None:
        return ""
    low, high = found.interval(found.category)
    return f"   category {100 * found.category:.1f} ({100 * low:.1f}-{100 * high:.1f})"


def _by_rule(runs: Sequence[LabelledRun]) -> str:
    named_by: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for run, diagnosis in zip(runs, diagnosed(runs), strict=True):
        rule = diagnosis.root.hit.rule if diagnosis.root else "no root"
        named_by[rule] += 1
        right[rule] += named(run, diagnosis) == run.step
    return "exact by the root's rule: " + ", ".join(
        f"{rule} {right[rule]}/{named_by[rule]}" for rule in sorted(named_by)
    )


if __name__ == "__main__":
    main()
