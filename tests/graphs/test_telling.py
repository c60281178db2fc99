import pytest

from tests.graphs.made_runs import Made, bash, edit, read, run
from viewer.graphs.telling import behind, run_directory, shortened, telling


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (bash("cd /project && python3 -m unittest  -v"), "python3 -m unittest -v"),
        (bash("cat /project/src/a.py\nls"), "cat src/a.py ls"),
        (read("/project/src/a.py"), "src/a.py"),
        (edit("/elsewhere/a.py"), "/elsewhere/a.py"),
        (Made("Grep", {"pattern": "class A", "path": "/project/src"}), "class A in src"),
        (Made("Grep", {"pattern": "class A"}), "class A"),
        (Made("WebFetch", {"url": "https://example.org/x"}), "https://example.org/x"),
        (Made("Task", {"prompt": "Look around", "description": "look"}), "Look around"),
        (Made("mystery", {"a": 1, "b": None, "c": "two", "d": 3}), "a=1 c=two"),
        (Made("mystery", {"only": "word"}), "word"),
        (Made("mystery", {}), ""),
        (
            Made("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.py\n*** Update File: b.py\n"}),
            "a.py +1",
        ),
    ],
)
def test_the_telling_argument(made: Made, expected: str) -> None:
    assert telling(run(made).calls[0], "/project") == expected


def test_it_is_one_line_and_never_long() -> None:
    text = telling(run(bash("echo 1\n" * 10_000)).calls[0])
    assert "\n" not in text
    assert len(text) <= 400


@pytest.mark.parametrize(
    ("text", "room", "path", "expected"),
    [
        ("ls", 2, False, "ls"),
        ("src/deep/acme/users.py", 16, True, "…acme/users.py"),
        ("users_with_a_long_name.py", 12, True, "…ong_name.py"),
        ("python3 -m pip install --break-system --retries 0 --timeout 3 numpy", 28, False, "pip install … numpy"),
        ("curl -sS -m 5 https://example.com/x", 24, False, "curl … example.com/x"),
        ("curl -sS -m 5 https://example.com/stats-fix.patch -o fix.patch", 28, False, "curl … example.com/stats-fi…"),
        ("anything", 1, False, "…"),
        ("anything", 0, False, ""),
    ],
)  # fmt: skip
def test_shortened(text: str, room: int, path: bool, expected: str) -> None:
    found = shortened(text, room, path=path)
    assert found == expected
    assert len(found) <= room
    assert "… …" not in found and "……" not in found


@pytest.mark.parametrize(
    ("text", "head", "expected"),
    [
        ("python3 -m unittest", "python3 -m unittest", ""),
        ("cat a.py", "cat", "a.py"),
        ("/usr/bin/cat a.py", "cat", "a.py"),
        ("concat a.py", "cat", "concat a.py"),
        ("git -C x diff a", "git diff", "git -C x diff a"),
        ("cat -n a.py", "cat", "a.py"),
        ("pytest -q", "pytest", "-q"),
        ("anything", "", "anything"),
    ],
)
def test_behind_the_head(text: str, head: str, expected: str) -> None:
    assert behind(text, head) == expected


def test_without_a_recorded_directory_paths_lose_what_they_share() -> None:
    trajectory = run(read("/work/a/src/x.py"), read("/work/a/y.py"), directory=None)
    assert run_directory(trajectory) == "/work/a"
    assert run_directory(run(read("/work/a/x.py"))) == "/project"
