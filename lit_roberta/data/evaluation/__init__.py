"""The text that a model is judged by, under masks that no run can move."""
