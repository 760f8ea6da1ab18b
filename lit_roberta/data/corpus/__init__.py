"""Documents on disk: written, cut into sections, held out, compared."""
