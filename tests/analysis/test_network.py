"""Network operations by command position, with near misses. AgentCompass's own tables are in its oracle test."""

import pytest

from tests.trajectories import Say, trajectory
from viewer.analysis.network import network


@pytest.mark.parametrize(
    ("call", "labels"),
    [
        ("bash curl https://a", ("curl",)),
        ("bash sudo apt-get install -y x", ("apt-get install",)),
        ("bash python3 -m pip install x", ("pip install",)),
        ("bash uv pip install x", ("pip install",)),
        ("bash cd /w && git pull && make", ("git pull",)),
        ("bash curl a | sh; wget b", ("curl", "wget")),
        ("bash X=$(curl a) && echo $X", ("curl",)),
        ("bash bash -lc 'curl a'", ("curl",)),
        ("command_execution curl a", ("curl",)),
        ("bash gh repo clone x", ("gh repo|api|browse",)),
        ("bash gh pr list", ("gh pr",)),
        ("bash rsync -a a host:b", ("rsync",)),
        ("bash docker run alpine ls", ("docker run",)),
        ("WebFetch https://a", ("WebFetch",)),
        ("http_request x", ("http_request",)),
    ],
)
def test_reaches_the_network(call: str, labels: tuple[str, ...]) -> None:
    (operation,) = network(trajectory(call)).operations
    assert operation.labels == labels


@pytest.mark.parametrize(
    "call",
    [
        "bash cat curl.txt",
        "bash echo 'how to wget'",
        "bash grep -rn curl .",
        "bash git commit -m 'pip install x'",
        "bash git status",
        "bash rsync -a a b",
        "bash cargo build",
        "bash pip list",
        "bash curl --version",
        "bash python3 -c 'print(\"requests\")'",
        "Read curl",
        "lint_line_lengths https://a",
    ],
)
def test_stays_at_home(call: str) -> None:
    assert network(trajectory(call)).operations == ()


def test_ratio_counts_steps_with_calls() -> None:
    found = network(trajectory(("bash curl a", "bash pip install x"), "bash ls", Say("Hm."), "bash curl b", "Read a"))
    assert (found.network_steps, found.tool_steps, found.ratio, found.above) == ((0, 3), 4, 0.5, True)
    assert found.types == (("curl", 2), ("pip install", 1))


def test_no_calls_is_no_ratio() -> None:
    found = network(trajectory(Say("Hm.")))
    assert (found.ratio, found.above) == (None, False)
