"""The app: which pages there are. ``streamlit run viewer/app.py -- PATH...`` adds files and folders to browse."""

import sys
from importlib.util import find_spec
from pathlib import Path

if find_spec("viewer") is None or find_spec("components") is None:  # a bare clone: the package is not installed
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import streamlit as st

from components.page_style import draw_page_style
from viewer.collector import seldom_collect_all

HERE = Path(__file__).parent

st.set_page_config(
    page_title="Trajectory viewer",
    page_icon=str(HERE / "icon.png"),  # a local one, or the browser asks a font host for the pages' icons
    layout="wide",
    initial_sidebar_state="collapsed",
)
seldom_collect_all()
draw_page_style(st.context.theme.type)

st.navigation(
    [
        st.Page(HERE / "views" / "runs.py", title="Runs", icon=":material/list:", url_path="", default=True),
        st.Page(HERE / "views" / "run.py", title="Run", icon=":material/show_chart:", url_path="run"),
        st.Page(HERE / "views" / "compare.py", title="Compare", icon=":material/compare_arrows:", url_path="compare"),
        st.Page(HERE / "views" / "batch.py", title="Batch", icon=":material/grid_on:", url_path="batch"),
        st.Page(HERE / "views" / "formats.py", title="Formats", icon=":material/description:", url_path="formats"),
    ],
    position="top",
).run()
