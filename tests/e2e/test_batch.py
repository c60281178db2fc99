"""The page Batch in a browser: a click on a number opens its runs, and from there the run."""

import re
from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.browser import chart, click_point, drawn, settled
from tests.places import ROOT


def test_a_cell_opens_its_runs_and_a_run_opens(page: Page, open_app: Callable[..., str]) -> None:
    address = open_app(ROOT / "sample_runs" / "actf")
    page.goto(f"{address}/batch")
    settled(page, re.compile("5 of 8 attempts passed"))
    matrix = chart(page, "matrix")
    drawn(matrix, 3)
    text = matrix.evaluate("e => Array.from(e._fullData[0].text)")
    one = next(at for at, words in enumerate(text) if words.startswith("0/1"))
    click_point(matrix, 0, one)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 run")
    settled(page)
    dialog.get_by_role("button", name="Open").click()
    page.wait_for_url(re.compile(r"/run\?.*run="))
    settled(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("The agent claims success, the run failed.")


def test_the_page_is_accessible_and_its_files_come(page: Page, app_url: str, theme: str) -> None:
    page.goto(f"{app_url}/batch?by=Task&tab=Tool+habits")
    settled(page, "Task × harness")
    drawn(chart(page, "habits"), 5)
    found = [
        f"{problem['id']} ({problem['impact']}): {problem['nodes'][0]['html'][:200]}"
        for problem in Axe().run(page).response["violations"]
        if problem["impact"] in ("serious", "critical")
    ]
    assert found == []
    page.get_by_role("button", name="Export").click()
    for name, ending in (("CSV", "csv"), ("Parquet", "parquet"), ("JSON", "json")):
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).click()
        assert download.value.suggested_filename.endswith(ending)
        assert download.value.path().stat().st_size > 1_000
