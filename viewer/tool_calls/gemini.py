"""What Gemini CLI and its fork Qwen Code write around a tool's own text (calls.md 8.1).

The text of a result may stand in ``<untrusted_context>`` tags. The shell tool puts ``Command:``, ``Directory:`` (both
left out by newer Gemini) and ``Output: `` before its text and its own lines behind it: ``Error: (none)``,
``Exit Code: N`` (newer Gemini leaves it out when 0), ``Signal``, ``Background PIDs``, ``Process Group PGID: N``. These
are the only stated exit codes of both.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from viewer.tool_calls.found import FoundResult
from viewer.tool_calls.kinds import kind_of

_OPEN: Final = "<untrusted_context>\n"
_CLOSE: Final = "</untrusted_context>"
_TRAILER: Final = re.compile(
    r"Exit Code: (-?\d{1,10})|(?:Exit Code|Error): \(none\)|Signal: .*|Background PIDs: .*|Process Group PGID: .*"
)
_HEADER: Final = re.compile(r"(?:Command: .*?\nDirectory: [^\n]*\n)?Output: ", re.DOTALL)
_TRAILER_LINES: Final = 5


def unframed(found: FoundResult, name: str) -> FoundResult:
    """The tool's own text and its exit code.

    A shell's last lines are taken off: the group number differs in every run, and two equal results would look
    different. Raw shows them.
    """
    said = found.text
    if said.startswith(_OPEN):
        said = said.removeprefix(_OPEN).removesuffix(_CLOSE).removesuffix("\n")
    if kind_of(name) != "shell":
        return replace(found, text=said)
    lines, code = said.rsplit("\n", _TRAILER_LINES), None
    while lines and (match := _TRAILER.fullmatch(lines[-1])):
        code = int(match[1]) if match[1] else code
        lines.pop()
    said = "\n".join(lines)
    if head := _HEADER.match(said):
        said = said[head.end() :]
    return replace(found, text="" if said == "(empty)" else said, exit_code=code)
