from string import printable, punctuation

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.labels import label, path_tail, shortened

HOSTILE = [
    "![x](http://127.0.0.1/a.png)",
    "<img src=x>",
    ":red[x]",
    "$x^2$",
    "[x](javascript:alert(1))",
    ":smile:",
    "`a`",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_punctuation_is_left_for_markdown(text: str) -> None:
    shown = label(text)
    for sign in set(punctuation) - set("&#;"):
        assert sign not in shown


@given(st.text(alphabet=printable, max_size=300))
def test_only_entities_hold_punctuation(text: str) -> None:
    import html
    import re

    shown = label(text, 1_000)
    assert not set(re.sub(r"&#\d+;", "", shown)) & set(punctuation)
    assert html.unescape(shown) == " ".join(text.split())


@given(st.text(max_size=2_000), st.integers(2, 200))
def test_shortened_is_one_line_of_at_most_so_many_characters(text: str, limit: int) -> None:
    line = shortened(text, limit)
    assert len(line) <= limit and len(line.splitlines()) <= 1


def test_a_path_keeps_its_file_name() -> None:
    assert path_tail("a/very/long/path/to/users.py", 12).endswith("users.py")
