"""Secrets in a text -> the text without them: for whatever leaves this machine (judge prompts, exports).

The rules are the published shapes of tokens (each vendor's documentation), headers and addresses with credentials,
and assignments to names like ``api_key``. A table of our own: detect-secrets 1.5.0, the newest, is from May 2024; its
named rules find 6 of the 15 shapes in ``tests/test_masking.py`` (not GitHub's fine-grained tokens, not those of
OpenAI's projects, Anthropic, Google or Hugging Face), and its entropy rules fire on every hash and id of a trace.
No table finds every secret: a person reads the preview before anything leaves. The original is never changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

_NAMES: Final = (
    r"(?:secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|client[_-]?key|credential|(?:access|auth|bearer|refresh|session|api|id)[_-]?token)[\w-]{0,40}"
    r"|(?<![\w.-])(?:token|pwd|passwd)"
)
"""Names whose value is a secret. Plurals of "token" count things."""
_TOKENS: Final[tuple[tuple[str, str], ...]] = (
    (
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)",
    ),
    ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{22,255})\b"),
    ("GitLab token", r"\bgl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[A-Za-z0-9_-]{20,}"),
    ("API key", r"\b(?:sk|rk|pk)-(?:ant-|proj-|svcacct-|admin-|or-v1-|lf-)?[A-Za-z0-9_-]{16,}"),
    ("Stripe key", r"\b(?:[rs]k|whsec)_(?:live_|test_)?[A-Za-z0-9]{20,}\b"),
    ("Google key", r"\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{28}"),
    ("AWS key", r"\b(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}\b"),
    ("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/(?:services|workflows)/[\w/-]{20,}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}"),
    ("Telegram token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    ("Discord token", r"\b[MNO][A-Za-z\d_-]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}"),
    ("Databricks token", r"\bdapi[a-f0-9]{32}\b"),
    ("Azure key", r"\bAccountKey=(?P<secret>[A-Za-z0-9+/]{60,}={0,2})"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
    ("password in an address", r"://[^/\s:@\"']{0,80}:(?P<secret>(?:(?!\[masked: )[^/\s@\"']){1,200})@"),
    (
        "key in an address",
        r"[?&](?:key|api_?key|token|access_token|auth|password|secret|sig(?:nature)?|X-Amz-[\w-]{1,30})="
        r"(?P<secret>(?:(?!\[masked: )[^\s&#\"'<>]){6,})",
    ),
    ("authorization", r"\b(?:Bearer|Basic)\s+(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})"),
    (
        "authorization",
        r"(?i:\b(?:x-api-key|(?:proxy-)?authorization))[\"']?\s*[:=]\s*[\"']?"
        r"(?P<secret>(?:(?!\[masked: )[^\s\"',;]){12,})",
    ),
    ("cookie", r"(?im:^|(?<=[\s\"']))(?i:(?:set-)?cookie):\s*(?P<secret>(?:(?!\[masked: )[^\r\n\"']){4,})"),
    (
        "quoted secret",
        rf"(?i:{_NAMES})\\?[\"']?\s{{0,4}}[:=]\s{{0,4}}\\?[\"'](?!\*|[A-Z]{{2,}}[A-Z0-9_]*[\"'])"
        r"(?P<secret>(?:(?!\[masked: )[^\s\"'\\$<>{}]){6,})",
    ),
    (
        "secret",
        # not in quotes: only what has a digit and a letter, and is neither a call, a variable nor an attribute
        rf"(?i:{_NAMES})\s{{0,4}}[:=]\s{{0,4}}(?P<secret>(?=[^\s]{{0,80}}?\d)(?=[^\s]{{0,80}}?[A-Za-z])"
        r"[A-Za-z0-9_+/=~!@#%^*-]{8,})(?![\w.(\[])",
    ),
    ("e-mail address", r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"),
    ("user", r"(?:(?<![\w.])/(?:home|Users)/|\\{1,2}Users\\{1,2})(?P<secret>(?!\[masked: |\.)[^/\\\s\"'<>:|]{1,64})"),
)
"""(What it is, its shape), the surest first. Where only a part is secret, that part is the group ``secret``."""
_RULES: Final = tuple((kind, re.compile(shape)) for kind, shape in _TOKENS)
_PUBLIC: Final = frozenset({"git", "runner", "user", "Shared", "Public", "example", "noreply"})
"""Homes that name nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A secret in a text: what it looks like and where, ``start`` to ``end`` in characters."""

    kind: str
    start: int
    end: int


def secrets_in(text: str) -> tuple[Secret, ...]:
    """What looks like a secret, in order; none overlap. Where rules meet, what they found is one secret."""
    found: list[Secret] = []
    for kind, rule in _RULES:
        for match in rule.finditer(text):
            start, end = match.span("secret" if "secret" in rule.groupindex else 0)
            if not (kind == "user" and text[start:end] in _PUBLIC):
                found.append(Secret(kind=kind, start=start, end=end))
    united: list[Secret] = []
    for secret in sorted(found, key=lambda one: one.start):  # stable: of those that start together the surer is first
        last = united[-1] if united else None
        if last is None or secret.start >= last.end:
            united.append(secret)
        elif secret.end > last.end:
            united[-1] = replace(last, end=secret.end)
    return tuple(united)


def masked(text: str) -> str:
    """The text with every secret replaced by ``[masked: what it is]``. Masking twice changes nothing more."""
    parts, at = [], 0
    for secret in secrets_in(text):
        parts += [text[at : secret.start], f"[masked: {secret.kind}]"]
        at = secret.end
    return "".join([*parts, text[at:]])
