"""Using a model: its predictions, its vectors, and how likely it finds a text."""
