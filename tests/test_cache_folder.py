"""Where caches go, by system and by setting."""

import sys
from pathlib import Path

import pytest

from viewer.cache_folder import VARIABLE, cache_folder


@pytest.mark.parametrize("word", ["off", "OFF", "none", "0", "", " "])
def test_it_can_be_switched_off(word):
    assert cache_folder({VARIABLE: word}) is None


def test_it_can_be_named():
    assert cache_folder({VARIABLE: "/somewhere/else"}) == Path("/somewhere/else")


SYSTEMS = [
    ("linux", {}, Path.home() / ".cache"),
    ("linux", {"XDG_CACHE_HOME": "/x"}, Path("/x")),
    ("darwin", {"XDG_CACHE_HOME": "/x"}, Path.home() / "Library" / "Caches"),
    ("win32", {"LOCALAPPDATA": "/local"}, Path("/local")),
    ("win32", {}, Path.home() / "AppData" / "Local"),
]


@pytest.mark.parametrize(("system", "environment", "above"), SYSTEMS)
def test_it_follows_the_system(monkeypatch, system, environment, above):
    monkeypatch.setattr(sys, "platform", system)
    assert cache_folder(environment) == above / "trajectory-viewer"
