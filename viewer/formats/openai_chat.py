"""OpenAI chat: a list of messages as it is sent to a chat completions API, whichever program kept it.

https://platform.openai.com/docs/api-reference/chat

A list or lines of messages, ``{messages: [...]}``, or lines of either (one run a line). In logs of requests,
``{messages, tools, response}``, the response is the last reply. Calls: ``tool_calls`` as a list or an object, the
legacy ``function_call``, parts of the content; a call in both places is one. Messages of the Vercel AI SDK are such
lists too: their result parts do state errors.

Cannot tell: the harness, errors of tools (chat has no field for them), times, the ending, whether the task succeeded;
tokens only where a wrapper states them.
"""

from __future__ import annotations

from viewer.dialects.blocks import below
from viewer.dialects.chat import Conversation, conversations, declared, read_message, role_of, usage_of
from viewer.draft import Draft, StepDraft
from viewer.format import Format
from viewer.lenient import at, items, mapping, mappings, number, text
from viewer.model import Json, Where
from viewer.source import Source

_OTHER_WRAPPERS = frozenset(
    {"suite_name", "traj", "trajectory", "trajectory_format", "responses_create_params", "resourceSpans", "simulations",
     "termination_reason", "platform", "eval", "history", "assistant_content", "test_result", "reward"}
)  # fmt: skip
_OTHER_BLOCKS = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use", "toolCall"}
)
_PARTS = frozenset({"text", "image_url", "input_text", "output_text", "refusal", "input_audio", "file", "video_url",
                    "image", "tool_call", "tool-call", "tool_output", "tool-result", "reasoning", "audio"})  # fmt: skip


def accepts(source: Source) -> bool:
    """Every entry of every conversation is a chat message without foreign blocks, and no other format's wrapper."""
    found = conversations(source, head=True)
    return bool(found) and all(_is_chat(talk) for talk in found) and any(talk.messages for talk in found)


def _is_chat(talk: Conversation) -> bool:
    wrapper = talk.wrapper
    if wrapper.keys() & _OTHER_WRAPPERS or {"steps", "schema_version"} <= wrapper.keys():
        return False
    if "mini_version" in mapping(wrapper.get("info")) or {"info", "parts"} <= wrapper.keys():
        return False
    if not all(_is_message(message) for message in talk.messages):
        return False
    return not _is_mini_swe(talk.messages)


def _is_message(value: Json) -> bool:
    if not isinstance(value, dict) or role_of(value) in (None, "model"):
        return False
    if "type" in value or "message" in value or "parts" in value or "tool_names" in value:
        return False
    if not ({"content", "tool_calls", "function_call"} & value.keys()):
        return False
    content = value.get("content")
    if isinstance(content, list):
        return all(isinstance(part, str) or text(mapping(part).get("type")) in _PARTS for part in content)
    return content is None or isinstance(content, str)


def _is_mini_swe(messages: list[Json]) -> bool:
    """Commands in fenced blocks and their return codes in user messages: mini-SWE-agent's first format."""
    said = [(message.get("role"), message.get("content")) for message in mappings(messages)]
    return any(
        role == "assistant" and isinstance(words, str) and ("```bash" in words or "```mswea_bash_command" in words)
        for role, words in said
    ) and any(role == "user" and isinstance(words, str) and "<returncode>" in words for role, words in said)


def read(source: Source) -> tuple[Draft, ...]:
    """One run a conversation."""
    return tuple(_conversation(source, talk) for talk in conversations(source))


def _conversation(source: Source, talk: Conversation) -> Draft:
    draft = Draft(source)
    for where, message in talk:
        read_message(draft, message, where)
    wrapper = talk.wrapper
    if talk.row is not None and not talk.messages:
        draft.used(Where(row=talk.row))
    draft.model = text(wrapper.get("model"))
    draft.declared_tools = declared(wrapper.get("tools"))
    draft.cost = number(wrapper.get("cost"))
    if "response" in wrapper and talk.row is not None:
        _response(draft, mapping(wrapper["response"]), Where(row=talk.row, pointer=("response",)))
    draft.usage = (
        usage_of(wrapper.get("usage"))
        or usage_of(at(wrapper, "response", "usage"))
        or usage_of(at(wrapper, "meta", "token_counts"))
    )
    return draft


def _response(draft: Draft, response: dict[str, Json], where: Where) -> None:
    """The reply to a logged request: a completion with choices, or the message itself."""
    draft.model = draft.model or text(response.get("model"))
    choice = mapping(next(iter(items(response.get("choices"))), None))
    if "message" in choice:
        step = read_message(draft, choice["message"], below(where, "choices", 0, "message"))
        if isinstance(step, StepDraft):
            step.stop_reason = text(choice.get("finish_reason"))
    elif "role" in response:
        read_message(draft, response, where)
    elif response:
        draft.not_understood(where, "response")


FORMAT = Format("OpenAI chat messages", accepts, read)
