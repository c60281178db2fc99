"""What rows say twice: the structured copy beside a result, and a block that is written again."""

from __future__ import annotations

from dataclasses import replace

from viewer.draft import CallDraft, Draft
from viewer.lenient import text
from viewer.model import Json


def mirrored(draft: Draft, call: CallDraft, extra: Json, refused: bool) -> None:
    """What only the structured copy of a result says: the sub-agent's id, an interruption, a refusal."""
    found = call.result
    if found is None:
        return
    if refused or extra == "User rejected tool use":
        call.result = replace(found, status="denied")
    if not isinstance(extra, dict):
        return
    if extra.get("interrupted") is True and found.status is None:
        call.result = replace(found, status="interrupted")
    if (agent := text(extra.get("agentId"))) is not None:
        draft.delegations.setdefault(agent, call)
    if found.text.startswith("<persisted-output>"):
        draft.note("output_elsewhere", "The output was too large; the model saw its beginning.", call.where)


def forget_copy(texts: list[str], before: int) -> None:
    """Some versions write a block again in the next row of its reply, or a longer one: the last one holds."""
    if 0 < before < len(texts) and texts[before].startswith(texts[before - 1]):
        del texts[before - 1]
