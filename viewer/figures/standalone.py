"""A figure as one HTML file that opens anywhere without a network."""

from __future__ import annotations

from html import escape

import plotly.graph_objects as go

from viewer.figures.theme import CONFIG, Theme


def standalone_html(figure: go.Figure, title: str, theme: Theme) -> str:
    """The figure with plotly's script inlined, under its title: about five megabytes, nearly all of it the script.

    ``title`` may be text of a trace. The page asks no other machine for anything.
    """
    body = figure.to_html(full_html=False, include_plotlyjs=True, config=dict(CONFIG), default_width="100%")
    return (
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{escape(title)}</title>"
            f"<style>body {{ margin: 0; background: {theme.background}; color: {theme.text}; "
            "font-family: 'Source Sans', sans-serif }} h1 {{ font-size: 16px; margin: 12px 20px }}</style></head>"
            f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
        )
        .replace("}}", "}")
        .replace("{{", "{")
    )
