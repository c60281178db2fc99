"""The style of an exported page: constant text for a theme."""

from __future__ import annotations

from typing import Final

from viewer.figures.theme import MONO, SANS, Theme

_STYLE: Final = """
:root { color-scheme: %(name)s; }
body { margin: 0; background: %(background)s; color: %(text)s; font: 14px/1.45 %(sans)s, system-ui, sans-serif; }
main { max-width: 1440px; margin: 0 auto; padding: 20px 20px 60px; }
h1 { font-size: 20px; margin: 0 0 8px; } h2 { font-size: 16px; margin: 28px 0 8px; }
h3 { font-size: 14px; margin: 8px 0 4px; } h4 { font-size: 12.5px; margin: 8px 0 4px; font-weight: 600; }
p { margin: 6px 0; } a { color: %(cursor)s; } .muted { color: %(muted)s; }
.jump { display: inline-block; margin-right: 14px; }
pre, code { font: 12.5px/1.5 %(mono)s, ui-monospace, monospace; }
pre { margin: 0; padding: 8px 10px; background: %(chip)s; border-radius: 4px; white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 420px; overflow: auto; }
table { border-collapse: collapse; width: 100%%; } th, td { text-align: left; padding: 4px 8px; vertical-align: top;
  border-bottom: 1px solid %(grid)s; overflow-wrap: anywhere; } th { font-weight: 600; background: %(chip)s; }
tr.differs td:first-child::after { content: " \\2260"; color: %(denied)s; }
.passed { color: %(passed)s; } .failed, .error { color: %(error)s; }
.run-0 { color: %(run0)s; } .run-1 { color: %(run1)s; } .run-2 { color: %(run2)s; } .run-3 { color: %(run3)s; }
.row > summary, .row.head { display: grid; gap: 10px; padding: 3px 8px; align-items: baseline;
  grid-template-columns: 34px 250px repeat(var(--runs), minmax(0, 1fr)); border-bottom: 1px solid %(grid)s; }
.row > summary { cursor: pointer; list-style: none; } .row.head { font-weight: 600; background: %(chip)s; }
.row > summary > span { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.row > summary:hover, .row > summary:focus-visible { background: %(chip)s; }
.row[open] > summary, .row:has(:target) > summary { background: %(window)s; font-weight: 600; }
.kind em { font-style: normal; color: %(cursor)s; margin-left: 8px; font-weight: 600; }
.kind.changed_arguments { color: %(denied)s; } .kind.partial, .kind.moved, .kind.changed_result { color: %(muted)s; }
.body { padding: 4px 8px 16px; } .payloads { display: grid; gap: 14px;
  grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); }
del { color: %(error)s; } ins { color: %(passed)s; }
figure { margin: 0; }
footer { margin-top: 30px; color: %(muted)s; }
@media print { .row > summary { break-inside: avoid; } pre { max-height: none; } }
"""


def style(theme: Theme) -> str:
    """CSS; asks for no font and no picture."""
    return _STYLE % {
        "name": theme.name,
        "background": theme.background,
        "text": theme.text,
        "muted": theme.muted,
        "chip": theme.chip,
        "grid": theme.grid,
        "cursor": theme.cursor,
        "denied": theme.denied,
        "passed": theme.passed,
        "error": theme.error,
        "window": theme.window_fill,
        "sans": SANS,
        "mono": MONO,
        **{f"run{at}": colour for at, colour in enumerate(theme.runs)},
    }
