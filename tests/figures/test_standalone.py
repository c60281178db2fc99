import re

from tests.figures.test_order import HOSTILE
from tests.graphs.made_runs import bash, run
from viewer.figures.order import order_figure
from viewer.figures.standalone import standalone_html
from viewer.figures.theme import DARK


def test_one_file_without_a_network() -> None:
    html = standalone_html(order_figure(run(bash(HOSTILE, 1)), DARK), HOSTILE, DARK)
    assert "Plotly.newPlot(" in html
    assert DARK.background in html.partition("<body>")[0]
    assert not re.search(r"<(?:script|img|link|iframe)[^>]*\b(?:src|href)=", html.replace(_plotly(html), ""))
    assert "<h1>&lt;img src=" in html


def _plotly(html: str) -> str:
    """Plotly's own script, which spells tags inside strings."""
    scripts: list[str] = re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL)
    return max(scripts, key=len)


def test_the_script_is_whole() -> None:
    html = standalone_html(order_figure(run(bash("ls")), DARK), "a {{b}} title", DARK)
    assert "<title>a {{b}} title</title>" in html
    from plotly.offline import get_plotlyjs

    assert get_plotlyjs()[-2_000:] in html
