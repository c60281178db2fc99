"""What only the whole file tells: tokens and cost, and how the run ended."""

from __future__ import annotations

from typing import Final

from viewer.dialects.claude import model_totals
from viewer.draft import Draft, summed
from viewer.lenient import mapping, number
from viewer.model import Ending, Json

_ENDINGS: Final[dict[str, Ending]] = {
    "end_turn": "ended", "stop_sequence": "ended", "refusal": "ended", "max_tokens": "limit", "tool_use": "truncated",
}  # fmt: skip


def totals(draft: Draft, row: dict[str, Json]) -> None:
    """The row that holds the harness's own totals."""
    draft.cost = number(row.get("totalCostUSD"))
    stated = model_totals(mapping(row.get("modelUsage")).values(), "modelUsage of the last cost-state row")
    if stated is not None:
        draft.extra["stated_output_tokens"] = stated.output_tokens


def add_up(draft: Draft, costs: list[float]) -> None:
    """Usage over the replies, held against the file's own total; ``costs`` are those of old versions' rows."""
    rule = "the last row of each reply (message.id, requestId); abandoned branches count, inherited rows don't"
    draft.usage = summed([step.usage for step in draft.steps if step.line != "inherited"], rule)
    stated, counted = draft.extra.get("stated_output_tokens"), draft.usage and draft.usage.output_tokens
    if stated is not None and counted is not None and stated != counted:
        draft.note(
            "usage_differs",
            f"The file's own total is {stated:,} output tokens, the replies read here have {counted:,}. "
            "Sub-agents in other files and the harness's own requests are only in the total.",
        )
    if draft.cost is None and costs:
        draft.cost = sum(costs)


def ending(draft: Draft, kind: str, said: str | None) -> None:
    """How the run ended, by the type of the main line's last row and what it said (a reply: its stop reason)."""
    if not any(step.role == "model" for step in draft.steps):
        draft.note("never_started", "The file holds no reply of the model.")
        draft.ending = "never_started"
    elif kind == "api error":
        draft.ending, draft.ending_text = "error", said
    elif kind == "max_turns_reached":
        draft.ending, draft.ending_text = "limit", kind
    elif kind == "interrupted":
        draft.ending, draft.ending_text = "interrupted", "Request interrupted by user"
    elif kind == "assistant" and said is not None:
        draft.ending, draft.ending_text = _ENDINGS.get(said), said
    elif kind == "result":
        draft.ending = "truncated"
    if draft.ending == "truncated":
        draft.note("truncated", "The file ends in the middle of a turn: the run was killed, or still runs.")
