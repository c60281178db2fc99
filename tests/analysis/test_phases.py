"""Phases by effect: L localize, P patch, V validate, G general."""

import pytest

from tests.trajectories import By, trajectory
from viewer.analysis.phases import phase_shares, phase_string, phases


@pytest.mark.parametrize(
    ("call", "letter"),
    [
        ("Read a.py", "L"),
        ("bash cat a.py", "L"),
        ("bash sed -n 1,9p a.py", "L"),
        ("bash grep -rn median .", "L"),
        ("bash ls", "L"),
        ("Grep median", "L"),
        ("WebFetch https://example.com", "L"),
        ("bash curl https://example.com", "L"),
        ("bash python3 -m unittest", "L"),
        ("Edit a.py 1", "P"),
        ("Write a.py 1", "P"),
        ("bash sed -i s/a/b/ a.py", "P"),
        ("bash echo x > a.py", "P"),
        ("bash git commit -m x", "G"),
        ("bash python3 script.py", "G"),
        ("TodoWrite", "G"),
        ("Agent look", "G"),
        ("lint_line_lengths a.py", "G"),
    ],
)
def test_letter(call: str, letter: str) -> None:
    assert phases(trajectory(call)) == (letter,)


def test_tests_validate_once_something_was_patched() -> None:
    test = "bash pytest -q => exit 1"
    assert phases(trajectory(test, "Edit a.py 1 => error", test)) == ("L", "P", "V")


def test_string() -> None:
    run = trajectory("Read a", "bash pytest", "Edit a.py 1", "bash pytest", "Edit a.py 2", "bash pytest", "bash pytest")
    assert phase_string(run) == "L2 P V P V2"


def test_another_agents_patch_is_not_mine() -> None:
    run = trajectory(By("sub", "Edit a.py 1"), "bash pytest", By("sub", "bash pytest"))
    assert phases(run) == ("P", "L", "V")
    assert phase_string(run) == "L"
    assert phase_string(run, "sub") == "P V"
    assert phase_string(trajectory(By("sub", "Read a"))) == "L"


def test_shares_leave_other_lines_out() -> None:
    run = trajectory("Read a", "Edit a.py 1", By(None, "bash git log", line="abandoned"), "bash pytest", "bash pytest")
    assert phase_shares(run) == {"L": 0.25, "P": 0.25, "V": 0.5}
    assert phase_string(run) == "L P V2"
    assert (phase_string(trajectory()), phase_shares(trajectory())) == ("", {})
