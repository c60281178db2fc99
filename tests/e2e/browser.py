"""How a test waits for the app, reads a chart and clicks in it."""

import re
from collections.abc import Callable
from time import monotonic

from playwright.sync_api import Locator, Page, TimeoutError, expect

STEADY = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app !== null
    && app.getAttribute('data-test-script-state') === 'notRunning'
    && document.querySelector('[data-stale="true"]') === null
    && document.querySelector('[data-testid="stSkeleton"]') === null;
}"""

POINT = """([element, curve, point]) => {
  const chart = element.matches('.js-plotly-plot') ? element : element.querySelector('.js-plotly-plot');
  const trace = chart._fullData[curve];
  const layout = chart._fullLayout;
  const axis = (letter) => layout[letter + 'axis' + (trace[letter + 'axis'] || letter).slice(1)];
  const box = chart.getBoundingClientRect();
  return {
    x: box.left + axis('x')._offset + axis('x').d2p(trace.x[point]),
    y: box.top + axis('y')._offset + axis('y').d2p(trace.y[point]),
  };
}"""

HOVERED = """([element, curve, point]) => {
  const chart = element.matches('.js-plotly-plot') ? element : element.querySelector('.js-plotly-plot');
  return (chart._hoverdata || []).some((hit) => hit.curveNumber === curve && hit.pointNumber === point);
}"""

DRAWN = """([element, points]) => {
  const chart = element.matches('.js-plotly-plot') ? element : element.querySelector('.js-plotly-plot');
  if (!chart || !chart.calcdata || !chart._fullLayout || chart._transitioning) return false;
  return chart._fullData.reduce((sum, trace) => sum + ((trace.x && trace.x.length) || 0), 0) >= points;
}"""


def settled(page: Page, text: str | re.Pattern[str] | None = None, *, timeout: float = 30) -> None:
    """Wait until the script has run, nothing on the page is stale and `text` is seen; fail on an exception box.

    The state alone can be true before a rerun starts, so after an action hand over a text that only its result has.
    `timeout` is in seconds.
    """
    steady(page, timeout)
    exceptions = page.get_by_test_id("stException")
    assert exceptions.count() == 0, f"the page shows an exception:\n{exceptions.first.inner_text()}"
    if text is not None:
        expect(page.get_by_text(text).first).to_be_visible(timeout=timeout * 1000)
        steady(page, timeout)
        assert exceptions.count() == 0, f"the page shows an exception:\n{exceptions.first.inner_text()}"


def steady(page: Page, timeout: float) -> None:
    try:
        page.wait_for_function(STEADY, timeout=timeout * 1000)
    except TimeoutError as late:
        body = page.locator("body").inner_text()
        raise AssertionError(f"{page.url} did not come to rest within {timeout:g} s; it shows:\n{body}") from late


def chart(page: Page, key: str) -> Locator:
    """The plotly chart that was given this `key=`."""
    return page.locator(f".st-key-{key} .js-plotly-plot")


def drawn(figure: Locator, points: int = 1, *, timeout: float = 30) -> None:
    """Wait until plotly, which arrives late, has drawn at least `points` points over all traces."""
    figure.wait_for(state="visible", timeout=timeout * 1000)
    until(lambda: bool(figure.evaluate(f"(e, points) => ({DRAWN})([e, points])", points)), "chart drawn", timeout)


def click_point(figure: Locator, curve: int, point: int, *, timeout: float = 10) -> None:
    """Click one point of one trace (both counted from 0, as plotly does).

    A click without a hover before it gets lost half of the time, so the mouse moves until plotly says that it is
    over this very point.
    """
    page = figure.page
    figure.scroll_into_view_if_needed()

    def hover() -> bool:
        spot = figure.evaluate(f"(e, at) => ({POINT})([e, ...at])", [curve, point])
        page.mouse.move(spot["x"] - 3, spot["y"] - 2)
        page.mouse.move(spot["x"], spot["y"], steps=2)
        page.wait_for_timeout(60)  # plotly throttles its hover
        return bool(figure.evaluate(f"(e, at) => ({HOVERED})([e, ...at])", [curve, point]))

    until(hover, f"point {point} of trace {curve} under the mouse", timeout)
    page.mouse.down()
    page.mouse.up()


def until(holds: Callable[[], bool], what: str, timeout: float) -> None:
    """Ask again and again; `timeout` in seconds. For what the browser can't wait for by itself."""
    end = monotonic() + timeout
    while not holds():
        assert monotonic() < end, f"not within {timeout:g} s: {what}"
