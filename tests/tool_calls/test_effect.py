"""What a call does and to what (decisions.md 2), and which commands reach the network (analysis.md 1)."""

import pytest

from viewer.tool_calls import head, network_commands
from viewer.tool_calls.effect import _shell

EFFECTS = [
    ("cat -n stats.py", "read", "stats.py"),
    ("sed -n '1,20p' src/a.py", "read", "src/a.py"),
    ("nl -ba a.py | sed -n '1,20p'", "read", "a.py"),
    ("ls -la", "search", ""),
    ("grep -rn foo src/", "search", "src/"),
    ("sed -i 's/a/b/' stats.py", "edit", "stats.py"),
    ("echo '<html>' > a.html", "edit", "a.html"),
    ("echo 'a > b'", "shell", "a > b"),
    ("python3 -m unittest 2>&1", "test", ""),
    ("python3 -m unittest > /dev/null", "test", ""),
    ("cat > f.py <<'EOF'\nimport requests\nEOF", "edit", "f.py"),
    ("tee out.txt", "edit", "out.txt"),
    ("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\nEOF", "edit", "a.py"),
    ("python3 - <<'PY'\np='stats.py'\nopen(p,'w').write('x')\nPY", "edit", "stats.py"),
    ("python3 - <<'PY'\nprint(open('stats.py').read())\nPY", "shell", "-"),
    ("cd /w && python3 -m unittest 2>&1 | tail -5", "test", ""),
    ("FOO=1 npm test && echo done", "test", ""),
    ("python -m pytest tests/test_a.py::test_b -q", "test", "tests/test_a.py::test_b"),
    ("uv run pytest -q", "test", ""),
    ("ruff check .", "test", "."),
    ("make check", "test", ""),
    ("tsc --noEmit", "test", ""),
    ("git commit -m 'run tests'", "shell", "run tests"),
    ("curl -sS -m 5 https://example.com/x -o y", "web", "https://example.com/x"),
    ("pip install numpy", "web", "numpy"),
    ("git diff HEAD", "shell", "HEAD"),
    ("seq 1 12000", "shell", "1 12000"),
    ("", "shell", ""),
]


@pytest.mark.parametrize(("command", "effect", "target"), EFFECTS)
def test_effect_of_a_command(command, effect, target):
    found = _shell(command, None)
    assert found.effect == effect
    if target != "-":
        assert found.target == target


def test_targets_are_relative_to_the_run_directory():
    assert _shell("cat /workspace/project/stats.py", "/workspace/project").target == "stats.py"


@pytest.mark.parametrize(
    ("command", "out"),
    [
        ("cd x && sudo env A=1 time apt-get install -y x", "apt-get install"),
        ("python3 -m unittest", "python3 -m unittest"),
        ("python3 -m pip install numpy", "python3 -m pip install"),
        ("git -C /x diff HEAD", "git diff"),
        ("npm run build", "npm run build"),
        ("uv run pytest", "uv run pytest"),
        ("docker run -it ubuntu bash", "docker run"),
        ("/usr/bin/cat a", "cat"),
        ("timeout 60 cargo test", "cargo test"),
        ("", ""),
    ],
)
def test_head(command, out):
    assert head(command) == out


NETWORK = [
    "curl http://a",
    "pip install x",
    "cd /x && pip3 install -r r.txt",
    "sudo apt-get update",
    "git clone https://x/y",
    "git push",
    "npm i",
    "npm ci",
    'echo "$(curl http://a)"',
    "bash -lc 'wget x'",
    "python -c 'import requests'",
    "python3 - <<EOF\nimport urllib.request\nEOF",
    "uv pip install x",
    "uv add x",
    "docker pull x",
    "ssh host ls",
    "rsync -a host:/x .",
    "true || curl http://a",
    "ls | xargs wget",
    "go get x",
    "yarn",
    "git submodule update --init",
    "gh pr list",
    "python3 -m pip install --break-system-packages numpy",
]
LOCAL = [
    "cat curl.txt",
    "echo 'curl http://a'",
    "grep -r 'pip install' .",
    "git status",
    "git commit -m 'pip install'",
    "npm run build",
    "npm test",
    "python -c 'print(1)'",
    "rsync -a a b",
    "docker ps",
    "cargo build",
    "go build ./...",
    "ls # curl x",
    "curl --version",
    "pip list",
    "uv run x",
    "make install",
    "cat > f.py <<'EOF'\nimport requests\nEOF",
]


@pytest.mark.parametrize("command", NETWORK)
def test_reaches_the_network(command):
    assert network_commands(command)


@pytest.mark.parametrize("command", LOCAL)
def test_does_not_reach_the_network(command):
    assert network_commands(command) == ()
