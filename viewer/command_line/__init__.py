"""The commands of ``python -m viewer``: each takes parsed arguments, prints, and returns the exit status."""
