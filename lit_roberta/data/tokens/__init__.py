"""Documents to arrays: the tokenizers, and the tokenized corpus."""
