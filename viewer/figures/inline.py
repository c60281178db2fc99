"""Figures inside a page of one file: plotly's script as text, and each figure as a place and a script that fills it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

_CONFIG: Final = '{"displaylogo":false,"responsive":true,"modeBarButtons":[["toImage"]],"scrollZoom":false}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Inline:
    """``place`` is HTML, ``script`` JavaScript that needs plotly's own before it."""

    place: str
    script: str


def plotly_script() -> str:
    """plotly.js, about five megabytes; asks no other machine for anything."""
    return str(get_plotlyjs())


def inline(figure: go.Figure, name: str, alt: str, clean: Callable[[str], str]) -> Inline:
    """``name`` is an id of ours; ``alt`` says the figure in a sentence and may be text of a trace.

    ``clean`` goes over every text of the figure.
    """
    cleaned = go.Figure(_cleaned(figure.to_dict(), clean))
    # no tag, comment or line separator may end the script that the data stands in
    data = str(cleaned.to_json()).translate({ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
    height = int(figure.layout.height or 400)
    return Inline(
        place=f'<figure aria-label="{escape(alt)}"><div id="{name}" style="height:{height}px"></div></figure>',
        script=f'{{const figure = {data}; Plotly.newPlot("{name}", figure.data, figure.layout, {_CONFIG});}}',
    )


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _cleaned(inner, clean) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(inner, clean) for inner in value]
    return value
