"""``/run?run=...&call=...``: one run, drawn by ``run_page``.

A browser needs half a second to load what draws charts, a fresh server as long to import what reads runs, and longer to
read a long one. So the browser is told first.
"""

import sys

from components.waiting import Waiting

waiting = Waiting()
if "viewer.views.run_page" not in sys.modules:
    waiting.begin()

from viewer.views import run_page  # noqa: E402

run_page.page(waiting)
