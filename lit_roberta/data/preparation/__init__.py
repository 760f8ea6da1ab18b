"""From the name of a corpus to a tokenized store on disk, and back into arrays."""
