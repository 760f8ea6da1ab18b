"""Speed, side by side with peers in one process. Each benchmark prints a table; none is a test."""
