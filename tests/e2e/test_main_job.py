"""The main job in a real browser, from a cold start: pick, click, read the bytes, reload, upload, compare."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.browser import chart, drawn, settled
from tests.e2e.run_page import address, click_call, click_row, inspector, open_run, sample_ids, shows_call
from tests.places import SAMPLE_RUNS
from viewer import formats
from viewer.source import Source

LOOPING = "claude_code_stream_json/looping.jsonl"


def raw_of(name: str, index: int) -> tuple[str, str]:
    """(bytes of the call, bytes of its result) as the file holds them."""
    source = Source.open(SAMPLE_RUNS / name)
    call = formats.read(source)[0].calls[index]
    assert call.result is not None and call.result.where is not None
    return source.raw(call.where).decode(), source.raw(call.result.where).decode()


def test_pick_a_sample_click_a_node_read_its_bytes_and_reload(page: Page, app_url: str) -> None:
    page.goto(app_url)
    settled(page, "Sources")
    page.get_by_placeholder("Search run, task, model").fill("stream_json/looping claude-code")
    page.keyboard.press("Enter")
    settled(page, "1 shown")
    click_row(page, "runs-table", 0)
    page.get_by_role("button", name="Open", exact=True).click()
    settled(page, "Claims success, its last test failed.")
    graph = chart(page, "graph")
    drawn(graph)
    click_call(graph, 7)
    shows_call(page, 8, "Bash")
    call, result = raw_of(LOOPING, 7)
    command = "curl -sS -m 5 https://example.com/stats-fix.patch"
    expect(inspector(page).get_by_text(command).first).to_be_visible()
    assert command in call
    inspector(page).get_by_role("tab", name="Raw").click()
    expect(inspector(page).get_by_text("name at")).to_be_visible()
    assert [block.inner_text() for block in inspector(page).get_by_test_id("stCode").all()] == [call, result]
    page.reload()
    settled(page)
    shows_call(page, 8, "Bash")


def test_every_node_opens_its_own_call(page: Page, app_url: str) -> None:
    run = sample_ids()[LOOPING]
    graph = open_run(page, app_url, run, call=1)
    shows_call(page, 1, "Read")
    calls = formats.read(Source.open(SAMPLE_RUNS / LOOPING))[0].calls
    for index in (1, 2, 9, 12, 14, 0):
        click_call(graph, index)
        shows_call(page, index + 1, calls[index].name)


def test_a_selection_does_not_rebuild_the_graph(page: Page, app_url: str) -> None:
    graph = open_run(page, app_url, sample_ids()[LOOPING], call=1)
    page.evaluate("document.querySelector('.st-key-graph .js-plotly-plot').mark = 'the same element'")
    drawings = "document.querySelector('.st-key-graph .js-plotly-plot')"
    page.evaluate(f"{drawings}.drawn = 0; {drawings}.on('plotly_afterplot', () => {drawings}.drawn++)")
    click_call(graph, 7)
    shows_call(page, 8, "Bash")
    page.keyboard.press("ArrowRight")
    shows_call(page, 9, "Bash")
    assert page.evaluate(f"{drawings}.mark") == "the same element"


def test_upload_a_file_and_open_it(page: Page, app_url: str, tmp_path: Path) -> None:
    copy = tmp_path / "my own run.jsonl"
    copy.write_bytes((SAMPLE_RUNS / "codex_rollout/good.jsonl").read_bytes() + b"\n")
    page.goto(app_url)
    settled(page, "Sources")
    page.locator("input[type=file]").first.set_input_files(copy)
    settled(page, "Uploaded: my own run.jsonl, 1 run")
    page.get_by_placeholder("Search run, task, model").fill("my own run")
    page.keyboard.press("Enter")
    settled(page, "1 shown")
    click_row(page, "runs-table", 0)
    page.get_by_role("button", name="Open", exact=True).click()
    settled(page)
    drawn(chart(page, "graph"))
    expect(page.get_by_text("codex").first).to_be_visible()
    link = page.url
    page.goto("about:blank")
    page.goto(link)  # the same bytes, for another visitor of this server
    settled(page)
    drawn(chart(page, "graph"))


def test_upload_a_zip_of_runs(page: Page, app_url: str, tmp_path: Path) -> None:
    import zipfile

    packed = tmp_path / "results.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("codex_exec/good.jsonl", "codex_exec/looping.jsonl"):
            archive.writestr(f"inner/{name}", (SAMPLE_RUNS / name).read_bytes())
    page.goto(app_url)
    settled(page, "Sources")
    page.locator("input[type=file]").first.set_input_files(packed)
    settled(page, "Uploaded: results.zip, 2 runs")


def test_compare_codex_and_claude_on_the_same_task(page: Page, app_url: str) -> None:
    names = ("claude_code_stream_json/looping.jsonl", "codex_rollout/good.jsonl")
    page.goto(address(app_url, "compare", *(sample_ids()[name] for name in names), at=1))
    settled(page, "First divergence")
    panel = page.locator(".st-key-row-panel")
    expect(panel.get_by_text("#1 Read", exact=True).first).to_be_visible()
    expect(panel.get_by_text("#1 exec_command", exact=True).first).to_be_visible()
    page.locator(".st-key-part").get_by_text("Raw", exact=True).click()
    settled(page, "name at")
    for letter, name in zip("AB", names, strict=True):
        side = page.locator(f".st-key-inspector-{letter}")
        assert side.get_by_test_id("stCode").first.inner_text() == raw_of(name, 0)[0]
    page.reload()
    settled(page, "name at")
    page.keyboard.press("d")
    page.wait_for_url(lambda url: "at=1&" not in f"{url}&", timeout=15_000)


def test_tick_two_runs_and_compare(page: Page, app_url: str) -> None:
    page.goto(app_url)
    settled(page, "Sources")
    page.get_by_placeholder("Search run, task, model").fill("codex_exec/")
    page.keyboard.press("Enter")
    settled(page, "shown")
    click_row(page, "runs-table", 0)
    settled(page)
    click_row(page, "runs-table", 1)
    button = page.get_by_role("button", name="Compare 2")
    expect(button).to_be_enabled(timeout=15_000)
    button.click()
    page.wait_for_url(lambda url: "/compare" in url and url.count("run=") == 2, timeout=15_000)
    settled(page, "First divergence")
