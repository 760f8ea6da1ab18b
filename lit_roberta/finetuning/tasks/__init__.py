"""The tasks: what an example becomes, what is learned from it, and how it is judged."""
