"""The pictures of the Metrics tab: what they count, where they lead, what of a trace reaches them."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects as go
import pytest

from tests.figures.test_order import FOREIGN, HOSTILE, texts
from tests.graphs.made_runs import Made, bash, edit, random_run, read, run
from tests.places import SAMPLE_RUNS
from tests.trajectories import By, Compaction, Say, User, trajectory
from viewer import formats
from viewer.figures.context import MOST as MOST_POINTS
from viewer.figures.context import context_caption, context_figure
from viewer.figures.endings import ENDS, look
from viewer.figures.states import states_caption, states_figure
from viewer.figures.theme import DARK, LIGHT
from viewer.figures.time_by_tool import COLUMNS, NO_CLOCK, SEPARATE, time_by_tool_caption, time_by_tool_figure
from viewer.graphs.tool_times import tool_times
from viewer.model import Trajectory
from viewer.source import Source

Build = Callable[..., go.Figure]
PICTURES: dict[str, tuple[Build, Callable[[Trajectory], str]]] = {
    "states": (states_figure, states_caption),
    "context": (context_figure, context_caption),
    "time": (time_by_tool_figure, time_by_tool_caption),
}
EACH = pytest.mark.parametrize("picture", PICTURES)


def clickable(figure: go.Figure) -> list[int]:
    return [int(call) for trace in figure.data if trace.customdata is not None for call in trace.customdata]


def bars(figure: go.Figure) -> list[Any]:
    return [trace for trace in figure.data if trace.type == "bar"]


@EACH
@pytest.mark.parametrize("count", [1, 40, 400, 3_000])
@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_every_point_leads_to_a_call(picture: str, count: int, colours: Any) -> None:
    figure = PICTURES[picture][0](random_run(count, count), colours)
    assert set(clickable(figure)) <= set(range(count))
    assert all(np.asarray(trace.customdata).dtype == np.int32 for trace in figure.data if trace.customdata is not None)


@EACH
def test_an_empty_run_says_so(picture: str) -> None:
    build, caption = PICTURES[picture]
    assert build(run(), LIGHT).layout.annotations[0].text == caption(run())


@EACH
def test_trace_text_is_never_markup(picture: str) -> None:
    made = [Made(HOSTILE, {HOSTILE: HOSTILE}, started=1.0, seconds=1.0), bash(HOSTILE, 1, started=2.0, seconds=9.0)]
    made += [read(HOSTILE, started=90.0, seconds=1.0), edit(HOSTILE)]
    for text in texts(orjson.loads(PICTURES[picture][0](run(*made), LIGHT).to_json())):
        assert not FOREIGN.search(text), text


@EACH
def test_size_is_bounded(picture: str) -> None:
    assert len(PICTURES[picture][0](random_run(8_000, 1), LIGHT).to_json()) < 500_000


def test_no_two_endings_look_alike_without_colour() -> None:
    for colours in (LIGHT, DARK):
        looks = [look(end, colours) for end in ENDS]
        assert len({one.glyph for one in looks}) == len({one.symbol for one in looks}) == len(ENDS)
        assert len({(str(one.marker.get("pattern")), str(one.marker["line"]), one.colour) for one in looks}) == len(
            ENDS
        )


# -- calls by state --------------------------------------------------------------------------------------------------


def test_states_are_counted_and_checks_are_apart() -> None:
    made = run(bash("pytest -q", 1), bash("pytest -q", 0), bash("make", 2), bash("make", 2), read("a.py"), read("a.py"))
    figure = states_figure(made, LIGHT)
    counted = {(trace.name, int(-y)): int(x) for trace in bars(figure) for x, y in zip(trace.x, trace.y, strict=True)}
    assert counted == {("ok", 0): 1, ("failed check", 0): 1, ("error", 0): 2, ("ok", 1): 2}
    leads = {
        (trace.name, int(-y)): int(call)
        for trace in bars(figure)
        for y, call in zip(trace.y, trace.customdata, strict=True)
    }
    assert leads == {("ok", 0): 1, ("failed check", 0): 0, ("error", 0): 2, ("ok", 1): 4}
    assert states_caption(made) == "Calls by state, 2 tools: ● ok 3 · ✕ failed check 1 · ✖ error 2"


def test_parts_of_a_bar_touch_and_add_up() -> None:
    made = random_run(900, 3)
    rows: dict[float, list[tuple[float, float]]] = {}
    for trace in bars(states_figure(made, LIGHT)):
        for base, x, y in zip(trace.base, trace.x, trace.y, strict=True):
            rows.setdefault(float(y), []).append((float(base), float(base + x)))
    assert sum(end - begin for parts in rows.values() for begin, end in parts) == len(made.main_line)
    for parts in rows.values():
        ordered = sorted(parts)
        assert ordered[0][0] == 0
        assert all(left[1] == right[0] for left, right in pairwise(ordered))


def test_many_tools_share_the_last_row() -> None:
    made = run(*[Made(f"tool_{number}", {}) for number in range(30)], Made("tool_3", {}))
    figure = states_figure(made, LIGHT)
    names = [name.strip() for name in figure.layout.yaxis.ticktext]
    assert names[0] == "tool_3"
    assert names[-1] == "21 other tools"
    assert sum(float(np.sum(trace.x)) for trace in bars(figure)) == 31


# -- context size ----------------------------------------------------------------------------------------------------


def sized(*sizes: int | None) -> Trajectory:
    return trajectory(User("do"), *[Say(context=size, calls=(f"Read {at}",)) for at, size in enumerate(sizes)])


def test_context_has_a_point_a_step_that_states_it() -> None:
    made = trajectory(
        User("do"), Say(context=100, calls=("Read a",)), By("sub", Say(context=900, calls=("Read b",))),
        Say(context=None, calls=("Read c",)), Compaction(), Say("no call", context=50),
    )  # fmt: skip
    figure = context_figure(made, LIGHT)
    (steps,) = [trace for trace in figure.data if trace.name == "steps"]
    assert list(zip(steps.x.tolist(), steps.y.tolist(), steps.customdata.tolist(), strict=True)) == [
        (2.0, 100.0, 0),
        (6.0, 50.0, 2),  # no call of its own: the last one its agent made
    ]
    assert "leads to #3" in steps.hovertext[1]
    assert [shape.x0 for shape in figure.layout.shapes] == [5]
    assert context_caption(made) == (
        "Input tokens by step: at most 100 at step 2 · 2 of 3 steps of the main agent recorded"
    )


def test_no_tokens_are_no_picture_of_zeros() -> None:
    made = sized(None, None)
    assert not clickable(context_figure(made, LIGHT))
    assert context_caption(made) == "This file records no input tokens by step."


def test_a_long_run_keeps_its_peaks() -> None:
    sizes = [1_000 + number % 7 for number in range(3_000)]
    sizes[1_234] = 90_000
    figure = context_figure(sized(*sizes), LIGHT)
    (steps,) = [trace for trace in figure.data if trace.name == "steps"]
    assert len(steps.x) == MOST_POINTS
    peak = int(np.argmax(steps.y))
    assert (steps.y[peak], steps.x[peak], steps.customdata[peak]) == (90_000, 1_236, 1_234)


# -- time by tool ----------------------------------------------------------------------------------------------------


def test_bars_stand_on_the_clock() -> None:
    made = run(
        bash("make", started=100.0, seconds=3.0), read("a.py", started=101.0, seconds=0.5),
        bash("make", 1, started=104.0, seconds=1.0),
    )  # fmt: skip
    found = {
        int(call): (round(float(base), 6), round(float(x), 6), float(y))
        for trace in bars(time_by_tool_figure(made, LIGHT))
        for call, base, x, y in zip(trace.customdata, trace.base, trace.x, trace.y, strict=True)
    }
    assert found == {0: (0.0, 3.0, 0.0), 1: (1.0, 0.5, -1.0), 2: (4.0, 1.0, 0.0)}  # most time on top
    labels = time_by_tool_figure(made, LIGHT).layout.yaxis.ticktext
    assert "4 s" in labels[0]
    assert "500 ms" in labels[1]


@pytest.mark.parametrize("calls", [SEPARATE + 1, 2_000, 6_000])
def test_bars_do_not_grow_with_the_run_and_hide_no_failure(calls: int) -> None:
    made = [bash(f"tool{at % 9} x", int(at % 7 == 0), started=4.0 * at, seconds=3.0) for at in range(calls)]
    figure = time_by_tool_figure(run(*made), LIGHT)
    lanes = len(figure.layout.yaxis.tickvals)
    assert sum(len(trace.x) for trace in bars(figure)) <= max(SEPARATE, 2 * lanes * COLUMNS[-1])
    assert {trace.name for trace in bars(figure)} >= {"ok", "error"}


def test_idle_times_are_folded_and_said() -> None:
    made = run(bash("a", started=0.0, seconds=2.0), bash("b", started=4_000.0, seconds=2.0))
    figure = time_by_tool_figure(made, LIGHT)
    assert any("idle 1 h 6 min" in note.text for note in figure.layout.annotations)
    assert "folded" in time_by_tool_caption(made)
    assert figure.layout.xaxis.range[1] < 10


def test_without_times_there_is_no_picture() -> None:
    made = run(bash("a"), bash("b"))
    assert tool_times(made) is None
    assert time_by_tool_caption(made) == NO_CLOCK


def test_a_call_without_a_beginning_is_said() -> None:
    made = run(bash("a", started=0.0, seconds=2.0), bash("b"))
    assert "1 without a beginning" in time_by_tool_caption(made)
    assert sorted(clickable(time_by_tool_figure(made, LIGHT))) == [0, 1]


def test_only_durations_stand_one_after_another() -> None:
    (made,) = formats.read(Source.open(SAMPLE_RUNS / "swe_agent/looping.traj"))
    figure = time_by_tool_figure(made, LIGHT)
    ends = 0.0
    found = sorted(
        (int(call), float(base))
        for trace in bars(figure)
        for call, base in zip(trace.customdata, trace.base, strict=True)
    )
    for (_, base), call in zip(found, made.calls, strict=True):
        assert base == pytest.approx(ends)
        ends += call.duration or 0.0
    assert "one after another" in time_by_tool_caption(made)


def test_the_models_replies_have_a_lane_where_they_are_recorded() -> None:
    (made,) = formats.read(Source.open(SAMPLE_RUNS / "otel/genai.good.otlp.jsonl"))
    figure = time_by_tool_figure(made, LIGHT)
    (model,) = [trace for trace in bars(figure) if trace.name == "model"]
    replies = [step for step in made.steps if step.role == "model"]
    assert [base >= 0 for base in model.base] == [True] * len(replies)
    assert model.customdata.tolist()[:2] == [step.calls[0] for step in replies[:2]]
    assert figure.layout.yaxis.ticktext[0].strip() == "model"


def test_a_failure_is_never_hidden_in_a_long_run() -> None:
    calls = [bash(f"make {number}", int(number == 777), started=number * 0.1, seconds=0.05) for number in range(5_000)]
    made = run(*calls)
    drawn = bars(time_by_tool_figure(made, LIGHT))
    assert sum(len(trace.x) for trace in drawn) < SEPARATE
    assert [trace.customdata.tolist() for trace in drawn if trace.name == "error"] == [[777]]


def test_time_is_the_sum_of_what_is_recorded() -> None:
    made = random_run(300, 5)
    found = tool_times(made)
    assert found is not None
    assert sum(found.seconds) == pytest.approx(
        sum((call.ended or 0) - (call.started or 0) for call in made.main_line if call.ended is not None)
    )
    assert sum(Counter(found.row.tolist()).values()) == len(made.calls)
