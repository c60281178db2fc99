"""Where the tests find things, for parametrizing at collection time."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_RUNS = ROOT / "sample_runs"
EXPECTED = ROOT / "tests" / "expected"
SHARED = ROOT.parent / "shared"
"""Reference data beside the repository, not part of it. A test that needs it takes the fixture `shared`, or skips."""
