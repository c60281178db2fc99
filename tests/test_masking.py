"""Secrets are masked, what only looks like one stays, and no text takes long. The tokens are made up."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.masking import masked, secrets_in

# Put together here, so that a scanner of this repository finds none.
TAIL = "aB3dE6gH9kL2nP5rS8tV1xY4zA7cD0fG3jK6mN9q"
SECRETS = [
    ("GitHub token", "gh" + "p_" + TAIL[:36]),
    ("GitHub token", "github" + "_pat_" + TAIL),
    ("GitLab token", "gl" + "pat-" + TAIL[:20]),
    ("API key", "sk" + "-proj-" + TAIL),
    ("API key", "sk" + "-ant-" + "api03-" + TAIL),
    ("API key", "sk" + "-" + TAIL),
    ("Stripe key", "sk" + "_live_" + TAIL[:24]),
    ("Google key", "AI" + "za" + TAIL[:35]),
    ("AWS key", "AK" + "IA" + "ABCDEFGHIJKLMNOP"),
    ("Hugging Face token", "h" + "f_" + TAIL[:34]),
    ("Slack token", "xo" + "xb-1234567890-" + TAIL[:20]),
    ("npm token", "np" + "m_" + TAIL[:36]),
    ("PyPI token", "py" + "pi-" + TAIL + TAIL),
    ("JSON web token", "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiIxMjM0In0." + TAIL),
    ("e-mail address", "ada.lovelace@analytical.engine.org"),
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
@pytest.mark.parametrize("around", ["{}", "token {} here", '{{"a": "{}"}}', "x={}\n", "('{}',)"])
def test_a_token_is_masked_whole(kind, secret, around):
    assert masked(around.format(secret)) == around.format(f"[masked: {kind}]")


PARTS = [
    ("postgres://ada:" + "hunter2@db/x", "postgres://ada:[masked: password in an address]@db/x"),
    ("https://x.org/a?" + "api_key=abc123def&b=1", "https://x.org/a?api_key=[masked: key in an address]&b=1"),
    ("Authorization: Bearer " + TAIL, "Authorization: Bearer [masked: authorization]"),
    ("curl -H 'x-api-key: " + TAIL + "'", "curl -H 'x-api-key: [masked: authorization]'"),
    ("Cookie: session=abc; id=7\nAccept: x", "Cookie: [masked: cookie]\nAccept: x"),
    ('password = "' + 'correct-horse"', 'password = "[masked: quoted secret]"'),
    ('{"api_key": "' + 'qwertyuiop"}', '{"api_key": "[masked: quoted secret]"}'),
    ('{\\"api_key\\": \\"' + 'qwertyuiop\\"}', '{\\"api_key\\": \\"[masked: quoted secret]\\"}'),
    ("export AWS_SECRET_ACCESS_KEY=" + TAIL, "export AWS_SECRET_ACCESS_KEY=[masked: secret]"),
    ("DB_PASSWORD=" + "hunter22", "DB_PASSWORD=[masked: secret]"),
    ("/home/ada/x.py /Users/bob/y", "/home/[masked: user]/x.py /Users/[masked: user]/y"),
    ("C:\\Users\\ada\\x", "C:\\Users\\[masked: user]\\x"),
    ("C:\\\\Users\\\\ada\\\\x", "C:\\\\Users\\\\[masked: user]\\\\x"),
]


@pytest.mark.parametrize(("text", "expected"), PARTS)
def test_only_the_secret_part_is_masked(text, expected):
    assert masked(text) == expected
    assert masked(expected) == expected


def test_a_private_key_is_masked_to_its_end_and_to_the_texts_end_when_it_is_cut():
    key = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIE\nabc\n"
    assert masked(f"a\n{key}-----END RSA PRIVATE KEY-----\nb") == "a\n[masked: private key]\nb"
    assert masked(f"a\n{key}MIIF") == "a\n[masked: private key]"


INNOCENT = [
    "max_tokens: 4096, input_tokens=123456, token: 12345678",
    "token = tokenizer.next()",
    "password = os.environ['DB_PASSWORD']",
    "password = get_password1(x)",
    "api_key = $API_KEY1234",
    'api_key="<your key>"',
    "commit 2f19922d0c1b3a4958677a9b8c7d6e5f40312233",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "toolu_01A09q90qw90lq917835lq9 call_4b42i1TCLuZDdTLbosXT76Ct",
    "550e8400-e29b-41d4-a716-446655440000",
    "http://localhost:8501/run?tab=calls",
    "from viewer.masking import masked",
    '"apiKeySource":"ANTHROPIC_API_KEY","api_key":"**********"',
    "/workspace/home/.config/x",
    '"authorization": "declared"',
    "the secret of a good test is to fail",
    "/home/user/project/src/main.py",
    "task-1 risk-assessment disk-usage-of-the-machine",
    "@pytest.mark.parametrize decorators@ 3 @ 4",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_no_secret_stays(text):
    assert masked(text) == text


def test_rules_that_meet_mask_all_they_found():
    assert masked("Cookie: a=1; " + SECRETS[0][1] + "; b=2") == "Cookie: [masked: cookie]"


def test_places_are_in_order_and_apart():
    found = secrets_in("a@b.cd " + SECRETS[0][1] + " password: 'qwertyuiop'")
    assert [one.kind for one in found] == ["e-mail address", "GitHub token", "quoted secret"]
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(st.text(max_size=400))
def test_masking_is_done_at_once(text):
    once = masked(text)
    assert masked(once) == once


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "password" * 20_000, "-----BEGIN " * 20_000, "://" * 60_000, "a." * 100_000, "token=" * 30_000,
     "a@" * 100_000, "eyJ" * 60_000, "\\" * 200_000, "sk-" * 60_000, " " * 200_000],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_no_text_takes_long(text):
    started = time.process_time()
    masked(text)
    assert time.process_time() - started < 3
