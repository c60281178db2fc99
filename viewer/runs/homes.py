"""Where harnesses keep their sessions on this machine. Looked at only after a person asked."""

from __future__ import annotations

from pathlib import Path
from typing import Final

KNOWN: Final = (
    ("Claude Code", ".claude/projects"),
    ("Codex", ".codex/sessions"),
    ("Gemini CLI", ".gemini/tmp"),
    ("OpenCode", ".local/share/opencode/storage"),
    ("OpenClaw", ".openclaw/agents"),
    ("Pi", ".pi/agent/sessions"),
    ("Qwen Code", ".qwen/projects"),
    ("Kimi CLI", ".kimi/sessions"),
    ("Copilot CLI", ".copilot/session-state"),
    ("OpenHands", ".openhands/sessions"),
)
"""(harness, folder below the home directory)."""


def found(home: Path | None = None) -> tuple[tuple[str, Path], ...]:
    """(harness, folder) of the known homes that exist, below ``home`` (the user's own by default)."""
    below = home or Path.home()
    return tuple((name, below / folder) for name, folder in KNOWN if (below / folder).is_dir())
