"""Batch to hidden states to logits: plain torch, with no data, no training loop and no loss."""
