"""Bad files are rows with their reason, on the page as on the command line; good ones beside them stay."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.browser import chart, drawn, settled
from tests.e2e.run_page import address
from tests.places import SAMPLE_RUNS
from viewer.runs import index


def test_a_folder_of_bad_files(page: Page, open_app: Callable[..., str], tmp_path: Path) -> None:
    good = (SAMPLE_RUNS / "claude_code_stream_json/good.jsonl").read_bytes()
    lines = good.splitlines(keepends=True)
    files = {
        "good.jsonl": good,
        "torn.jsonl": good[:-40],
        "bad-line.jsonl": b"".join([*lines[:5], b"{not json\n", *lines[5:]]),
        "empty.json": b"",
        "list.json": b"[]",
        "unknown.json": b'{"a": 1}',
        "binary.json": bytes(range(256)) * 20,
        "deep.json": b"[" * 100_000,
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "link.json").symlink_to("/etc/hostname")
    app = open_app(tmp_path)
    page.goto(app)
    settled(page, "cannot be read")
    ids = {entry.path: entry.run_id for entry in index([tmp_path])}
    for name in ("empty.json", "list.json", "unknown.json", "binary.json", "deep.json", "link.json"):
        page.goto(address(app, "run", f"{ids[name]}.0"))
        settled(page)
        expect(page.get_by_text("Found", exact=True)).to_be_visible()
    for name in ("good.jsonl", "torn.jsonl", "bad-line.jsonl"):
        page.goto(address(app, "run", f"{ids[name]}.0"))
        settled(page)
        drawn(chart(page, "graph"))
    page.goto(address(app, "run", f"{ids['bad-line.jsonl']}.0", tab="Coverage"))
    settled(page, "not understood")
    page.locator("summary", has_text="not JSON").click()
    expect(page.get_by_text("{not json", exact=True)).to_be_visible()
