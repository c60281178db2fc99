"""The pictures of the Metrics tab, clicked: each point opens its call; rows of tables do, too."""

import json

import pytest
from playwright.sync_api import Download, Page, expect

from tests.e2e.browser import chart, drawn, settled, until
from tests.e2e.run_page import address, click_row, sample_ids, shows_call

LOOPING = "claude_code_session/looping.jsonl"

PLACE = """([element, wanted]) => {
  const chart = element.matches('.js-plotly-plot') ? element : element.querySelector('.js-plotly-plot');
  const layout = chart._fullLayout, box = chart.getBoundingClientRect();
  for (const trace of chart._fullData) {
    const data = trace.customdata;
    if (!data) continue;
    for (let point = 0; point < data.length; point++) {
      if (Number(data[point]) !== wanted) continue;
      const x = trace.type === 'bar' ? Number(trace.base[point]) + trace.x[point] / 2 : trace.x[point];
      return {
        x: box.left + layout.xaxis._offset + layout.xaxis.d2p(x),
        y: box.top + layout.yaxis._offset + layout.yaxis.d2p(trace.y[point]),
      };
    }
  }
  return null;
}"""
"""Where the point or the middle of the bar lies whose customdata is the wanted call."""

HOVERED = """([element, wanted]) => {
  const chart = element.matches('.js-plotly-plot') ? element : element.querySelector('.js-plotly-plot');
  return (chart._hoverdata || []).some((hit) => Number(hit.customdata) === wanted);
}"""


def open_tab(page: Page, app_url: str, tab: str, **query: str | int) -> None:
    page.set_viewport_size({"width": 1440, "height": 1900})
    page.goto(address(app_url, "run", sample_ids()[LOOPING], tab=tab, call=1, **query))
    settled(page, "Coverage:")


@pytest.mark.parametrize(
    ("picture", "call", "name"),
    [("picture-states", 1, "Bash"), ("picture-context", 9, "Read"), ("picture-time", 8, "Bash")],
)
def test_a_point_opens_its_call(page: Page, app_url: str, picture: str, call: int, name: str) -> None:
    open_tab(page, app_url, "Metrics")
    figure = chart(page, picture)
    drawn(figure)
    figure.scroll_into_view_if_needed()

    def hover() -> bool:
        place = figure.evaluate(f"(e, wanted) => ({PLACE})([e, wanted])", call)
        page.mouse.move(place["x"] - 3, place["y"] - 2)
        page.mouse.move(place["x"], place["y"], steps=2)
        page.wait_for_timeout(60)  # plotly throttles its hover
        return bool(figure.evaluate(f"(e, wanted) => ({HOVERED})([e, wanted])", call))

    until(hover, f"call {call + 1} under the mouse", 10)
    page.mouse.down()
    page.mouse.up()
    shows_call(page, call + 1, name)
    expect(figure).to_be_visible()


def test_pictures_say_in_words_what_they_show(page: Page, app_url: str) -> None:
    open_tab(page, app_url, "Metrics")
    drawn(chart(page, "picture-states"))
    for words in ("Calls by state", "Input tokens by step", "Time by tool"):
        assert page.locator(f"[aria-label^='{words}'], [alt^='{words}'], [title^='{words}']").count(), words


def test_a_rule_opens_the_call_where_it_fires(page: Page, app_url: str) -> None:
    open_tab(page, app_url, "Loops")
    click_row(page, "stops", 2, height=28, head=30)
    shows_call(page, 8, "Bash")
    click_row(page, "stops", 0, height=28, head=30)
    shows_call(page, 5, "Bash")


def test_findings_are_taken_away(page: Page, app_url: str) -> None:
    open_tab(page, app_url, "Loops")
    page.locator(".st-key-take-loop-rules").get_by_role("button").first.click()

    def take(words: str) -> Download:
        with page.expect_download() as waiting:
            page.get_by_role("button", name=words).click()
        return waiting.value

    table = take("CSV of the table")
    assert table.suggested_filename.endswith("loop-rules.csv")
    lines = table.path().read_text().splitlines()
    assert lines[0].startswith("run_id,run_harness,rows_read,harness,rule,")
    assert len(lines) == 16
    found = json.loads(take("JSON of the findings").path().read_bytes())
    assert found["coverage"]["not_understood"] == 0
    assert [stop["call"] for stop in found["stops"] if stop["rule"] == "no_progress"] == [7]
    assert take("Parquet of the table").path().read_bytes()[:4] == b"PAR1"


def test_only_downloads_that_escape_formulas_are_offered(page: Page, app_url: str) -> None:
    open_tab(page, app_url, "Loops")
    table = page.locator(".st-key-stops [data-testid=stDataFrame]")
    table.hover()
    expect(page.get_by_role("button", name="Search").last).to_be_visible()  # the toolbar is there
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
