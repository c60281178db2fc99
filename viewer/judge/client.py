"""Asks an OpenAI-compatible endpoint and brings back JSON that fits the schema, or says why there is none."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from viewer.errors import ViewerError
from viewer.judge.configuration import Configuration
from viewer.judge.prompts import Prompt
from viewer.model import Json

INSTALL: Final = "Install it with: pip install 'trajectory-viewer[judge]' (or uv sync --extra judge)."
TRIES: Final = 2
_FENCE: Final = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)
Shape: TypeAlias = Literal["json_schema", "json_object", "text"]
_SIMPLER: Final[dict[Shape, Shape]] = {"json_schema": "json_object", "json_object": "text"}


class NoAnswer(ViewerError):
    """The judge gave no answer that can be used; the message says why. ``final``: asking on would not help."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


@dataclass(slots=True)
class Client:
    """One judge. Remembers what kind of answers the endpoint can promise, and keeps answers on disk."""

    configuration: Configuration
    shape: Shape = "json_schema"
    cached: int = 0
    """Answers that came from disk."""
    _sdk: Any = field(default=None, repr=False)

    def ask(self, prompt: Prompt) -> Json:
        """An answer that fits the prompt's schema. One retry for an answer that does not. Raises ``NoAnswer``."""
        place = self._place(prompt)
        known = _kept(place)
        if known is not None and _fault(known, prompt.schema) is None:
            self.cached += 1
            return known
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        fault = ""
        for _ in range(TRIES):
            said = self._said(messages, prompt)
            value, fault = _read(said, prompt.schema)
            if not fault:
                _keep(place, value)
                return value
            messages = [
                *messages[:2],
                {"role": "assistant", "content": said},
                {"role": "user", "content": f"That does not fit: {fault}. Answer again, with the JSON object only."},
            ]
        raise NoAnswer(f"{self.configuration.model} gave no usable answer, twice: {fault}.")

    def _said(self, messages: list[dict[str, str]], prompt: Prompt) -> str:
        """The text of one reply; asks for less where the endpoint does not know a kind of answer."""
        openai, client = self._connected()
        name, seconds = self.configuration.model, self.configuration.timeout
        while True:
            try:
                reply = client.chat.completions.create(
                    model=name, messages=messages, temperature=0, **_wanted(self.shape, prompt)
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if self.shape not in _SIMPLER:
                    raise NoAnswer(f"{name} refused the request ({error.status_code}).", final=True) from None
                self.shape = _SIMPLER[self.shape]
                continue
            except openai.APITimeoutError:
                raise NoAnswer(f"{name} did not answer within {seconds:g} s.", final=True) from None
            except openai.APIConnectionError:
                raise NoAnswer(f"{self.configuration.host} could not be reached.", final=True) from None
            except openai.APIStatusError as error:
                hint = " Check TV_JUDGE_API_KEY." if error.status_code in (401, 403) else ""
                raise NoAnswer(f"{name} answered with status {error.status_code}.{hint}", final=True) from None
            except (openai.OpenAIError, ValueError, TypeError):
                raise NoAnswer(f"{self.configuration.host} answered with something that is no chat reply.") from None
            return _text(reply, name)

    def _connected(self) -> tuple[Any, Any]:
        try:
            import openai  # noqa: PLC0415  (an extra: the viewer starts without it)
        except ImportError:
            raise NoAnswer(f"The judge needs the package openai. {INSTALL}", final=True) from None
        if self._sdk is None:
            self._sdk = openai.OpenAI(
                base_url=self.configuration.base_url,
                api_key=self.configuration.api_key or "none",  # local servers take any
                timeout=self.configuration.timeout,
                max_retries=0,
            )
        return openai, self._sdk

    def _place(self, prompt: Prompt) -> Path | None:
        if self.configuration.cache is None:
            return None
        key = hashlib.sha256((self.configuration.model + prompt.text).encode("utf-8", "surrogatepass")).hexdigest()
        return self.configuration.cache / f"{key}.json"


def _wanted(shape: Shape, prompt: Prompt) -> dict[str, Any]:
    if shape == "text":
        return {}
    if shape == "json_object":
        return {"response_format": {"type": "json_object"}}
    schema = {"name": prompt.name, "schema": prompt.schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _text(reply: Any, name: str) -> str:
    """The reply's text. The package checks no shapes, so nothing here is taken for granted."""
    choices = getattr(reply, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    refusal, content = getattr(message, "refusal", None), getattr(message, "content", None)
    if isinstance(refusal, str) and refusal:
        raise NoAnswer(f"{name} refused: {refusal[:200]}")
    if getattr(choice, "finish_reason", None) == "content_filter":
        raise NoAnswer(f"{name} refused: its content filter stopped the answer.")
    return content if isinstance(content, str) else ""


def _read(said: str, schema: dict[str, Any]) -> tuple[Json, str]:
    """The value and "" where the text is, or fences, a JSON object that fits; else None and what is wrong."""
    fault = "it is no JSON"
    for text in (said, *_FENCE.findall(said)):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        found = _fault(value, schema)
        if found is None:
            return value, ""
        fault = found
    return None, fault


def _fault(value: Json, schema: dict[str, Any]) -> str | None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to load, and few pages ask a judge

    error = next(iter(Draft202012Validator(schema).iter_errors(value)), None)
    if error is None:
        return None
    place = "/".join(map(str, error.absolute_path)) or "the whole"
    return f"{place}: {error.message[:200]}"


def _kept(place: Path | None) -> Json:
    if place is None:
        return None
    try:
        return json.loads(place.read_bytes())
    except (OSError, ValueError):
        return None


def _keep(place: Path | None, value: Json) -> None:
    """Whole or not at all, for the owner only; a cache that cannot be written is none."""
    if place is None:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=place.parent, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(value, file)
            Path(name).replace(place)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError:
        return
