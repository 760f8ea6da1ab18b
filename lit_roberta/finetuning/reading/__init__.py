"""Files of labelled text, as examples."""
