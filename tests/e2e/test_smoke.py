"""The app starts and shows its first page."""

import subprocess
import sys
import sysconfig
import tomllib
import venv
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page

from tests.e2e.browser import settled
from tests.e2e.conftest import running_app
from tests.places import ROOT


def test_home_page_opens_in_both_themes(page: Page, app_url: str, theme: str) -> None:
    page.goto(app_url)
    settled(page)
    main = page.get_by_test_id("stMain")
    assert main.inner_text().strip(), "the first page is empty"
    colours = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][theme]
    wanted = colours["backgroundColor"].lstrip("#")
    rgb = ", ".join(str(int(wanted[at : at + 2], 16)) for at in (0, 2, 4))
    assert page.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor") == f"rgb({rgb})"


def test_a_bare_clone_runs(page: Page, tmp_path: Path) -> None:
    """An environment with the dependencies, but without this package."""
    venv.create(tmp_path, symlinks=True)
    python = tmp_path / "bin" / "python"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    # Lends what is installed here. Editable packages stay behind: a .pth file in a folder lent by a .pth is not read.
    (tmp_path / "lib" / version / "site-packages" / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    command = [str(python), "-c", "import streamlit, viewer"]
    installed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "No module named 'viewer'" in installed.stderr
    with running_app(python=str(python)) as address:
        page.goto(address)
        settled(page)
        assert page.get_by_test_id("stMain").inner_text().strip()


def handshake(app_url: str, host: str, origin: str) -> int:
    """The status with which the app's socket answers a browser that came by this host name from this page."""
    connection = HTTPConnection(app_url.removeprefix("http://"), timeout=10)
    connection.putrequest("GET", "/_stcore/stream", skip_host=True)
    for name, value in {
        "Host": host,
        "Origin": origin,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
    }.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_only_this_machines_names_open_the_socket(app_url: str) -> None:
    port = urlsplit(app_url).port
    assert handshake(app_url, f"127.0.0.1:{port}", app_url) == HTTPStatus.SWITCHING_PROTOCOLS
    assert handshake(app_url, f"localhost:{port}", f"http://localhost:{port}") == HTTPStatus.SWITCHING_PROTOCOLS
    # Another page's script, and a foreign name that resolves to this machine (DNS rebinding).
    assert handshake(app_url, f"127.0.0.1:{port}", "http://elsewhere.example") == HTTPStatus.FORBIDDEN
    assert handshake(app_url, f"elsewhere.example:{port}", f"http://elsewhere.example:{port}") == HTTPStatus.FORBIDDEN
