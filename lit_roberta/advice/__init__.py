"""What to try first, for so much text: settings from studies of others, each with its source."""
