"""OpenCode's tool part, which holds call, state and result in one object (calls.md 2.3)."""

from __future__ import annotations

import re
from typing import Final

from viewer.lenient import at, code, items, mapping, moment
from viewer.messages import content, text_of
from viewer.model import Image, Json, Where
from viewer.tool_calls.found import MISSING, FoundCall, FoundResult, Status, text_id

_ABORTED: Final = "Tool execution aborted"
_REJECTED: Final = (
    "The user rejected permission to use",
    "The user has specified a rule which prevents you from using",
)
_STATUSES: Final[dict[str, Status]] = {
    "completed": "completed", "error": "error", "running": "running", "pending": "running",
}  # fmt: skip
_TIMED_OUT: Final = re.compile(r"exceeding timeout [^\n]*\n(?:[^\n]*\n){0,3}</(?:bash|shell)_metadata>\s*\Z")


def opencode_part(part: dict[str, Json], where: Where | None = None) -> FoundCall:
    """A part of the type ``tool``: id, name, arguments, result, state and times.

    Exit codes stand in ``state.metadata.exit`` of a call whose status is "completed". The tool ``invalid`` stands for a
    call that OpenCode refused: its input names the tool the model meant. The harness's own words say that a call was
    aborted, rejected by the user, or, at the end of a shell's output, that it timed out.
    """
    state = mapping(part.get("state"))
    wire = state.get("input", MISSING)
    meant = mapping(wire).get("tool") if part.get("tool") == "invalid" else None
    refused = isinstance(meant, str)
    return FoundCall(
        id=text_id(part.get("callID")),
        name=meant if refused else part.get("tool"),
        raw_name="invalid" if refused else None,
        arguments=wire,
        status="error" if refused else _STATUSES.get(str(state.get("status"))),
        result=_result(state, refused=refused, where=where),
        name_at=("state", "input", "tool") if refused else ("tool",),
        arguments_at=("state", "input"),
        started=moment(at(state, "time", "start")),
        ended=moment(at(state, "time", "end")),
    )


def _result(state: dict[str, Json], *, refused: bool, where: Where | None) -> FoundResult | None:
    status, error, output = state.get("status"), state.get("error"), state.get("output")
    if status not in ("completed", "error") and error is None and output is None:
        return None
    reason, said = text_of(error), text_of(output)
    exit_code = code(at(state, "metadata", "exit"))
    failed = refused or status == "error" or error is not None
    return FoundResult(
        text=said if reason in said else f"{reason}\n{said}" if said else reason,
        is_error=True if failed else False if exit_code is None and status == "completed" else None,
        exit_code=exit_code,
        images=_images(state, where),
        status="denied" if reason.startswith(_REJECTED) else "timeout" if _TIMED_OUT.search(said[-2000:]) else None,
        synthetic=reason == _ABORTED,
    )


def _images(state: dict[str, Json], where: Where | None) -> tuple[Image, ...]:
    found: tuple[Image, ...] = ()
    for index, file in enumerate(items(state.get("attachments"))):
        if isinstance(file, dict) and str(file.get("mime")).startswith("image/"):
            place = where and Where(
                row=where.row, pointer=(*where.pointer, "state", "attachments", index), source=where.source
            )
            found += content({"type": "image", "mimeType": file.get("mime"), "url": file.get("url")}, place).images
    return found
