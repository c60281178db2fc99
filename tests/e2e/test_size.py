"""A long run costs the browser no more than a short one: elements of the page, in every tab."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.benchmarks.generate import claude_stream
from tests.e2e.browser import chart, settled
from tests.e2e.run_page import click_strip, inspector, open_run
from tests.e2e.test_accessible import TABS
from viewer.runs import index

SHORT, LONG = 600, 6_000
ELEMENTS = "document.querySelectorAll('*').length"


def test_a_ten_times_longer_run_has_no_more_elements(page: Page, open_app: Callable[..., str], tmp_path: Path) -> None:
    for calls in (SHORT, LONG):
        (tmp_path / f"{calls}.jsonl").write_bytes(claude_stream(calls))
    ids = {int(Path(entry.label).stem): f"{entry.run_id}.0" for entry in index([tmp_path]) if entry.state == "run"}
    url = open_app(tmp_path)
    found: dict[int, dict[str, int]] = {SHORT: {}, LONG: {}}
    for calls, elements in found.items():
        open_run(page, url, ids[calls], call=calls // 2)
        for name in TABS:
            page.get_by_role("tab", name=name, exact=True).click()
            expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
            page.wait_for_timeout(300)
            settled(page)
            elements[name] = page.evaluate(ELEMENTS)
    assert all(found[LONG][name] <= found[SHORT][name] * 1.15 + 50 for name in TABS), found
    assert max(found[LONG].values()) < 5_000, found


def test_the_strip_of_a_long_run_goes_anywhere(page: Page, open_app: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "long.jsonl").write_bytes(claude_stream(LONG))
    (run,) = (f"{entry.run_id}.0" for entry in index([tmp_path]) if entry.state == "run")
    open_run(page, open_app(tmp_path), run, call=1)
    click_strip(page, 4_000, LONG)
    page.wait_for_url(lambda url: "call=1&" not in f"{url}&" and url != "call=1", timeout=15_000)
    settled(page)
    number = int(page.url.split("call=")[1].split("&")[0])
    assert abs(number - 4_001) <= LONG / 600  # a pixel is ten calls
    expect(inspector(page).get_by_text(f"#{number} ", exact=False).first).to_be_visible()
    assert chart(page, "graph").count() == 1
