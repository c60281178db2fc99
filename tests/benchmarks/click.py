"""The run page in headless Chromium at 100 to 50,000 calls: `uv run python tests/benchmarks/click.py [CALLS ...]`.

Each size gets a server and a browser of its own, started as a reader starts them, on a folder with one generated
Claude Code session (about 5 kB a call; ``--stream`` takes the short rows of a stream). What is measured, in ms:

- first paint: from the navigation to the graph drawn, nothing read before; best of ``--cold`` servers.
- click: from mouse up on a node to the next frame after the call's name stands in the inspector; "rest" until
  the whole page is at rest. Right, E and the strip (which moves the window) likewise.
- tabs: from the click to the panel drawn, for the first time and again.
- DOM: elements after the first paint and with each tab open. CPU: seconds a click, of the server and of the browser.

Prints a table and, as its last line, one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from playwright.sync_api import Browser, Locator, Page, Playwright, sync_playwright

from tests.benchmarks.generate import claude_session, claude_stream
from tests.benchmarks.processes import cpu_seconds, family, named, resident_megabytes
from tests.e2e.browser import HOVERED, POINT, STEADY, chart, drawn
from tests.e2e.conftest import CHROMIUM, FLAGS, running_app
from tests.e2e.run_page import FIND, address, click_strip
from viewer.runs import index

SIZES = (100, 1_000, 5_000, 20_000, 50_000)
CALL_BYTES = 5_000
TABS = (
    "Metrics", "Repetition", "Loops", "Network", "Diagnosis", "Tool selection", "Conversation", "Action log",
    "Coverage",
)  # fmt: skip
# Clocks run in the page, so that no round trip of the driver is counted.
CLOCKS = """(() => {
  const steady = STEADY;
  const graph = () => {
    const chart = document.querySelector('.st-key-graph .js-plotly-plot');
    if (!chart || !chart.calcdata || !chart.querySelector('.point')) return requestAnimationFrame(graph);
    window.firstPaint = performance.now();
  };
  requestAnimationFrame(graph);
  window.watch = (event, holds) => {
    window.answered = window.rested = undefined;
    document.addEventListener(event, () => {
      const begin = performance.now();
      const look = () => {
        const now = performance.now() - begin;
        if (window.answered === undefined && holds()) window.answered = now;
        if (window.answered !== undefined && steady()) window.rested = now;
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, { capture: true, once: true });
  };
  window.shown = () => {  // the number of the call in the inspector
    const match = /#(\\d+) /.exec(document.querySelector('.st-key-inspector')?.textContent || '');
    return match ? Number(match[1]) : null;
  };
  window.panel = (name) => {  // the tab is chosen and its panel holds something
    const chosen = [...document.querySelectorAll('[role=tab][aria-selected=true]')];
    const tab = chosen.find((tab) => tab.textContent === name);
    const panel = tab && document.getElementById(tab.getAttribute('aria-controls'));
    return Boolean(panel?.querySelector('[data-testid=stElementContainer]'));
  };
})()""".replace("STEADY", STEADY)
ELEMENTS = "document.querySelectorAll('*').length"


def write_run(folder: Path, calls: int, *, stream: bool) -> tuple[Path, str]:
    """(the folder with one run, the run's id)."""
    place = folder / f"{calls}"
    place.mkdir()
    with (place / "run.jsonl").open("wb") as file:
        file.writelines([claude_stream(calls)] if stream else claude_session(calls, calls * CALL_BYTES))
    (entry,) = (entry for entry in index([place]) if entry.state == "run")
    return place, f"{entry.run_id}.0"


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    """A fresh tab at ``url``, its graph drawn."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    context.add_init_script(CLOCKS)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(url)
    page.wait_for_function("window.firstPaint !== undefined")
    page.wait_for_function(STEADY)
    yield page
    context.close()


def timed(page: Page, event: str, holds: str, act: Callable[[], None]) -> tuple[float, float]:
    """(ms to the answer, ms to rest) of what ``act`` does, from its first DOM ``event``."""
    page.evaluate(f"window.watch({event!r}, () => {holds})")
    act()
    page.wait_for_function("window.rested !== undefined")
    answered, rested = page.evaluate("[window.answered, window.rested]")
    return float(answered), float(rested)


def hover(graph: Locator, call: int) -> bool:
    """Brings the mouse over a call's node; False when a neighbour lies over it."""
    place = graph.evaluate(f"(e, wanted) => ({FIND})([e, wanted])", call)
    if place is None:
        return False
    page = graph.page
    for _ in range(10):
        spot = graph.evaluate(f"(e, at) => ({POINT})([e, ...at])", place)
        page.mouse.move(spot["x"] - 3, spot["y"] - 2)
        page.mouse.move(spot["x"], spot["y"], steps=2)
        page.wait_for_timeout(60)
        if graph.evaluate(f"(e, at) => ({HOVERED})([e, ...at])", place):
            return True
    return False


def press(page: Page) -> None:
    page.mouse.down()
    page.mouse.up()


def click_nodes(page: Page, clicks: int, chance: random.Random) -> list[tuple[float, float]]:
    graph = chart(page, "graph")
    drawn(graph)
    inside = graph.evaluate(
        "e => e._fullData.filter(t => t.customdata && t.mode === 'markers').flatMap(t => [...t.customdata].map(Number))"
    )
    found: list[tuple[float, float]] = []
    while len(found) < clicks:
        call = chance.choice(inside)
        if call + 1 == page.evaluate("window.shown()") or not hover(graph, call):
            continue
        found.append(timed(page, "mouseup", f"window.shown() === {call + 1}", lambda: press(page)))
    return found


def press_keys(page: Page, key: str, times: int, calls: int) -> list[tuple[float, float]]:
    found = []
    if page.evaluate("window.shown()") != calls // 2 + 1:  # not near the end, where nothing comes after
        holds = f"window.shown() !== {page.evaluate('window.shown()')}"
        timed(page, "pointerup", holds, partial(click_strip, page, calls // 2, calls))
    page.mouse.move(720, 20)
    for _ in range(times):
        before = page.evaluate("window.shown()")
        found.append(timed(page, "keydown", f"window.shown() !== {before}", lambda: page.keyboard.press(key)))
    return found


def move_window(page: Page, times: int, calls: int, chance: random.Random) -> list[tuple[float, float]]:
    """Clicks anywhere on the strip: another window, so another figure."""
    found = []
    for _ in range(times):
        shown = page.evaluate("window.shown()")
        wanted = (shown + chance.randrange(calls // 4, 3 * calls // 4)) % calls
        holds = f"window.shown() !== {shown}"
        found.append(timed(page, "pointerup", holds, partial(click_strip, page, wanted, calls)))
    return found


def open_tabs(page: Page) -> dict[str, dict[str, float]]:
    """A tab -> ms until it is drawn for the first time and again, elements of the page with it open."""
    found: dict[str, dict[str, float]] = {}
    for again in (False, True):
        for name in (*TABS[1:], TABS[0]):
            tab = page.get_by_role("tab", name=name, exact=True)
            tab.scroll_into_view_if_needed()
            _, rested = timed(page, "mouseup", f"window.panel({name!r})", tab.click)
            page.wait_for_timeout(100)
            page.wait_for_function(STEADY)
            found.setdefault(name, {})["again" if again else "first"] = rested
            found[name]["elements"] = page.evaluate(ELEMENTS)
    return found


def server_of(place: Path) -> int:
    """The server's process: the youngest of ours that was started on this folder."""
    return max(named(family(os.getpid()), "viewer/app.py --server.port"))


def measured(driver: Playwright, place: Path, run: str, calls: int, options: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {"calls": calls, "megabytes": round((place / "run.jsonl").stat().st_size / 1e6, 1)}
    chromium = next(path for name in CHROMIUM if (path := shutil.which(name)))
    colds = []
    for attempt in range(options.cold):
        begin = time.monotonic()
        browser = driver.chromium.launch(executable_path=chromium, args=list(FLAGS))
        with running_app(str(place)) as url:
            found["start"] = time.monotonic() - begin
            server = server_of(place)
            before = cpu_seconds([server])
            idle = cpu_seconds(family(os.getpid()) - family(server) - {os.getpid()})
            with opened(browser, address(url, "run", run, call=calls // 2)) as page:
                chromiums = family(os.getpid()) - family(server) - {os.getpid()}
                colds.append(
                    {
                        "paint": page.evaluate("window.firstPaint"),
                        "server": cpu_seconds(family(server)) - before,
                        "browser": cpu_seconds(chromiums) - idle,
                        "load": os.getloadavg()[0],
                    }
                )
                found["elements"] = page.evaluate(ELEMENTS)
                if attempt == options.cold - 1:
                    found |= moved(page, server, calls, options)
            with opened(browser, address(url, "run", run, call=calls // 2)) as page:
                found["warm"] = page.evaluate("window.firstPaint")
        browser.close()
    return found | {"cold": min(colds, key=lambda cold: cold["paint"]), "colds": colds}


def moved(page: Page, server: int, calls: int, options: argparse.Namespace) -> dict[str, Any]:
    chance = random.Random(1)
    browsers = family(os.getpid()) - family(server) - {os.getpid()}
    click_nodes(page, 3, chance)  # compiled by the browser, imported by the server
    found: dict[str, Any] = {"load": os.getloadavg()[0]}
    before = cpu_seconds([server]), cpu_seconds(browsers)
    for name, work in (
        ("click", lambda: click_nodes(page, options.clicks, chance)),
        ("right", lambda: press_keys(page, "ArrowRight", 20, calls)),
        ("error", lambda: press_keys(page, "e", 20, calls)),
        ("strip", lambda: move_window(page, 20, calls, chance)),
    ):
        times = work()
        found[name] = {"answer": spread([time for time, _ in times]), "rest": spread([time for _, time in times])}
        if name == "click":
            after = cpu_seconds([server]), cpu_seconds(browsers)
            found["cpu"] = {
                "server": (after[0] - before[0]) / options.clicks,
                "browser": (after[1] - before[1]) / options.clicks,
            }
    found["memory"] = resident_megabytes(server)
    found["tabs"] = open_tabs(page)
    found["memory after tabs"] = resident_megabytes(server)
    found["peak"] = resident_megabytes(server, peak=True)
    return found


def spread(times: list[float]) -> dict[str, float]:
    ranked = sorted(times)
    return {"median": statistics.median(ranked), "p95": ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))]}


def rows(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(what, its number) down the table, for one size."""
    yield "megabytes", f"{found['megabytes']:.1f}"
    yield "first paint, cold", f"{found['cold']['paint']:.0f}"
    yield "  CPU s, server / browser", f"{found['cold']['server']:.2f} / {found['cold']['browser']:.2f}"
    yield "first paint, read before", f"{found['warm']:.0f}"
    for name in ("click", "right", "error", "strip"):
        for end in ("answer", "rest"):
            times = found[name][end]
            yield f"{name}, {end}: median / p95", f"{times['median']:.0f} / {times['p95']:.0f}"
    yield "CPU a click, server / browser", f"{found['cpu']['server'] * 1000:.0f} / {found['cpu']['browser'] * 1000:.0f}"
    for name, tab in found["tabs"].items():
        yield f"{name}: first / again", f"{tab['first']:.0f} / {tab['again']:.0f}"
    yield "elements", f"{found['elements']:,}"
    for name, tab in found["tabs"].items():
        yield f"  with {name}", f"{tab['elements']:,.0f}"
    yield (
        "server MB: open / tabs / peak",
        " / ".join(f"{found[key]:.0f}" for key in ("memory", "memory after tabs", "peak")),
    )
    yield "load", f"{found['load']:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="*", type=int, default=SIZES)
    parser.add_argument("--clicks", type=int, default=40)
    parser.add_argument("--cold", type=int, default=3, metavar="SERVERS")
    parser.add_argument("--stream", action="store_true")
    options = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        for calls in options.calls:
            place, run = write_run(Path(folder), calls, stream=options.stream)
            found.append(measured(driver, place, run, calls, options))
            shutil.rmtree(place)
            print(f"{calls:,} calls: {found[-1]['cold']['paint']:.0f} ms", file=sys.stderr)
    print(f"{'ms':<34}" + "".join(f"{sizes['calls']:>16,}" for sizes in found))
    for cells in zip(*(tuple(rows(sizes)) for sizes in found), strict=True):
        print(f"{cells[0][0]:<34}" + "".join(f"{number:>16}" for _, number in cells))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
