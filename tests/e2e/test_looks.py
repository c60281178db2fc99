"""Both themes: no serious finding of axe-core, nothing empty above the fold."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.e2e.browser import chart, drawn, settled
from tests.e2e.run_page import address, sample_ids

LOOPING = "claude_code_stream_json/looping.jsonl"


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:160]} {node['target']}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("where", ["runs", "run", "run-raw", "conversation", "coverage", "compare", "formats"])
def test_axe_has_no_serious_complaint(page: Page, app_url: str, theme: str, where: str) -> None:
    ids = sample_ids()
    run, other = ids[LOOPING], ids["codex_rollout/looping.jsonl"]
    page.goto(
        {
            "runs": app_url,
            "run": address(app_url, "run", run, call=6),
            "run-raw": address(app_url, "run", run, call=5, view="Calls", tab="Repetition"),
            "conversation": address(app_url, "run", run, call=5, tab="Conversation"),
            "coverage": address(app_url, "run", run, call=5, tab="Coverage"),
            "compare": address(app_url, "compare", run, other),
            "formats": f"{app_url}/formats",
        }[where]
    )
    settled(page)
    if where.startswith("run") and where != "runs":
        drawn(chart(page, "graph"))
    if where == "run-raw":
        page.locator(".st-key-inspector").get_by_role("tab", name="Raw").click()
        settled(page, "name at")
    assert serious(page) == []


def test_axe_would_complain(page: Page) -> None:
    page.set_content("<html lang=en><title>x</title><main><p style='color:#aaa;background:#fff'>pale</p></main></html>")
    assert any("color-contrast" in line for line in serious(page))


def test_the_answers_are_above_the_graph(page: Page, app_url: str) -> None:
    page.goto(address(app_url, "run", sample_ids()[LOOPING], call=6))
    settled(page)
    graph = chart(page, "graph")
    drawn(graph)
    top = graph.bounding_box()
    tabs = page.get_by_role("tab", name="Metrics").bounding_box()
    assert top is not None and top["y"] <= 216
    assert tabs is not None and tabs["y"] <= 800
