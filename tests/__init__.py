"""Tests, one folder a room. Run them all with `uv run pytest`."""
