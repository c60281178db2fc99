"""What every test may use: `shared`, `update_expected`, and a count of what was skipped for lack of ../shared."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.places import SHARED

NO_SHARED = "needs ../shared"

# A deadline measures the machine, not the code: two cores run several tests at once.
settings.register_profile("house", deadline=None, print_blob=True)
settings.register_profile("ci", parent=settings.get_profile("ci"), deadline=None, print_blob=True)
if settings.get_current_profile_name() == "default":
    settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-expected",
        action="store_true",
        help="write tests/expected anew from what the readers return; read the difference like code",
    )


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared; skips the test where there is none."""
    if not SHARED.is_dir():
        pytest.skip(f"{NO_SHARED}: recorded runs and oracle cases, which are not part of the repository")
    return SHARED


@pytest.fixture(scope="session")
def update_expected(request: pytest.FixtureRequest) -> bool:
    """Whether expectations are to be written instead of compared."""
    return bool(request.config.getoption("--update-expected"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = sum(NO_SHARED in str(report.longrepr) for report in terminalreporter.getreports("skipped"))
    terminalreporter.write_line(f"skipped for lack of ../shared: {skipped}")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests, and the servers they start, remember runs in a folder of their own."""
    before = os.environ.get("TRAJECTORY_VIEWER_CACHE")
    os.environ["TRAJECTORY_VIEWER_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["TRAJECTORY_VIEWER_CACHE"]
    else:
        os.environ["TRAJECTORY_VIEWER_CACHE"] = before
