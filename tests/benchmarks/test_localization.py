"""The benchmark's adapter and scorer: on runs made by hand, and against the figures of ../shared/labels/README.md."""

import pytest

from tests.benchmarks import localization
from tests.benchmarks.labelled_runs import LabelledRun, conversation, labelled_runs
from viewer.analysis.diagnosis.reliability import MEASURED, Measured

MESSAGES = [
    {"role": "assistant", "name": "Coder", "content": "Run\n```python\nprint(x)\n```"},
    {"role": "user", "name": "Computer_terminal", "content": "exitcode: 1 (execution failed)\nCode output: NameError"},
    {"role": "user", "name": "Checker", "content": "It failed."},
    {"role": "user", "name": "Computer_terminal", "content": "There is no code from the last 1 message"},
]


def made(step: int, agent: str = "coder") -> LabelledRun:
    speakers = tuple(message["name"].lower() for message in MESSAGES)
    return LabelledRun(name="x", trajectory=conversation(MESSAGES), speakers=speakers, step=step, agent=agent)


def test_a_message_is_a_step_and_a_terminal_answers_the_step_before():
    run = conversation(MESSAGES)
    assert [(step.role, step.agent) for step in run.steps] == [
        ("model", "Coder"),
        ("environment", "Computer_terminal"),
        ("model", "Checker"),
        ("environment", "Computer_terminal"),
    ]
    assert [(call.step, call.state, call.arguments) for call in run.calls] == [(0, "error", {"command": "print(x)\n"})]


def test_a_suffix_is_no_part_of_a_name():
    run = conversation([{"role": "Lead (-> Surfer)", "content": "Go."}, {"role": "human", "content": "Why?"}])
    assert [(step.role, step.agent) for step in run.steps] == [("model", "Lead"), ("user", "human")]


def test_scores_are_counted():
    found = localization.score([made(0), made(2), made(3)], [0, 1, None])
    assert found.within == pytest.approx((1 / 3, 2 / 3, 2 / 3, 2 / 3))
    assert found.agent == pytest.approx(1 / 3)
    assert found.halves == (0.5, 0.0)


def test_numbers_are_compared_as_numbers():
    """The public scorer of Who&When takes "1" for right where the label is "12"."""
    assert localization.score([made(12)], [1]).within[0] == 0


def test_chance_is_one_over_the_length():
    found = localization.by_chance([made(0), made(3)])
    assert found.within == pytest.approx((0.25, 0.5, 1.0, 1.0))
    assert found.agent == 0.25


def test_baselines():
    run = made(0)
    assert localization.last_step(run) == 3
    assert localization.first_error(run) == 1
    assert localization.before_first_error(run) == 0


README = [
    ("algorithm_generated", 63, 11.8, 1.6, 30.2, 1, 23.8, 36.5),
    ("hand_crafted", 29, 4.3, 13.8, 27.6, 8, 17.2, 3.4),
]


@pytest.mark.parametrize(("name", "runs", "random", "last", "last_near", "index", "constant", "before"), README)
def test_the_scorer_gives_the_known_figures(shared, name, runs, random, last, last_near, index, constant, before):
    found = localization.table(labelled_runs(shared / "labels", name))

    def percent(method: str, near: int = 0) -> float:
        return round(100 * found[method].within[near], 1)

    assert found["rules"].runs == runs
    assert percent("random") == random
    assert (percent("last step"), percent("last step", 2)) == (last, last_near)
    assert percent(f"best constant (index {index})") == constant
    assert percent("agent step before first error") == before


def test_the_rules_reach_the_bar(shared):
    """Not below "agent step before the first error" of the same run, exact and agent."""
    found = localization.table(labelled_runs(shared / "labels", "algorithm_generated"))
    rules, bar = found["rules"], found["agent step before first error"]
    assert rules.within[0] >= bar.within[0]
    assert rules.agent >= bar.agent


def test_the_table_of_reliability_is_what_is_measured(shared):
    sets = [labelled_runs(shared / "labels", name) for name in localization.INDEPENDENT]
    assert localization.reliability(sets) == MEASURED
    likely, possible, weak = (MEASURED[level].exact / MEASURED[level].runs for level in localization.LEVELS)
    assert likely > possible > weak


def test_the_literal_is_the_table():
    namespace: dict[str, object] = {}
    text = localization.literal(MEASURED).replace(": Final[dict[str, Measured]]", "")
    exec(text, {"Measured": Measured}, namespace)
    assert namespace["MEASURED"] == MEASURED
