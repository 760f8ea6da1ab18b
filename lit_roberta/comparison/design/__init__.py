"""Which runs are made: recipes, budget, learning rates, and what makes two runs the same."""
