"""The running app and a browser to open it with.

`open_app` starts further servers (other paths, other options); `app_url` is the one that shows sample_runs/.
`page` fails its test when the page asked anything but this machine, or when a script in it broke.
A test that takes `theme` runs in light and in dark.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.places import ROOT

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HERE = {"127.0.0.1", "localhost"}
START_SECONDS = 60


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@contextmanager
def running_app(*arguments: str, python: str = sys.executable) -> Iterator[str]:
    """The app as a reader starts it, on a free port; gives its address without a slash at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    # The console script, not `python -m streamlit`: the two put different folders on sys.path.
    command = [python, str(Path(sys.executable).with_name("streamlit")), "run", "viewer/app.py"]
    options = [f"--server.port={port}", "--server.headless=true", "--server.fileWatcherType=none"]
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen(
            [*command, *options, "--", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        try:
            wait_for(server, address, log.fileno())
            yield address
            if server.poll() is not None:
                pytest.fail(f"the server died during the test, status {server.returncode}\n{written(log.fileno())}")
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_for(server: subprocess.Popen[bytes], address: str, log: int) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            pytest.fail(f"the server ended at once, status {server.returncode}\n{written(log)}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.1)
    pytest.fail(f"the server did not answer within {START_SECONDS} s\n{written(log)}")


def written(log: int) -> str:
    return os.pread(log, 1 << 20, 0).decode(errors="replace")


@pytest.fixture(scope="package")
def app_url() -> Iterator[str]:
    """The app without arguments: it shows sample_runs/."""
    with running_app() as address:
        yield address


@pytest.fixture
def open_app() -> Iterator[Callable[..., str]]:
    """`open_app(path, ...)` starts another app on those paths and returns its address; it ends with the test."""
    with ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(running_app(*(str(argument) for argument in arguments)))


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    # Not for the whole session: while it is up, this thread has a running event loop, which other tests may not expect.
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if found is None:
        message = f"no browser: none of {', '.join(CHROMIUM)} is installed"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(message)
        pytest.skip(message)
    chromium = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
    yield chromium
    chromium.close()


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> str:
    """Makes a test run in both themes; `page` then follows it."""
    return str(request.param)


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh tab, 1440 x 900, in the theme of the test (light unless it takes `theme`)."""
    dark = "theme" in request.fixturenames and request.getfixturevalue("theme") == "dark"
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme="dark" if dark else "light", locale="en-GB"
    )
    tab = context.new_page()
    asked_outside: list[str] = []
    broken_scripts: list[str] = []

    def note(address: str) -> None:
        split = urlsplit(address)
        if split.scheme not in ("blob", "data") and split.hostname not in HERE:
            asked_outside.append(address)

    context.on("request", lambda sent: note(sent.url))
    tab.on("websocket", lambda socket: note(socket.url))
    tab.on("pageerror", lambda error: broken_scripts.append(str(error)))
    yield tab
    context.close()
    assert not asked_outside, f"the page asked other machines: {asked_outside}"
    assert not broken_scripts, f"a script in the page broke: {broken_scripts}"
