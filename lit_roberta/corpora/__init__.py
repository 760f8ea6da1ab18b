"""What a person does with text before training: prepare it, look at it, train a tokenizer."""
