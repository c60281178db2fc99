"""Sub-agents of a session: which call started one that no row names, and a sub-agent's file read by itself."""

from __future__ import annotations

from viewer.dialects.claude import notification
from viewer.draft import CallDraft, Draft
from viewer.lenient import mapping, text, without_none
from viewer.model import Json, Where
from viewer.tool_calls.found import FoundCall


def call_of(draft: Draft, id: str | None) -> CallDraft | None:
    """The last call of an id, whoever made it: sub-agents start sub-agents too."""
    return next((call for call in reversed(draft.calls) if call.found.id == id), None) if id else None


def notified(draft: Draft, said: Json, where: Where, when: float | None) -> bool:
    """A background sub-agent ended: that is the result of its call, which so far said "launched"."""
    notice = notification(said)
    call = call_of(draft, notice.call) if notice else None
    if notice is None or call is None:
        return False
    if call.result is not None and call.result.text != notice.text:
        draft.note("launch_text", f"First result of the call: {call.result.text[:200]}", call.result_where)
    call.result, call.result_where, call.ended = notice.result, where, when or call.ended
    return True


def attach(draft: Draft) -> None:
    """Sub-agents that no row names: by equal prompt, the rest is said to be unattached."""
    taken = set(map(id, draft.delegations.values()))
    agents = dict.fromkeys(step.agent for step in draft.steps if step.agent is not None)
    whole = any(step.agent is None for step in draft.steps)
    for agent in agents:
        if agent in draft.delegations:
            continue
        first = next(step for step in draft.steps if step.agent == agent)
        prompt = "\n\n".join(first.texts)
        for call in draft.calls:
            if call.agent != agent and id(call) not in taken and _prompt(call.found) == prompt != "":
                draft.delegations[agent] = call
                taken.add(id(call))
                break
        else:
            if whole:
                draft.note("sub_agent_unattached", f"No call is known to have started {agent}.", first.where)


def alone(draft: Draft) -> None:
    """A sub-agent's file read by itself: its prompt is the task, its last words are the claim."""
    if not draft.steps:
        return
    draft.extra |= without_none(agent_id=draft.steps[0].agent)
    draft.task = next((t for s in draft.steps if s.role == "user" and s.marker is None for t in s.texts), None)
    last = next((step for step in reversed(draft.steps) if step.role == "model"), None)
    if last is not None and not last.calls:
        draft.claim = "\n\n".join(last.texts) or None


def _prompt(found: FoundCall) -> str | None:
    return text(mapping(found.arguments).get("prompt"))
