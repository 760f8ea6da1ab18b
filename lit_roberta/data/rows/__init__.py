"""Examples to masked rows of ids: which tokens are predicted, and what stands there."""
