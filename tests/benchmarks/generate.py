"""Long runs for benchmarks: a Claude Code stream of n calls, the same for the same seed.

``uv run python -m tests.benchmarks.generate CALLS [FILE]`` writes one; ``claude_stream(calls)`` returns its bytes.
Calls repeat, fail, edit and test in about the shares of real long runs; every row is as Claude Code writes it.
"""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DIRECTORY = "/workspace/acme"
_FILES = [f"{DIRECTORY}/src/{part}/{name}.py" for part in ("core", "api", "web") for name in "abcdefghijklmnopqrst"]
_COMMANDS = (
    "python3 -m unittest", "pytest -q tests/api", "git diff --stat", "git status", "ls -la src", "ruff check src",
    "grep -rn handler src", "pip install -q requests", "curl -sS https://example.com/spec.json", "make build",
)  # fmt: skip
_WORDS = "the parser handler returns a value for every row and raises when its header is missing or odd".split()


def rows(calls: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """The rows of a stream with ``calls`` tool calls: init, replies with one call each, results, and an end."""
    chance = random.Random(seed)
    session = f"{chance.getrandbits(128):032x}"
    common = {"session_id": session, "parent_tool_use_id": None}
    yield {
        "type": "system", "subtype": "init", "cwd": DIRECTORY, "session_id": session, "model": "claude-generated",
        "tools": ["Bash", "Read", "Edit", "Grep"], "mcp_servers": [], "claude_code_version": "2.1.0",
    }  # fmt: skip
    for number in range(calls):
        name, arguments = _call(chance, number)
        identity = f"toolu_{number:08d}"
        said: list[dict[str, Any]] = []
        if chance.random() < 0.3:
            said.append({"type": "text", "text": _prose(chance, 12)})
        said.append({"type": "tool_use", "id": identity, "name": name, "input": arguments})
        message = {
            "id": f"msg_{number:08d}", "role": "assistant", "model": "claude-generated", "content": said,
            "usage": {
                "input_tokens": 12, "cache_read_input_tokens": number % 150_000,
                "output_tokens": chance.randrange(20, 400),
            },
        }  # fmt: skip
        yield {"type": "assistant", "message": message, **common}
        failed = chance.random() < 0.15
        result = {
            "type": "tool_result", "tool_use_id": identity, "is_error": failed,
            "content": ("Exit code 1\n" if failed and name == "Bash" else "") + _output(chance),
        }  # fmt: skip
        yield {"type": "user", "message": {"role": "user", "content": [result]}, **common}
    claim = [{"type": "text", "text": "All tests pass now."}]
    yield {"type": "assistant", "message": {"id": "msg_last", "role": "assistant", "content": claim}, **common}
    yield {"type": "result", "subtype": "success", "is_error": False, "num_turns": calls, "session_id": session}


def claude_stream(calls: int, seed: int = 7) -> bytes:
    """The stream as JSON lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows(calls, seed))


def _call(chance: random.Random, number: int) -> tuple[str, dict[str, Any]]:
    kind = chance.random()
    path = chance.choice(_FILES)
    if kind < 0.45:
        command = chance.choice(_COMMANDS) if chance.random() < 0.7 else f"python3 scripts/check_{number}.py --fast"
        return "Bash", {"command": command, "description": _prose(chance, 4)}
    if kind < 0.7:
        return "Read", {"file_path": path, "offset": chance.randrange(0, 400, 50)}
    if kind < 0.85:
        old = _prose(chance, 15)
        return "Edit", {"file_path": path, "old_string": old, "new_string": f"{old} {number}"}
    return "Grep", {"pattern": chance.choice(_WORDS), "path": f"{DIRECTORY}/src"}


def _output(chance: random.Random) -> str:
    lines = (f"{number:5d}  {_prose(chance, 8)}" for number in range(chance.randrange(1, 12)))
    return "\n".join(lines) + f"\nRan in {chance.random():.3f}s"


def _prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words))


def main() -> None:
    data = claude_stream(int(sys.argv[1]))
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_bytes(data)
    else:
        sys.stdout.buffer.write(data)


if __name__ == "__main__":
    main()
