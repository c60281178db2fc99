import pytest

from components import amounts
from components.cut_text import cut, readable
from components.raw_payload import pointer


def test_terminal_colours_go_and_control_signs_show() -> None:
    assert readable("\x1b[31mred\x1b[0m") == "red"
    assert readable("\x1b]8;;http://x\x07link\x1b]8;;\x07") == "link"
    assert readable("a\x00b\x7f") == "a␀b␡"
    assert readable("safe\u202egnp.exe") == "safe⟨U+202E⟩gnp.exe"


def test_cut_keeps_the_first_lines_and_says_so() -> None:
    assert cut("a\nb\nc", lines=2) == ("a\nb", True)
    assert cut("a\nb\n", lines=2) == ("a\nb", False)
    assert cut("x" * 20, characters=10) == ("x" * 10, True)


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "not recorded"), (0, "0 ms"), (0.309, "309 ms"), (12.7, "12.7 s"), (3331, "55 min 31 s"),
     (49 * 3600 + 43 * 60, "49 h 43 min"), (-1, "unknown"), (59.99, "60.0 s"), (99.96, "1 min 40 s")],
)  # fmt: skip
def test_durations(value: float | None, words: str) -> None:
    assert amounts.seconds(value) == words


@pytest.mark.parametrize(
    ("value", "words"), [(None, "not recorded"), (0, "0"), (9_999, "9,999"), (367_900, "367.9k"), (8_400_000, "8.4M")]
)
def test_tokens(value: int | None, words: str) -> None:
    assert amounts.tokens(value) == words


def test_a_pointer_is_safe_inside_a_code_span() -> None:
    assert pointer(("message", "content", 0, "name")) == "message.content[0].name"
    assert "`" not in pointer(("a`![x](http://y)",)) and "!" not in pointer(("![x](http://y)",))
    assert pointer(()) == "the row itself"
