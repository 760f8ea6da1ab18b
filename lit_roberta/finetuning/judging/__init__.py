"""Predictions beside the truth: the scores of each kind of task."""
