import re
import tomllib

import orjson
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.places import ROOT
from viewer.figures.theme import (
    CHECK_GLYPH,
    CHECK_SYMBOL,
    DARK,
    GLYPHS,
    LIGHT,
    STATE_WORDS,
    SYMBOLS,
    Theme,
    escaped,
    layout,
    theme,
)
from viewer.model import STATES

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_state_has_its_own_symbol_and_glyph() -> None:
    assert set(SYMBOLS) == set(GLYPHS) == set(STATE_WORDS) == set(STATES)
    assert len({*SYMBOLS.values(), CHECK_SYMBOL}) == len(STATES) + 1
    assert len({*GLYPHS.values(), CHECK_GLYPH}) == len(STATES) + 1


def test_plotly_knows_every_symbol() -> None:
    for symbol in (*SYMBOLS.values(), CHECK_SYMBOL):
        go.Scatter(marker={"symbol": symbol})


@THEMES
def test_states_can_be_seen(theme: Theme) -> None:
    for state in STATES:
        # a superseded call was taken back; it is the one state that may stay in the background
        least = 3.0 if state == "superseded" else 4.5
        assert contrast(theme.state(state), theme.background) >= least, state
    for colour in (*theme.runs, theme.repeat, theme.cursor, theme.passed, theme.text, theme.muted):
        assert contrast(colour, theme.background) >= 4.5


@THEMES
def test_colours_are_those_of_the_page(theme: Theme) -> None:
    page = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][theme.name]
    assert theme.background == page["backgroundColor"]
    assert theme.text == page["textColor"]
    assert theme.chip == page["secondaryBackgroundColor"]
    assert theme.error == page["redColor"]
    assert theme.denied == page["orangeColor"]
    assert theme.repeat == page["violetColor"]
    assert theme.cursor == page["blueColor"]
    assert theme.passed == page["greenColor"]
    assert theme.unanswered == page["grayColor"]
    assert theme.muted == page["grayTextColor"]
    assert set(theme.runs) <= set(page["chartCategoricalColors"])


@pytest.mark.parametrize(("name", "expected"), [("light", LIGHT), ("dark", DARK), (None, LIGHT), ("sepia", LIGHT)])
def test_theme_by_name(name: str | None, expected: Theme) -> None:
    assert theme(name) is expected


def test_graph_rail_and_strip_share_their_margins() -> None:
    for height in (430, 62, 16):
        assert (layout(LIGHT, height)["margin"]["l"], layout(LIGHT, height)["margin"]["r"]) == (196, 14)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("&lt;", "&amp;lt;"),
        ("a\nb\x1b[0m", "a b [0m"),
        ("a\u202eb\u2066c", "abc"),
        ("\ud800", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_escaped(text: str, expected: str) -> None:
    assert escaped(text) == expected


@given(st.text())
def test_nothing_that_plotly_reads_is_left(text: str) -> None:
    safe = escaped(text)
    assert "<" not in safe and ">" not in safe
    assert not re.search(r"&(?!amp;|lt;|gt;)", safe)
    orjson.dumps(safe)


def test_no_other_figure_module_spells_a_colour() -> None:
    for path in sorted((ROOT / "viewer" / "figures").glob("*.py")):
        if path.name != "theme.py":
            assert not re.findall(r"#[0-9A-Fa-f]{6}\b|rgba\((?!0,0,0,0\))", path.read_text()), path.name
