"""What finished runs allow to say: differences, verdicts and their words."""
