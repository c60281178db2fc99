"""Wire shapes of calls and results that more than one format writes (calls.md 2).

Each function takes the value as it stood in the file and never raises on an odd one: an entry of a call slot that
nobody can read is still a call, named as found or "unknown".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from viewer.messages import content, dumped, text_of, unpacked
from viewer.model import Image, Json, Pointer, Where
from viewer.tool_calls.arguments import decoded
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult, Status

NOT_UNDERSTOOD: Final = "call_not_understood"
_LOOSE_NAMES: Final = ("name", "tool_name", "toolName", "function_name", "tool")
_LOOSE_ARGUMENTS: Final = ("arguments", "args", "input", "parameters", "params")


def slot(value: Json) -> Iterator[tuple[Pointer, FoundCall]]:
    """Every call of a slot (``tool_calls`` and the like): a list, one object in its place, or index -> call.

    Pointers are relative to the slot's value. Null and an empty object are no call.
    """
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield (index,), entry(item)
    elif isinstance(value, dict) and value:
        note = ("tool_calls_not_a_list", "The call slot holds an object where a list belongs.")
        if all(isinstance(item, dict) for item in value.values()) and not ({"function", "name", "type"} & value.keys()):
            for key in sorted(value):
                yield (key,), _noted(entry(value[key]), note)
        else:
            yield (), _noted(entry(value), note)
    elif isinstance(value, str) and value:
        yield (), entry(value)


def entry(value: Json) -> FoundCall:
    """One entry of a call slot, whatever its shape: the slot decides that it is a call (calls.md 1.1)."""
    if isinstance(value, str):
        return FoundCall(name="action", arguments=value, plain=True, kind="other", arguments_at=())
    if not isinstance(value, dict):
        return _unknown(value)
    kind = value.get("type")
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return anthropic(value)
    if kind == "toolCall":
        return openclaw(value)
    if isinstance(kind, str) and (kind in CODEX_CALLS or kind in ("todo_list", "plan")):
        return codex_item(value)
    if isinstance(kind, str) and kind in RESPONSES_CALLS:
        return responses_item(value)
    if "function" in value:
        return openai(value)
    return loose(value)


def openai(value: dict[str, Json]) -> FoundCall:
    """``{id, function: {name, arguments}}``; ``function`` may also be the name itself (AgentDojo), or null."""
    function = value.get("function")
    if isinstance(function, dict):
        return FoundCall(
            id=text_id(value.get("id")),
            name=function.get("name"),
            arguments=function.get("arguments", MISSING),
            name_at=("function", "name"),
            arguments_at=("function", "arguments"),
            notes=() if isinstance(function.get("name"), str) else (_note(value),),
        )
    if isinstance(function, str):
        key = "args" if "args" in value else "arguments"
        return FoundCall(
            id=text_id(value.get("id")),
            name=function,
            arguments=value.get(key, MISSING),
            name_at=("function",),
            arguments_at=(key,),
        )
    return loose(value)


def loose(value: dict[str, Json]) -> FoundCall:
    """An object in a call slot with no shape of its own: the first key that can be a name, and that can be arguments."""
    name_key = next((key for key in _LOOSE_NAMES if isinstance(value.get(key), str) and value[key]), None)
    arguments_key = next((key for key in _LOOSE_ARGUMENTS if key in value), None)
    identity = next((value[key] for key in ("id", "tool_call_id", "toolCallId", "call_id") if key in value), None)
    if name_key is None:
        found = _unknown(value)
        return FoundCall(
            id=text_id(identity),
            name=None,
            arguments=value.get(arguments_key, MISSING) if arguments_key else MISSING,
            arguments_at=(arguments_key,) if arguments_key else None,
            notes=found.notes,
        )
    return FoundCall(
        id=text_id(identity),
        name=value[name_key],
        arguments=value.get(arguments_key, MISSING) if arguments_key else MISSING,
        name_at=(name_key,),
        arguments_at=(arguments_key,) if arguments_key else None,
        notes=(_note(value),) if "function" in value else (),
    )


def anthropic(block: dict[str, Json]) -> FoundCall:
    """A ``tool_use``, ``server_tool_use`` or ``mcp_tool_use`` block."""
    server = block.get("server_name")
    name = block.get("name")
    web = block.get("type") == "server_tool_use" and isinstance(name, str) and name.startswith("web_")
    return FoundCall(
        id=text_id(block.get("id")),
        name=name,
        arguments=block.get("input", MISSING),
        server=server if isinstance(server, str) else None,
        kind="web" if web else None,
        name_at=("name",),
        arguments_at=("input",),
    )


def anthropic_result(block: dict[str, Json], where: Where | None = None) -> FoundResult:
    """A ``tool_result`` block; only ``is_error`` states an error. JSON text of content blocks is read as blocks."""
    text, images = result_content(block.get("content"), where)
    stated = block.get("is_error")
    return FoundResult(text=text, images=images, is_error=stated if isinstance(stated, bool) else None)


def result_content(value: Json, where: Where | None = None) -> tuple[str, tuple[Image, ...]]:
    """(text, images) of a result: a text, blocks, or blocks written as a text. Base64 never becomes text."""
    if isinstance(value, str):
        value = unpacked(value)
    if isinstance(value, str) or value is None:
        return value or "", ()
    read = content(value, where)
    rest = [dumped(block.value) for block in read.blocks if block.type not in ("tool_reference",)]
    if isinstance(value, dict) and not (read.text or read.images) and rest:
        return text_of(value), ()
    return "\n".join(text for text in (read.text, *rest) if text), read.images


def openclaw(block: dict[str, Json]) -> FoundCall:
    """A ``toolCall`` block of OpenClaw and Pi; name ``tool_call`` with ``{id, args}`` is an indirection."""
    key = "arguments" if "arguments" in block else "params"
    arguments = block.get(key, MISSING)
    if block.get("name") == "tool_call" and isinstance(arguments, dict) and isinstance(arguments.get("id"), str):
        return FoundCall(
            id=text_id(block.get("id")),
            name=arguments["id"],
            raw_name="tool_call",
            arguments=arguments.get("args", MISSING),
            name_at=(key, "id"),
            arguments_at=(key, "args"),
        )
    return FoundCall(
        id=text_id(block.get("id")),
        name=block.get("name"),
        arguments=arguments,
        name_at=("name",),
        arguments_at=(key,),
    )


def gemini(part: dict[str, Json]) -> FoundCall:
    """A part with ``functionCall`` (Gemini API, Qwen)."""
    call = part.get("functionCall")
    call = call if isinstance(call, dict) else {}
    return FoundCall(
        id=text_id(call.get("id")),
        name=call.get("name"),
        arguments=call.get("args", MISSING),
        name_at=("functionCall", "name"),
        arguments_at=("functionCall", "args"),
    )


def gemini_response(part: dict[str, Json]) -> FoundResult:
    """A part with ``functionResponse``: ``response.error`` is a stated error, else ``output``, else the whole object."""
    holder = part.get("functionResponse")
    response = holder.get("response") if isinstance(holder, dict) else None
    if isinstance(response, dict):
        if response.get("error") is not None:
            return FoundResult(text=text_of(response["error"]), is_error=True)
        if "output" in response:
            return FoundResult(text=text_of(response["output"]))
    return FoundResult(text=text_of(response))


# -- OpenAI Responses items ------------------------------------------------------------------------------------------

RESPONSES_CALLS: Final = frozenset(
    {"function_call", "custom_tool_call", "web_search_call", "file_search_call", "local_shell_call", "shell_call",
     "apply_patch_call", "computer_call", "code_interpreter_call", "image_generation_call", "mcp_call",
     "tool_search_call"}
)  # fmt: skip
RESPONSES_OUTPUTS: Final = frozenset(
    {"function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output",
     "apply_patch_call_output", "computer_call_output", "tool_search_output"}
)  # fmt: skip
RESPONSES_OTHER: Final = frozenset(
    {"mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference", "compaction", "reasoning",
     "message"}
)  # fmt: skip
_ARGUMENT_KEYS: Final[dict[str, str]] = {
    "function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action", "shell_call": "action",
    "apply_patch_call": "operation", "mcp_call": "arguments", "tool_search_call": "arguments", "computer_call": "action",
}  # fmt: skip
_ITEM_NAMES: Final[dict[str, str]] = {
    "web_search_call": "web_search", "file_search_call": "file_search", "local_shell_call": "local_shell",
    "shell_call": "shell", "apply_patch_call": "apply_patch", "computer_call": "computer",
    "code_interpreter_call": "code_interpreter", "image_generation_call": "image_generation",
    "tool_search_call": "tool_search",
}  # fmt: skip
_STATUSES: Final[dict[str, Status]] = {
    "completed": "completed", "failed": "error", "declined": "denied", "in_progress": "running", "running": "running",
    "incomplete": "interrupted", "cancelled": "interrupted",
}  # fmt: skip


def is_responses_call(kind: Json) -> bool:
    """The item type is a call: a known one, or any other type ending in ``_call`` (calls.md 2.2)."""
    return isinstance(kind, str) and (kind in RESPONSES_CALLS or kind.endswith("_call"))


def responses_item(item: dict[str, Json]) -> FoundCall:
    """A call item of the Responses API; ``call_id`` is the id that results use, ``id`` only the item's."""
    kind = str(item.get("type"))
    identity = text_id(item.get("call_id")) or text_id(item.get("id"))
    status = _STATUSES.get(str(item.get("status")))
    key = _ARGUMENT_KEYS.get(kind)
    arguments: Json = item.get(key, MISSING) if key else MISSING
    name: Json = _ITEM_NAMES.get(kind, item.get("name"))
    server: Json = None
    notes: tuple[tuple[str, str], ...] = ()
    result: FoundResult | None = None
    if kind == "function_call":
        namespace = item.get("namespace")
        if isinstance(namespace, str) and namespace.startswith("mcp__"):
            server = namespace[5:].strip("_") or None
        status = None
    elif kind == "custom_tool_call":
        return FoundCall(
            id=identity, name=name, arguments=arguments, plain=True, name_at=("name",), arguments_at=("input",)
        )
    elif kind == "web_search_call":
        arguments = item.get("action") or {"query": item.get("query")}
        key = "action"
    elif kind == "file_search_call":
        arguments, result = {"queries": item.get("queries")}, _inner(item.get("results"))
    elif kind == "code_interpreter_call":
        arguments, result = {"code": item.get("code")}, _inner(item.get("outputs"))
    elif kind == "image_generation_call":
        arguments = {k: v for k, v in item.items() if k not in ("result", "id", "type", "status")}
        if isinstance(item.get("result"), str):
            result = FoundResult(images=(Image(media_type="image/*", size=len(item["result"]) * 3 // 4),))
    elif kind == "mcp_call":
        server = item.get("server_label")
        if item.get("error") is not None:
            result = FoundResult(text=text_of(item["error"]), is_error=True)
        elif item.get("output") is not None:
            result = FoundResult(text=text_of(item["output"]))
    elif kind == "computer_call" and arguments is MISSING:
        arguments = {"actions": item.get("actions")}
    elif kind not in RESPONSES_CALLS:
        loosely = loose(item)
        name, arguments = loosely.name or kind, loosely.arguments
        notes = ((NOT_UNDERSTOOD, f"An item of the type {kind!r} is not known; it is counted as a call."),)
    return FoundCall(
        id=identity,
        name=name,
        arguments=arguments,
        server=server if isinstance(server, str) else None,
        status=None if kind in ("function_call", "local_shell_call", "shell_call", "computer_call") else status,
        result=result,
        kind="other" if notes else None,
        name_at=("name",) if "name" in item else ("type",),
        arguments_at=(key,) if key else None,
        notes=notes,
    )


def responses_output(item: dict[str, Json], where: Where | None = None) -> FoundResult:
    """An output item. ``{"output": ..., "metadata": {"exit_code": n}}`` as JSON text is unpacked (calls.md 2.2)."""
    value = item.get("tools") if item.get("type") == "tool_search_output" else item.get("output")
    exit_code: int | None = None
    unwrapped = _json_object(value) if isinstance(value, str) else None
    if unwrapped is not None and "output" in unwrapped and isinstance(unwrapped.get("metadata"), dict):
        code = unwrapped["metadata"].get("exit_code")
        exit_code = code if isinstance(code, int) else None
        value = unwrapped["output"]
    if isinstance(value, list) and any(isinstance(part, dict) and "stdout" in part for part in value):
        value = "\n".join(
            str(text)
            for part in value
            if isinstance(part, dict)
            for text in (part.get("stdout"), part.get("stderr"))
            if text
        )
    text, images = result_content(value, where)
    failed = item.get("status") == "failed"
    return FoundResult(text=text, images=images, exit_code=exit_code, is_error=True if failed else None)


# -- Codex items -----------------------------------------------------------------------------------------------------

CODEX_CALLS: Final = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"})


def codex_item(item: dict[str, Json]) -> FoundCall:
    """A call item of ``codex exec --json``, which carries its own result and state (calls.md 2.2)."""
    kind = str(item.get("type") or item.get("item_type"))
    identity = text_id(item.get("id"))
    status = _STATUSES.get(str(item.get("status")))
    if kind == "command_execution":
        output = next(
            (item[key] for key in ("aggregated_output", "output", "stdout") if item.get(key) is not None), None
        )
        code = item.get("exit_code")
        ended = status in ("completed", "error") or isinstance(code, int) or (output and status != "running")
        return FoundCall(
            id=identity, name=kind, kind="shell", status=status,
            arguments={"command": item.get("command")} if "command" in item else MISSING,
            result=FoundResult(text=text_of(output), exit_code=code if isinstance(code, int) else None,
                               is_error=True if status == "error" else None) if ended else None,
            name_at=("type",), arguments_at=("command",),
        )  # fmt: skip
    if kind == "file_change":
        changes = item.get("changes")
        if isinstance(changes, list):
            changes = sorted(
                ({"path": c.get("path"), "kind": c.get("kind")} if isinstance(c, dict) else c for c in changes),
                key=lambda c: str(c.get("path")) if isinstance(c, dict) else str(c),
            )
        return FoundCall(
            id=identity, name=kind, kind="edit", status=status, arguments={"changes": changes},
            result=FoundResult(is_error=True if status == "error" else None) if status in ("completed", "error") else None,
            name_at=("type",), arguments_at=("changes",),
        )  # fmt: skip
    if kind == "mcp_tool_call":
        server = item.get("server")
        result = item.get("result")
        error = item.get("error")
        text, images = "", ()
        if isinstance(result, dict):
            text, images = result_content(result.get("content"))
            if not text and not images and result.get("structured_content") is not None:
                text = text_of(result["structured_content"])
        if not text and error is not None:
            text = text_of(error.get("message") if isinstance(error, dict) and "message" in error else error)
        failed = status == "error" or error is not None
        ended = failed or status == "completed" or result is not None
        return FoundCall(
            id=identity, name=item.get("tool"), server=server if isinstance(server, str) else None, status=status,
            arguments=item.get("arguments", MISSING),
            result=FoundResult(text=text, images=images, is_error=True if failed else None) if ended else None,
            name_at=("tool",), arguments_at=("arguments",),
        )  # fmt: skip
    if kind == "web_search":
        arguments: dict[str, Json] = {"query": item.get("query")}
        action = item.get("action")
        if isinstance(action, dict) and {k: v for k, v in action.items() if k != "type"} != arguments:
            arguments["action"] = action
        return FoundCall(
            id=identity, name=kind, kind="web", status=status or "completed", arguments=arguments,
            name_at=("type",), arguments_at=("query",),
        )  # fmt: skip
    if kind == "collab_tool_call":
        states = item.get("agents_states")
        texts = [
            text_of(state.get("message")) for state in (states.values() if isinstance(states, dict) else ())
            if isinstance(state, dict) and state.get("message")
        ]  # fmt: skip
        arguments = {k: v for k in ("prompt", "receiver_thread_ids") if (v := item.get(k)) not in (None, [])}
        ended = status in ("completed", "error")
        return FoundCall(
            id=identity, name=item.get("tool") or kind, kind="agent", status=status, arguments=arguments,
            result=FoundResult(text="\n".join(texts), is_error=True if status == "error" else None) if ended else None,
            name_at=("tool",), arguments_at=("prompt",),
        )  # fmt: skip
    if kind in ("todo_list", "plan"):
        key = "items" if "items" in item else "plan"
        return FoundCall(
            id=identity, name="todo_list", kind="plan", arguments={key: item.get(key)}, status=status,
            name_at=("type",), arguments_at=(key,),
        )  # fmt: skip
    return _unknown(item)


def text_id(value: Json) -> str | None:
    """An id as text; None for absent, null, and what can be no id."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _inner(value: Json) -> FoundResult | None:
    return None if value is None else FoundResult(text=text_of(value) if value != [] else "")


def _json_object(text: str) -> dict[str, Json] | None:
    value = decoded(text, 1) if text[:1] == "{" else None
    return value if isinstance(value, dict) else None


def _note(value: Json) -> tuple[str, str]:
    return (NOT_UNDERSTOOD, f"An entry of a call slot has no readable function: {dumped(value)[:120]}")


def _unknown(value: Json) -> FoundCall:
    return FoundCall(name=None, arguments=MISSING, notes=(_note(value),))


def _noted(found: FoundCall, note: tuple[str, str]) -> FoundCall:
    return replace(found, notes=(*found.notes, note))
