"""Rules for conversations, each with its near misses, on runs counted by hand."""

import pytest

from tests.trajectories import By, Say, User, trajectory
from viewer.analysis.diagnosis import diagnose
from viewer.analysis.diagnosis.facts import Facts
from viewer.analysis.diagnosis.message_rules import is_conversation
from viewer.analysis.diagnosis.rules import RULES

FIND = {rule.id: rule.find for rule in RULES}
PLAN = By("Lead", Say("Let us find the tallest tower. I will ask around."))
FAILS = By("Coder", Say("Running it.", calls=("shell python3 a.py => exit 1 NameError: name 'x' is not defined",)))
WORKS = By("Coder", Say("Running it again.", calls=("shell python3 b.py => ok 42",)))
GUESS = By("Expert", Say("It is the Skyline Spire, I am sure."))
AGREE = By("Checker", Say("I agree with that."))
END = By("Lead", Say("FINAL ANSWER: Skyline Spire"))
BYE = By("Lead", Say("TERMINATE"))
FACTS = By("Expert", Say("Heights: 310, 452, 508 and 828 metres."))


def found(rule, *steps, **header):
    """(step, symptom) of each hit of a rule."""
    return [(hit.step, hit.symptom) for hit in FIND[rule](Facts(trajectory(*steps, **header)))]


CONVERSATIONS = [
    ((PLAN, GUESS, END), {}, True),
    ((PLAN, FAILS, END), {}, True),
    ((Say("One."), Say("Two.")), {}, True),  # nobody called anything
    ((Say("One."), Say("Two.")), {"declared_tools": ["Read"]}, False),
    ((Say("One."),), {}, False),
    ((Say("One."), Say("Two."), "Read a"), {}, False),  # an agent with tools
    ((By("s1", Say("One.")), By("s1", Say("Two.", calls=("Read a",)))), {}, False),  # a sub-agent's file, alone
    ((By("Lead", Say("One.")), Say("Two.", calls=("Read a",))), {}, False),  # the main agent has no name
]


@pytest.mark.parametrize(("steps", "header", "expected"), CONVERSATIONS)
def test_what_a_conversation_is(steps, header, expected):
    assert is_conversation(Facts(trajectory(*steps, **header))) is expected


HITS = [
    ("R27", (PLAN, FAILS, WORKS, END), [(1, 1)]),  # a later success does not clear it
    ("R27", (PLAN, WORKS, FAILS, FAILS), [(2, 2)]),
    ("R27", (PLAN, WORKS, END), []),
    ("R27", (Say("x"), "Bash make => exit 1 no", "Bash make"), []),  # no conversation
    ("R28", (PLAN, GUESS, AGREE, END), [(1, 3)]),
    ("R28", (PLAN, GUESS, AGREE, END, BYE), [(1, 3)]),
    ("R28", (PLAN, AGREE, END), []),
    ("R28", (PLAN, GUESS, AGREE), []),  # no marked answer
    ("R28", (PLAN, WORKS, By("Lead", Say("So the answer is **42**"))), [(1, 2)]),  # a call brought it
    ("R28", (PLAN, GUESS, By("Lead", Say("FINAL ANSWER: unable to determine"))), []),
    ("R29", (PLAN, AGREE, END), [(2, 2)]),
    ("R29", (PLAN, GUESS, END), []),
    ("R29", (PLAN, AGREE, By("Lead", Say("FINAL ANSWER: 7"))), []),  # one sign is found anywhere
    ("R30", (PLAN, FACTS, AGREE), [(1, 1)]),
    ("R30", (PLAN, By("Coder", Say("Try\n```\nprint(1)\n```")), AGREE), [(1, 1)]),
    ("R30", (FACTS, AGREE, GUESS), []),  # the opening hands on the task
    ("R30", (WORKS, FACTS, AGREE), [(0, 0)]),  # but it counts when it acts
    ("R30", (PLAN, By("Expert", Say("Heights: 310, 452 and 508 metres.")), AGREE), []),
    ("R31", (PLAN, By("Surfer", Say("Please verify you are a human.")), AGREE), [(1, 1)]),
    ("R31", (PLAN, By("Surfer", Say("The response was filtered: content_filter"))), [(1, 1)]),
    ("R31", (PLAN, By("Surfer", Say("The policy of the museum is on the page.")), AGREE), []),
]


@pytest.mark.parametrize(("rule", "steps", "expected"), HITS)
def test_rules(rule, steps, expected):
    assert found(rule, *steps) == expected


def test_figures_of_the_task_are_no_specifics():
    assert found("R30", PLAN, FACTS, AGREE, task="Which of 310, 452, 508 and 828 is the height?") == []


def test_words_of_the_task_do_not_make_an_origin():
    steps = (By("Lead", Say("Is it the Red Tower or the Blue Tower?")), By("Expert", Say("Blue it is.")), AGREE)
    end = By("Lead", Say("FINAL ANSWER: Blue Tower, height 828"))
    assert found("R28", *steps, end, task="Red Tower or Blue Tower?") == []
    assert found("R29", *steps, end, task="Red Tower or Blue Tower?") == [(3, 3)]


def test_what_a_user_says_is_no_origin():
    assert found("R28", User("Is it the Skyline Spire?"), PLAN, END, task="Is it the tallest?") == []


RANKS = [
    ((PLAN, GUESS, FAILS, END), "R27", 2),
    ((PLAN, FACTS, GUESS, END), "R28", 2),
    ((PLAN, FACTS, AGREE), "R30", 1),
    ((PLAN, GUESS, By("Lead", Say("FINAL ANSWER: Skyline Spire. content_filter"))), "R31", 2),
]


@pytest.mark.parametrize(("steps", "rule", "step"), RANKS)
def test_a_failure_goes_before_an_answer_and_an_answer_before_specifics(steps, rule, step):
    root = diagnose(trajectory(*steps), "failed").root
    assert root is not None
    assert (root.hit.rule, root.hit.step) == (rule, step)


def test_rules_on_one_failed_call_are_one_witness():
    diagnosis = diagnose(trajectory(PLAN, FACTS, AGREE, FAILS, *[AGREE] * 12), "failed")
    assert {candidate.hit.rule for candidate in diagnosis.candidates} >= {"R01", "R27"}
    assert diagnosis.reasons == ("the step has an explicit error",)
