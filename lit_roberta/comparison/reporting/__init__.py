"""What a person reads of a comparison: page, tables, charts, sentences."""
