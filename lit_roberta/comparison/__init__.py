"""Runs to report: recipes under one budget, judged on every compared format."""
