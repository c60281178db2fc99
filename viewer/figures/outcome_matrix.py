"""Tasks by harnesses (or models, days ...): how many attempts passed, a cell an opening to its runs."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

import plotly.graph_objects as go

from viewer.batch.groups import Cell, Matrix
from viewer.batch.standing import STANDINGS, Standing
from viewer.figures.line_names import room, short
from viewer.figures.theme import DARK, Theme, axis, escaped, layout, tint
from viewer.figures.traces import scatter

ROWS: Final = 12
"""Tasks on one page: what stands below it begins on the first screen."""
_UPRIGHT: Final = 9
"""Columns up to which their names stand upright, over several lines."""
_SLANTED: Final = 20
_LEAST: Final = 4
"""Columns that the width is made for at least, so that a lone one is no bar across the page."""
COLUMNS: Final = 14
GLYPHS: Final[dict[Standing, str]] = {
    "passed": "✔",
    "failed": "✖",
    "error": "!",
    "not_judged": "–",
    "unfinished": "…",
    "before_acting": "∅",
}
_TALL: Final = 44
_LOW: Final = 30
_TOP: Final = 46
_MOST_GLYPHS: Final = 5
_GAP: Final = 0.045


def matrix_figure(found: Matrix, theme: Theme, page: int = 0) -> go.Figure:
    """The tasks of one page (counted from 0) by at most 14 columns; customdata is the index into ``found.cells``."""
    tasks = found.tasks[page * ROWS : (page + 1) * ROWS]
    columns = shown_columns(found)
    row, column = ({name: at for at, name in enumerate(names)} for names in (tasks, columns))
    cells = [
        (at, cell) for at, cell in enumerate(found.cells) if cell.task in row and cell.column in column
    ]  # fmt: skip
    there = {(cell.task, cell.column): cell for _, cell in cells}
    tall = _TALL if len(tasks) <= 8 else _LOW
    left = room(tasks, 30)
    slanted = len(columns) > _UPRIGHT
    top = 20 + int(4.6 * max(len(short(name, _SLANTED)) for name in columns)) if slanted else _TOP
    letters = max(6, min(16, 92 // max(1, len(columns))))
    figure = go.Figure(
        [
            scatter(
                x=[column[cell.column] for _, cell in cells],
                y=[-row[cell.task] for _, cell in cells],
                mode="markers+text",
                text=[_words(cell, len(columns)) for _, cell in cells],
                textfont={"color": theme.text, "size": 12, "weight": 600},
                marker={"symbol": "square", "size": tall - 8, "opacity": 0},
                selected={"marker": {"opacity": 0}},
                unselected={"marker": {"opacity": 0}, "textfont": {"color": theme.text}},
                customdata=[at for at, _ in cells],
                hovertext=[_hover(cell) for _, cell in cells],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        ]
    )
    figure.update_layout(
        **layout(theme, top + tall * max(1, len(tasks)) + 6, left=left, right=26 if slanted else 2, top=top, bottom=6),
        shapes=[
            _box(column[other], -row[task], there.get((task, other)), theme) for task in tasks for other in columns
        ],
        xaxis=axis(
            range=[-0.5, max(_LEAST, len(columns)) - 0.5],
            side="top",
            showticklabels=True,
            tickvals=list(range(len(columns))),
            ticktext=[escaped(short(name, _SLANTED)) if slanted else _wrapped(name, letters) for name in columns],
            tickangle=-45 if slanted else 0,
            tickfont={"size": 11 if len(columns) <= 8 else 10},
        ),
        yaxis=axis(
            range=[-max(1, len(tasks)) + 0.5, 0.5],
            showticklabels=True,
            tickvals=[-at for at in range(len(tasks))],
            ticktext=[escaped(short(task, 30)) for task in tasks],
        ),
    )
    return figure


def shown_columns(found: Matrix) -> tuple[str, ...]:
    """The columns that fit, those with most attempts that count, then with most runs; in their order."""
    if len(found.columns) <= COLUMNS:
        return found.columns
    counted: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for cell in found.cells:
        counted[cell.column] += cell.n
        runs[cell.column] += len(cell.runs)
    chosen = set(sorted(found.columns, key=lambda name: (-counted[name], -runs[name]))[:COLUMNS])
    return tuple(name for name in found.columns if name in chosen)


def _words(cell: Cell, columns: int) -> str:
    glyphs = [GLYPHS.get(standing, "") for standing in cell.standings]
    most = _MOST_GLYPHS if columns <= 6 else 2 if columns <= 9 else 0
    marks = " ".join(glyphs) if len(glyphs) <= most else ""
    return " ".join(part for part in (f"{cell.passed}/{cell.n}" if cell.n else "", marks) if part) or str(len(glyphs))


def _hover(cell: Cell) -> str:
    counts: dict[Standing, int] = {}
    for standing in cell.standings:
        counts[standing] = counts.get(standing, 0) + 1
    told = "<br>".join(f"{count:,} {STANDINGS[standing]}" for standing, count in counts.items())
    return f"{escaped(cell.task[:80])} · {escaped(cell.column[:60])}<br>{told}"


def _box(x: int, y: int, cell: Cell | None, theme: Theme) -> dict[str, Any]:
    fill = "rgba(0,0,0,0)"
    if cell is not None and cell.n:
        if 0 < cell.passed < cell.n:
            fill = tint(DARK.denied, 0.22)  # a yellow: the light theme's own is brown in a tint
        else:
            fill = tint(theme.passed if cell.passed else theme.error, 0.14)
    elif cell is not None:
        fill = theme.chip
    return {
        "type": "rect", "layer": "below", "fillcolor": fill,
        "x0": x - 0.5 + _GAP, "x1": x + 0.5 - _GAP, "y0": y - 0.42, "y1": y + 0.42,
        "line": {"width": 1, "color": theme.grid if cell is None or not cell.n else fill},
    }  # fmt: skip


def _wrapped(name: str, limit: int) -> str:
    """A name over at most three lines of ``limit`` letters, broken behind dashes, slashes and blanks if it can be."""
    lines = [""]
    for part in re.findall(r"[^-_/ .]*[-_/ .]?", short(name, 3 * limit)):
        if len(lines[-1]) + len(part.rstrip()) > limit and lines[-1]:
            lines.append("")
        lines[-1] += part
        if len(word := lines[-1].rstrip()) > limit:  # one long word: in equal parts
            size = -(-len(word) // -(-len(word) // limit))
            lines[-1:] = [word[at : at + size] for at in range(0, len(word), size)]
    return "<br>".join(escaped(line.strip()) for line in lines[:3] if line.strip())
