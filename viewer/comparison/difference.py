"""How two calls differ: word by word in what they ask for, line by line in what came back."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from viewer.model import Json, ToolCall
from viewer.tool_calls import command, decoded
from viewer.tool_calls.changes import changes, unified

PieceKind: TypeAlias = Literal["same", "gone", "new"]
Piece: TypeAlias = tuple[PieceKind, str]
"""A stretch of text: in both, only in the left one, only in the right one."""
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_WORDS: Final = 4_000
"""difflib's cost grows with the square: longer texts are compared line by line."""
_LINES: Final = 5_000
_LONG: Final = 200_000


def asked(call: ToolCall) -> str:
    """What a call asks for, as text: its command, its edits as diffs, or one line an argument."""
    text = command(call)
    made = changes(call) if call.kind in ("edit", "write") or text is None or "patch" in text else ()
    if made:
        return "\n".join(part for change in made for part in (change.path or "", unified(change)) if part)
    if text is not None:
        return text
    if isinstance(call.arguments, str):
        return call.arguments
    return "\n".join(f"{name} = {_plain(value)}" for name, value in sorted((call.arguments or {}).items()))


def compared_text(call: ToolCall) -> str:
    """What a word difference compares: of edits the lines alone, since paths and line numbers are spelled variously."""
    made = changes(call) if call.kind in ("edit", "write", "shell") else ()
    if made:
        return "\n".join(line for change in made for line in change.lines if not line.startswith("@@"))
    return asked(call)


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else str(decoded(value))


def word_difference(left: str, right: str) -> tuple[Piece, ...]:
    """The stretches that make ``left`` when those that are new are left out, and ``right`` without those gone.

    Texts of more than 4,000 words are compared line by line, lines of more than 5,000 not at all.
    """
    before, after = _WORD.findall(left[:_LONG]), _WORD.findall(right[:_LONG])
    if len(before) + len(after) > _WORDS:
        before, after = left[:_LONG].splitlines(keepends=True), right[:_LONG].splitlines(keepends=True)
    if len(before) + len(after) > _LINES:
        return _joined([("gone", left[:_LONG]), ("new", right[:_LONG])])
    pieces: list[Piece] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for what, i, i_end, j, j_end in matcher.get_opcodes():
        if what == "equal":
            pieces.append(("same", "".join(before[i:i_end])))
        else:
            pieces += [("gone", "".join(before[i:i_end])), ("new", "".join(after[j:j_end]))]
    return _joined(_without_islands(pieces))


def _without_islands(pieces: list[Piece]) -> list[Piece]:
    """A lone blank between two changes belongs to both: "a b" against "c d" is one change, not two."""
    smooth: list[Piece] = []
    for at, (kind, text) in enumerate(pieces):
        inside = 0 < at < len(pieces) - 1
        if kind == "same" and inside and not text.strip() and "\n" not in text:
            smooth += [("gone", text), ("new", text)]
        else:
            smooth.append((kind, text))
    return smooth


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Neighbouring changes as one: first all that is gone, then all that is new."""
    found: list[Piece] = []
    gone = new = ""
    for kind, text in (*pieces, ("same", "")):
        if kind == "gone":
            gone += text
        elif kind == "new":
            new += text
        else:
            found += [piece for piece in (("gone", gone), ("new", new), ("same", text)) if piece[1]]
            gone = new = ""
    return tuple(found)


def line_difference(left: str, right: str, context: int = 2) -> str:
    """A unified diff without file headers; "" for equal texts. Texts of more than 5,000 lines are not compared."""
    before, after = left.splitlines(), right.splitlines()
    if before == after:
        return ""
    if len(before) + len(after) > _LINES:
        return f"{len(before):,} lines against {len(after):,}: too long to compare line by line."
    return "\n".join(list(difflib.unified_diff(before, after, lineterm="", n=context))[2:])
