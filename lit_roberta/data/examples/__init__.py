"""Arrays to examples, as spans: packing, next-sentence pairs, and the order of an epoch."""
