"""What the first page of a fresh server waits for: the run page imports nothing slow that its first graph needs not."""

import subprocess
import sys

from tests.places import ROOT

SLOW = ("pandas", "pyarrow", "networkx", "jsonschema", "openai", "multiprocessing.pool")
PROGRAM = f"""
import streamlit, sys
before = set(sys.modules)
import viewer.views.run_page
print([name for name in {SLOW!r} if name in sys.modules and name not in before])
"""


def test_the_run_page_loads_nothing_slow() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_the_control_would_be_seen() -> None:
    program = PROGRAM.replace("import viewer.views.run_page", "import viewer.views.run_graphs")
    done = subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, capture_output=True, text=True)
    assert "networkx" in done.stdout
