"""From losses to checkpoints: the Lightning side of the package."""
