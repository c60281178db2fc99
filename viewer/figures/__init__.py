"""Graphs and findings -> plotly figures. ``theme`` holds every colour; nothing here knows Streamlit or a format."""
