"""A figure as one HTML file that opens anywhere without a network."""

from __future__ import annotations

from html import escape

import plotly.graph_objects as go

from viewer.figures.theme import CONFIG, SANS, Theme


def standalone_html(figure: go.Figure, title: str, theme: Theme) -> str:
    """The figure with plotly's script inlined, under its title: about five megabytes, nearly all of it the script.

    ``title`` may be text of a trace. The page asks no other machine for anything.
    """
    body = figure.to_html(full_html=False, include_plotlyjs=True, config=dict(CONFIG), default_width="100%")
    style = f"body {{ margin: 0; background: {theme.background}; color: {theme.text}; font-family: {SANS} }}"
    named = escape(title)
    head = f'<meta charset="utf-8"><title>{named}</title><style>{style} h1 {{ font-size: 16px; margin: 12px }}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body><h1>{named}</h1>{body}</body></html>\n'
