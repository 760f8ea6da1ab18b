"""One run of a comparison: from its arguments to its result file."""
