"""Sessions of OpenClaw and Pi, ``~/.openclaw/agents/<agent>/sessions/*.jsonl`` and ``~/.pi/agent/sessions/**.jsonl``.

https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/session.md

Newer OpenClaw keeps the same rows in the table ``transcript_events`` of its SQLite store. A header ``session``, then
entries: ``message`` (roles in ``viewer/dialects/pi.py``), ``compaction``, ``branch_summary`` and ``reset`` (markers).
Known without a step: changes of model and thinking level, titles, labels, ``custom`` and the other types in
``_NO_STEP``; messages of the type ``openclaw.nested-tool.v1``, which copy the call behind an indirect ``tool_call``.

Entries are a tree by ``id`` and ``parentId``. The main line runs from the newest leaf to the root; the others are
"abandoned". An entry whose parent is not in the file follows the entry before it. In a fork (``parentSession``)
entries older than the header are "inherited".

Exit codes: OpenClaw's ``details.exitCode``; Pi's last line "Command exited with code N" where ``isError`` is true.
The MCP server of an indirect call stands only in its result. OpenClaw leaves out the call of a tool that does not
exist but keeps its result: a result without a call.

Cannot tell: whether a session that stops after a result was killed or is still running. ``details`` are cut at 8 KB.
"""

from __future__ import annotations

from itertools import pairwise

from viewer.dialects.blocks import below
from viewer.dialects.pi import UNKNOWN, Messages
from viewer.draft import Draft
from viewer.format import Format
from viewer.lenient import items, mapping, mappings, moment, text, without_none
from viewer.messages import text_of
from viewer.model import Json, Line, Where
from viewer.source import Source
from viewer.tool_calls.found import text_id

_NO_STEP = frozenset(
    {"thinking_level_change", "session_init", "title", "title_change", "mode_change", "custom", "session_info", "label",
     "service_tier_change", "permission_mode_change", "mcp_tool_selection", "ttsr_injection", "active_tools_change",
     "leaf"}
)  # fmt: skip
_MARKERS = {"compaction": "compaction", "compact": "compaction", "branch_summary": "branch", "reset": "reset"}
_PRINT = frozenset({"message_start", "message_update", "message_end", "turn_start", "turn_end", "tool_execution_start"})


def accepts(source: Source) -> bool:
    """A header ``session`` with id and timestamp, or a message with a Pi call or result; no row of Pi's print mode."""
    if source.types & _PRINT or "traceSchema" in source.keys:
        return False
    return any(_is_row(row) for row in source.head)


def _is_row(row: dict[str, Json]) -> bool:
    if row.get("type") == "session":
        return isinstance(row.get("id"), str) and isinstance(row.get("timestamp"), str)
    message = mapping(row.get("message"))
    return row.get("type") == "message" and (
        message.get("role") == "toolResult"
        or any(block.get("type") == "toolCall" for block in mappings(message.get("content")))
    )


def read(source: Source) -> tuple[Draft, ...]:
    """One run a header; rows before the first header belong to the first run."""
    starts = [row.index for row in source.rows if mapping(row.value).get("type") == "session"]
    edges = [0, *starts[1:], len(source)]
    return tuple(_read(source, range(first, end)) for first, end in pairwise(edges))


def _read(source: Source, rows: range) -> Draft:
    draft = Draft(source)
    messages = Messages(draft)
    entries = [mapping(source.value(index)) for index in rows]
    header = next((entry for entry in entries if entry.get("type") == "session"), {})
    draft.harness = "openclaw" if any(_is_openclaw(entry) for entry in entries) else "pi"
    draft.directory = text(header.get("cwd"))
    draft.started = moment(header.get("timestamp"))
    draft.extra |= without_none(
        session_id=text(header.get("id")),
        parent_session=text(header.get("parentSession")),
        title=text(header.get("title")),
    )
    lines = _lines(draft, header, entries, rows)
    for entry, line, index in zip(entries, lines, rows, strict=True):
        _entry(draft, messages, entry, line, Where(row=index))
    messages.end()
    return draft


def _is_openclaw(entry: dict[str, Json]) -> bool:
    version = entry.get("version") if entry.get("type") == "session" else None
    return (
        (isinstance(version, int) and version > 3)
        or str(entry.get("customType")).startswith("openclaw")
        or "__openclaw" in mapping(entry.get("message"))
    )


def _lines(draft: Draft, header: dict[str, Json], entries: list[dict[str, Json]], rows: range) -> list[Line]:
    """The line of each entry. Entries without an id are on the main line."""
    position = {identity: at for at, entry in enumerate(entries) if (identity := _id(entry)) is not None}
    parents: list[int | None] = []
    before: int | None = None
    for at, entry in enumerate(entries):
        parent = text_id(entry.get("parentId"))
        known = position.get(parent) if parent is not None else None
        if known is None and parent is not None and parent != header.get("id"):
            draft.note(
                "parent_missing", f"Entry {_id(entry)}: its parent {parent} is not in the file.", Where(row=rows[at])
            )
        linear = "parentId" not in entry or (parent is not None and known is None)
        parents.append(before if linear else known)
        before = at if _id(entry) is not None else before
    main: set[int] = set()
    leaf = before
    while leaf is not None and leaf not in main:
        main.add(leaf)
        leaf = parents[leaf]
    born = moment(header.get("timestamp")) if text(header.get("parentSession")) else None
    lines: list[Line] = []
    for at, entry in enumerate(entries):
        written = moment(entry.get("timestamp"))
        if _id(entry) is not None and at not in main:
            lines.append("abandoned")
        elif born is not None and written is not None and written < born and entry is not header:
            lines.append("inherited")
        else:
            lines.append("main")
    return lines


def _id(entry: dict[str, Json]) -> str | None:
    return None if entry.get("type") == "session" else text_id(entry.get("id"))


def _entry(draft: Draft, messages: Messages, entry: dict[str, Json], line: Line, where: Where) -> None:
    kind = text(entry.get("type"))
    message = entry.get("message")
    if kind == "message" and isinstance(message, dict):
        why = messages.read(message, below(where, "message"), when=moment(entry.get("timestamp")), line=line)
        if why is None:
            draft.used(where)
        elif why.startswith(UNKNOWN):
            draft.not_understood(where, why)
        else:
            draft.known(where, why)
    elif kind == "session":
        draft.used(where)
    elif kind == "model_change":
        draft.model = draft.model or text(entry.get("modelId")) or text(entry.get("model"))
        draft.used(where)
    elif kind in _MARKERS:
        said = text_of(entry.get("summary") or entry.get("note"))
        draft.step("environment", where, line=line, marker=_MARKERS[str(kind)], texts=[said] if said else [])
        draft.used(where)
    elif kind == "custom_message" and (said := text_of(entry.get("content"))):
        draft.step("environment", where, line=line, marker=text(entry.get("customType")) or "custom", texts=[said])
        draft.used(where)
    elif kind in _NO_STEP or kind == "custom_message":
        tools = [name for name in items(entry.get("tools")) if isinstance(name, str)]
        draft.declared_tools = tools or draft.declared_tools
        draft.known(where, str(kind))
    else:
        draft.not_understood(where, str(kind))


FORMAT = Format("OpenClaw and Pi session", accepts, read)
