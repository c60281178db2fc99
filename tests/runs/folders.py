"""Folders for the tests of runs/, written by hand and tiny: what counts here is where files lie."""

import json
from pathlib import Path
from typing import Any

STREAM: list[dict[str, Any]] = [
    {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "tools": ["Bash"], "cwd": "/w"},
    {
        "type": "assistant",
        "session_id": "s",
        "message": {
            "id": "m1",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}],
        },
    },
    {
        "type": "user",
        "session_id": "s",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}]},
    },
    {"type": "result", "subtype": "success", "session_id": "s", "is_error": False, "result": "done"},
]
ATIF = {
    "schema_version": "ATIF-v1.7",
    "agent": {"name": "claude-code", "version": "2"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "do it"},
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": "t1", "function_name": "Bash", "arguments": {"command": "ls"}}],
            "observation": {"results": [{"source_call_id": "t1", "content": "a.py"}]},
        },
    ],
}
ACTF = {
    "status": "completed",
    "metrics": {"correct": True, "score": 1.0},
    "trajectory": {
        "schema_version": "ACTF_v1.0",
        "steps": [{"step_id": 1, "user_content": "do it", "assistant_content": {"content": "done"}}],
    },
}
SHA = "0" * 64


def lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def document(value: Any) -> bytes:
    return json.dumps(value).encode()


def session(name: str, agent: str | None = None) -> bytes:
    """A Claude Code session, or one of its sub-agents."""
    shared = {"sessionId": name, "isSidechain": agent is not None} | ({} if agent is None else {"agentId": agent})
    block = {"type": "tool_use", "id": f"t{agent}", "name": "Bash", "input": {"command": f"ls {agent}"}}
    said = {"id": "m", "role": "assistant", "content": [block]}
    return lines(
        [
            {**shared, "type": "user", "uuid": "1", "message": {"role": "user", "content": "do it"}},
            {**shared, "type": "assistant", "uuid": "2", "message": said},
        ]
    )


def write(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root
