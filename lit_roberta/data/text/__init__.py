"""Text to documents of sentences: reading, cutting, and holding out."""
