"""From text to updates: no model is known here, and no loss."""
