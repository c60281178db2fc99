"""The page Batch on the samples and on made folders: numbers, groups, tabs, the runs behind a number, empty states."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.places import ROOT
from viewer.views.batch_parts import TABS

RESULTS = ROOT / "sample_runs" / "actf"


@pytest.fixture(autouse=True)
def own_arguments(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The sample results are what the server was started with, unless a test says otherwise."""
    st.cache_resource.clear()
    monkeypatch.setattr("sys.argv", ["app.py", str(RESULTS)])
    yield


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "viewer" / "app.py"), default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page("views/batch.py").run()


def texts(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*app.text, *app.caption, *app.markdown))


def buttons(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def test_the_sentence_has_n_and_interval() -> None:
    app = opened()
    assert not app.exception, app.exception
    assert "**5 of 8 attempts passed** (62%, 95% interval 31%–86%)" in buttons(app)
    assert "2 failed" in buttons(app) and "1 ended in an error" in buttons(app)
    assert "1 unfinished" in buttons(app)
    assert "2 ended in an error before the agent acted" in buttons(app)


@pytest.mark.parametrize("by", ["Harness", "Model", "Task", "Date", "Folder"])
@pytest.mark.parametrize("tab", TABS)
def test_every_tab_of_every_group_opens(by: str, tab: str) -> None:
    app = opened(by=by, tab=tab)
    assert not app.exception, app.exception
    assert "Most frequent errors" in texts(app)


def test_a_number_opens_its_runs() -> None:
    app = opened()
    next(button for button in app.button if button.label == "2 failed").click().run()
    assert not app.exception, app.exception
    table = next(frame.value for frame in app.dataframe if "root cause" in frame.value.columns)
    assert list(table["outcome"]) == ["✖ failed", "✖ failed"]
    assert set(table["run"]) == {"fix-median · attempt 2", "fix-median-nine · attempt 1"}


def test_the_runs_behind_a_number_are_closed_again_by_the_next_run() -> None:
    app = opened()
    next(button for button in app.button if button.label == "2 failed").click().run()
    app.run()
    assert not [frame for frame in app.dataframe if "root cause" in frame.value.columns]


def test_all_samples_make_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["app.py"])
    app = opened()
    assert not app.exception, app.exception
    assert any("attempts passed" in words for words in buttons(app))
    assert any(words.endswith("without a verdict") for words in buttons(app))


def test_an_empty_folder_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["app.py", str(tmp_path)])
    app = opened()
    assert not app.exception, app.exception
    assert "No run lies in the ticked sources." in texts(app)


def test_no_source_says_what_to_do() -> None:
    app = opened()
    for box in app.checkbox:
        box.uncheck()
    app.run()
    assert "No source is ticked." in texts(app)


def test_a_folder_of_broken_files_has_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.jsonl").write_text('{"neither": "one", "nor": "another"}\n')
    monkeypatch.setattr("sys.argv", ["app.py", str(tmp_path)])
    app = opened()
    assert not app.exception, app.exception
    assert "**No attempt here has a verdict**" in buttons(app)
    assert "2 cannot be read" in buttons(app)


def test_names_from_traces_are_no_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task called like an image, and one like a script."""
    for number, name in enumerate(("![x](http://evil.example/a.png)", "<script>alert(1)<script>")):
        trial = tmp_path / f"trial-{number}"
        (trial / "agent").mkdir(parents=True)
        sample = ROOT / "sample_runs" / "claude_code_stream_json" / "good.jsonl"
        (trial / "agent" / "claude.jsonl").write_bytes(sample.read_bytes())
        (trial / "reward.txt").write_text("0")
        (trial / "results.json").write_text(json.dumps({"task_id": name}))
    monkeypatch.setattr("sys.argv", ["app.py", str(tmp_path)])
    for by in ("Harness", "Task"):
        app = opened(by=by)
        assert not app.exception, app.exception
        shown = [str(element.value) for element in app.markdown] + buttons(app)
        assert not any("evil.example" in text or "<script" in text for text in shown)
