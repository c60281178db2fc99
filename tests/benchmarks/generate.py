"""Long runs for benchmarks: a Claude Code stream or session of n calls, the same for the same seed.

``uv run python -m tests.benchmarks.generate CALLS [FILE [MEGABYTES]]`` writes a stream, or with a size a session;
``claude_stream(calls)`` and ``claude_session(calls, size)`` return their bytes. Calls repeat, fail, edit and test in
about the shares of real long runs; every row is as Claude Code writes it.
"""

import json
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

DIRECTORY = "/workspace/acme"
_FILES = [f"{DIRECTORY}/src/{part}/{name}.py" for part in ("core", "api", "web") for name in "abcdefghijklmnopqrst"]
_COMMANDS = (
    "python3 -m unittest", "pytest -q tests/api", "git diff --stat", "git status", "ls -la src", "ruff check src",
    "grep -rn handler src", "pip install -q requests", "curl -sS https://example.com/spec.json", "make build",
)  # fmt: skip
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
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


def claude_session(calls: int, size: int, seed: int = 7) -> Iterator[bytes]:
    """The lines of a session file with ``calls`` tool calls and about ``size`` bytes.

    As in real ones, a reply is spread over rows, a row carries about 1.2 kB beside what it says, every output stands
    in it twice (the result block and its structured copy), and few outputs are long. One output in twelve is not
    ASCII. About 5 kB a call is usual; 50,000 calls below 150 MB have no room for outputs.
    """
    chance = random.Random(seed)
    session, parent = str(_uuid(chance)), None
    room = _Room(chance, calls, size)
    for number, (kind, fields) in enumerate(_session_rows(chance, calls, room)):
        row: dict[str, Any] = {"parentUuid": parent, "isSidechain": False, "type": kind, **fields}
        parent = row["uuid"] = str(_uuid(chance))
        row["timestamp"] = (_START + timedelta(seconds=4 * number)).isoformat(timespec="milliseconds")
        row |= {
            "userType": "external", "entrypoint": "sdk-cli", "cwd": DIRECTORY, "sessionId": session,
            "version": "2.1.0", "gitBranch": "main",
        }  # fmt: skip
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        room.left -= len(line)
        yield line


class _Room:
    """Outputs that share what is left of a file's size among the calls to come."""

    def __init__(self, chance: random.Random, calls: int, size: int) -> None:
        self.calls, self.left = calls, size
        self._chance = chance
        self._text = "\n".join(f"{number:5d}  {_prose(chance, 8)}" for number in range(20_000))

    def output(self, number: int) -> str:
        """A piece of a text of numbered lines; its lengths are exponential around what each call may have."""
        mean = max(1, self.left // (self.calls - number) - 2_700) / 2  # what a call weighs beside its output; twice
        half = len(self._text) // 2
        begin = self._chance.randrange(half)
        text = self._text[begin : begin + min(half, int(self._chance.expovariate(1 / mean)))]
        return text if number % 12 else text + "\n✓ 12 tests passed"


def _session_rows(chance: random.Random, calls: int, room: _Room) -> Iterator[tuple[str, dict[str, Any]]]:
    """(type, fields of its own) of each row."""
    yield "user", {"message": {"role": "user", "content": "Make the tests of this project pass."}}
    for number in range(calls):
        name, arguments = _call(chance, number)
        said: list[dict[str, Any]] = [
            {"type": "tool_use", "id": f"toolu_{number:024d}", "name": name, "input": arguments}
        ]
        if chance.random() < 0.3:
            said.insert(0, {"type": "text", "text": _prose(chance, 12)})
        if chance.random() < 0.1:
            said.insert(0, {"type": "thinking", "thinking": _prose(chance, 60), "signature": "A" * 300})
        usage = _usage(chance, number)
        for block in said:
            yield "assistant", {
                "message": {
                    "id": f"msg_{number:024d}", "type": "message", "role": "assistant", "model": "claude-generated",
                    "content": [block], "stop_reason": "tool_use", "stop_sequence": None, "usage": usage,
                },
                "requestId": f"req_{number:024d}", "perTurnEffort": None, "madeBy": "model",
            }  # fmt: skip
        failed = chance.random() < 0.15
        output = room.output(number)
        result = {
            "type": "tool_result", "tool_use_id": f"toolu_{number:024d}", "is_error": failed,
            "content": ("Exit code 1\n" if failed and name == "Bash" else "") + output,
        }  # fmt: skip
        yield "user", {
            "message": {"role": "user", "content": [result]},
            "toolUseResult": {"stdout": output, "stderr": "", "interrupted": False, "isImage": False},
            "permissionDecision": {"decision": "accept", "source": "config", "reasonType": "mode"},
        }  # fmt: skip
    said = [{"type": "text", "text": "All tests pass now."}]
    yield "assistant", {
        "message": {
            "id": "msg_last", "type": "message", "role": "assistant", "model": "claude-generated", "content": said,
            "stop_reason": "end_turn", "stop_sequence": None, "usage": _usage(chance, calls),
        },
        "requestId": "req_last",
    }  # fmt: skip


def _usage(chance: random.Random, number: int) -> dict[str, Any]:
    return {
        "input_tokens": 12, "cache_creation_input_tokens": chance.randrange(2_000),
        "cache_read_input_tokens": number % 150_000, "output_tokens": chance.randrange(20, 400),
        "output_tokens_details": {"thinking_tokens": 0}, "service_tier": "standard", "speed": "standard",
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
    }  # fmt: skip


def _uuid(chance: random.Random) -> UUID:
    return UUID(int=chance.getrandbits(128), version=4)


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
    calls = int(sys.argv[1])
    if len(sys.argv) > 3:
        with Path(sys.argv[2]).open("wb") as file:
            file.writelines(claude_session(calls, int(float(sys.argv[3]) * 1e6)))
        return
    data = claude_stream(calls)
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_bytes(data)
    else:
        sys.stdout.buffer.write(data)


if __name__ == "__main__":
    main()
