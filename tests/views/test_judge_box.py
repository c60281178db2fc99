"""The judge on the page: off without configuration, shown before it is sent, asked only by a click."""

from typing import Any

import pytest

from tests.judge.scripted import Scripted, says, serving
from tests.views.test_pages import SAMPLES, opened, own_arguments, texts

__all__ = ["own_arguments"]  # an autouse fixture

LOOPING = SAMPLES.get("sample_runs/claude_code_session/looping.jsonl")


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("TRAJECTORY_VIEWER_CACHE", str(tmp_path))


def configured(monkeypatch: pytest.MonkeyPatch, judge: Scripted) -> None:
    monkeypatch.setenv("TV_JUDGE_BASE_URL", judge.base_url)
    monkeypatch.setenv("TV_JUDGE_MODEL", "scripted")


def test_without_configuration_there_is_no_box() -> None:
    app = opened("run", run=f"{LOOPING}.0", tab="Diagnosis", verdict="failed")
    assert not [box for box in app.expander if "judge" in box.label.lower()]


def test_nothing_is_sent_by_opening_the_page(monkeypatch: pytest.MonkeyPatch, no_cache: None) -> None:
    with serving(Scripted(says("nonsense"))) as judge:
        configured(monkeypatch, judge)
        app = opened("run", run=f"{LOOPING}.0", tab="Diagnosis", verdict="failed")
        assert [box for box in app.expander if box.label.startswith("Ask a judge: scripted at 127.0.0.1")]
        assert judge.requests == []


def test_a_click_sends_what_was_shown_and_nonsense_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, no_cache: None
) -> None:
    with serving(Scripted(says("nonsense"))) as judge:
        configured(monkeypatch, judge)
        app = opened("run", run=f"{LOOPING}.0", tab="Diagnosis", verdict="failed")
        shown = max((block.value for block in app.code), key=len)
        root = next(line for line in texts(app).splitlines() if "same call 6 times" in line)
        app.button(key="judge diagnosis send").click().run()
        assert not app.exception, app.exception
        assert judge.sent().startswith(shown[:2_000])
        assert root in texts(app)
        assert [box for box in app.expander if box.label.startswith("A judge has been asked")]


def test_an_opinion_stands_beside_the_rules(monkeypatch: pytest.MonkeyPatch, no_cache: None) -> None:
    answer = {
        "step_id": 4, "category": "verification_error", "summary": "It kept running the same test.",
        "evidence": "FAILED (failures=1", "confidence": 0.9,
    }  # fmt: skip
    with serving(Scripted(says(answer))) as judge:
        configured(monkeypatch, judge)
        app = opened("run", run=f"{LOOPING}.0", tab="Diagnosis", verdict="failed")
        app.button(key="judge diagnosis send").click().run()
    words = texts(app)
    assert "It kept running the same test." in words
    assert "the rules' result stands as it was" in words
    assert "**Root**" in words
