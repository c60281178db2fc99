"""When calls are equal (calls.md 6.2)."""

import pytest

from viewer.tool_calls import signature

SAME = [
    (("f", "other", {"b": 2, "a": 1}), ("f", "other", {"a": 1, "b": 2})),
    (("Bash", "shell", {"command": "/bin/bash -lc 'ls'"}), ("Bash", "shell", {"command": ["bash", "-lc", "ls"]})),
    (("Bash", "shell", {"command": "ls", "description": "x"}), ("Bash", "shell", {"command": "ls", "timeout": 5})),
    (("Edit", "edit", {"a": 1, "replace_all": False}), ("Edit", "edit", {"a": 1})),
]
DIFFERENT = [
    (("f", "other", {"a": 1}), ("f", "other", {"a": 1.0})),
    (("f", "other", {"a": 1}), ("f", "other", {"a": "1"})),
    (("f", "other", {"a": 1}), ("f", "other", {"a": True})),
    (("f", "shell", {"command": "ls"}), ("f", "shell", {"command": "ls\n"})),
    (("f", "shell", {"command": "ls  -l"}), ("f", "shell", {"command": "ls -l"})),
    (("Bash", "shell", {"command": "ls"}), ("exec_command", "shell", {"command": "ls"})),
    (("f", "other", None), ("f", "other", {})),
    (("f", "other", "{a"), ("f", "other", "{b")),
    (("f", "mcp", {"a": 1, "description": "x"}), ("f", "mcp", {"a": 1})),
    (("Edit", "edit", {"a": 1, "replace_all": True}), ("Edit", "edit", {"a": 1})),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_equal(left, right):
    assert signature(*left) == signature(*right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_not_equal(left, right):
    assert signature(*left) != signature(*right)


def test_paths_below_the_run_directory_are_relative():
    absolute = signature("Read", "read", {"file_path": "/workspace/p/a.py"}, "/workspace/p")
    assert absolute == signature("Read", "read", {"file_path": "a.py"})
    assert signature("ls", "read", {"path": "/workspace/p"}, "/workspace/p") == signature("ls", "read", {"path": "."})
    assert "/workspace/p/a.py" in signature("Read", "read", {"file_path": "/workspace/p/a.py"})


def test_an_unknown_name_has_a_signature():
    assert signature("unknown", "other", None) == '["unknown",null]'


def test_it_is_canonical_json_without_spaces():
    assert signature("bash", "shell", {"command": "ls"}) == '["bash",{"command":"ls"}]'
