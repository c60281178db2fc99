"""Trajectory viewer: what did the agent do, and why did it fail?"""
