"""Streamlit panels. Each draws what it is handed and owns no state of its own."""
