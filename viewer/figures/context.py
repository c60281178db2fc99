"""Context size over the steps of the main agent: what the model was given, and how much of it came from a cache."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viewer.analysis.scope import leading_call, model_steps
from viewer.figures.captions import counted
from viewer.figures.geometry import tick_step
from viewer.figures.order import empty_figure
from viewer.figures.theme import STEADY, Theme, axis, layout
from viewer.figures.traces import Trace, scatter
from viewer.model import Trajectory

HEIGHT: Final = 190
MOST: Final = 400
"""Points; a longer run shows the largest step of each of 400 stretches."""
_LEFT: Final = 52
_RIGHT: Final = 14
_WIDTH: Final = 640
_MARKED: Final = 80
COMPACTION: Final = "compaction"


class _Sizes(NamedTuple):
    steps: NDArray[np.int32]
    """Indexes of steps, one a point."""
    tokens: NDArray[np.float64]
    cached: NDArray[np.float64]
    """NaN where not recorded."""
    last: NDArray[np.int32]
    """The last step each point stands for; its own where it stands for itself."""
    recorded: int


def context_figure(trajectory: Trajectory, theme: Theme, *, height: int = HEIGHT) -> go.Figure:
    """Customdata of a point is the call it leads to: the first of its step, else the last one made before it."""
    sizes = _sizes(trajectory)
    if not sizes.recorded:
        return empty_figure("This file records no input tokens by step.", theme, height)
    x = sizes.steps.astype(float) + 1
    leads = np.array([_lead(trajectory, step) for step in sizes.steps.tolist()], dtype=np.int32)
    top = max(float(sizes.tokens.max()), 1.0) * 1.12
    first, last = float(x[0]), float(x[-1])
    pad = max((last - first) * 0.02, 0.5)
    traces: list[Trace] = []
    if np.isfinite(sizes.cached).any():
        traces.append(
            scatter(
                x=x,
                y=np.nan_to_num(sizes.cached),
                mode="lines",
                line={"width": 0, "shape": "hvh"},
                fill="tozeroy",
                fillcolor=theme.window_fill,
                hoverinfo="skip",
                name="from a cache",
            )
        )
    marked = len(x) <= _MARKED
    traces += [
        scatter(
            x=x,
            y=sizes.tokens,
            mode="lines",
            line={"width": 1.4, "color": theme.cursor, "shape": "hvh"},
            hoverinfo="skip",
            name="input tokens",
        ),
        scatter(
            x=x,
            y=sizes.tokens,
            mode="markers",
            marker={"size": 8 if marked else 4, "color": theme.cursor, "line": {"width": 0}},
            customdata=leads,
            hovertext=_hovers(trajectory, sizes, leads),
            hoverinfo="text",
            name="steps",
            **STEADY,
        ),
    ]
    shapes, labels = _compactions(trajectory, theme)
    return go.Figure(
        data=traces,
        layout={
            **layout(theme, height, left=_LEFT, right=_RIGHT, top=16, bottom=28),
            "xaxis": axis(range=[first - pad, last + pad], **_x_ticks(first, last, theme)),
            "yaxis": axis(range=[0, top], showgrid=True, gridcolor=theme.grid, **_y_ticks(top, theme)),
            "shapes": shapes,
            "annotations": labels,
        },
    )


def context_caption(trajectory: Trajectory) -> str:
    """What is drawn, over which steps, and what is left out."""
    sizes = _sizes(trajectory)
    if not sizes.recorded:
        return "This file records no input tokens by step."
    most = int(sizes.steps[int(sizes.tokens.argmax())])
    of = sum(step.agent is None for step in model_steps(trajectory))
    parts = [
        f"Input tokens by step: at most {_words(float(sizes.tokens.max()))} at step {most + 1:,}",
        f"{sizes.recorded:,} of {counted(of, 'step')} of the main agent recorded",
    ]
    if np.isfinite(sizes.cached).any():
        parts.append("shaded: from a cache")
    if len(sizes.steps) < sizes.recorded:
        parts.append(f"drawn: the largest of each of {len(sizes.steps):,} stretches")
    return " · ".join(parts)


def _words(number: float) -> str:
    return f"{number:,.0f}" if number < 10_000 else f"{number / 1_000:.1f}k" if number < 1e6 else f"{number / 1e6:.1f}M"


def short_tokens(number: float) -> str:
    """``787``, ``27k``, ``2.4M``."""
    if number < 1_000:
        return f"{number:.0f}"
    size, unit = (1_000, "k") if number < 1_000_000 else (1_000_000, "M")
    return f"{number / size:.1f}".removesuffix(".0") + unit


def _lead(trajectory: Trajectory, step: int) -> int:
    call = leading_call(trajectory, trajectory.steps[step])
    return -1 if call is None else call


def _sizes(trajectory: Trajectory) -> _Sizes:
    steps: list[int] = []
    tokens: list[float] = []
    cached: list[float] = []
    for step in model_steps(trajectory):
        usage = step.usage
        if step.agent is None and usage is not None and usage.input_tokens is not None:
            steps.append(step.index)
            tokens.append(usage.input_tokens)
            cached.append(np.nan if usage.cached_tokens is None else usage.cached_tokens)
    at, size, known = np.array(steps, np.int32), np.array(tokens, float), np.array(cached, float)
    if len(at) <= MOST:
        return _Sizes(at, size, known, at, len(at))
    edges = np.linspace(0, len(at), MOST + 1).round().astype(int)
    pairs = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    best = np.array([begin + int(size[begin:end].argmax()) for begin, end in pairs])
    return _Sizes(at[best], size[best], known[best], at[edges[1:] - 1], len(at))


def _hovers(trajectory: Trajectory, sizes: _Sizes, leads: NDArray[np.int32]) -> list[str]:
    binned = len(sizes.steps) < sizes.recorded
    texts = []
    for step, tokens, cached, lead in zip(
        sizes.steps.tolist(), sizes.tokens.tolist(), sizes.cached.tolist(), leads.tolist(), strict=True
    ):
        own = bool(trajectory.steps[step].calls)
        lines = [f"<b>step {step + 1:,}</b>  {tokens:,.0f} input tokens"]
        if np.isfinite(cached):
            lines.append(f"{cached:,.0f} of them from a cache")
        if binned:
            lines.append("the largest of its stretch")
        if lead >= 0:
            lines.append(f"call #{lead + 1:,}" if own else f"no call; leads to #{lead + 1:,}")
        texts.append("<br>".join(lines))
    return texts


def _compactions(trajectory: Trajectory, theme: Theme) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Dotted verticals where the harness condensed the conversation; the first says so in words."""
    places = [
        step.index + 1 for step in trajectory.steps
        if step.marker == COMPACTION and step.agent is None and step.line == "main"
    ]  # fmt: skip
    shapes = [
        {
            "type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper",
            "line": {"color": theme.muted, "width": 1, "dash": "dot"},
        }
        for x in places[:50]
    ]  # fmt: skip
    label = {
        "text": "compaction", "x": places[0] if places else 0, "xanchor": "left", "xshift": 3, "y": 1, "yref": "paper",
        "yanchor": "top", "font": {"size": 10, "color": theme.muted}, "showarrow": False, "borderpad": 0,
    }  # fmt: skip
    return shapes, [label] if places else []


def _x_ticks(first: float, last: float, theme: Theme) -> dict[str, Any]:
    unit = (_WIDTH - _LEFT - _RIGHT) / max(last - first, 1.0)
    step = tick_step(unit / 1.6, int(last))
    values = np.arange(np.ceil(first / step) * step, last + 1, step)
    if not len(values):
        values = np.array([first])
    return {
        "showticklabels": True,
        "tickvals": values,
        "ticktext": [f"step {value:,.0f}" if at == 0 else f"{value:,.0f}" for at, value in enumerate(values.tolist())],
        "tickangle": 0,
        "tickfont": {"size": 11, "color": theme.muted},
    }


def _y_ticks(top: float, theme: Theme) -> dict[str, Any]:
    rough = top / 4
    power = 10 ** np.floor(np.log10(max(rough, 1)))
    step = max(1.0, next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough))
    values = np.arange(0, top, step)
    return {
        "showticklabels": True,
        "tickvals": values,
        "ticktext": [short_tokens(value) for value in values.tolist()],
        "tickfont": {"size": 11, "color": theme.muted},
    }
