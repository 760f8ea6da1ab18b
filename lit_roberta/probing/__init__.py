"""What an encoder knows without any training for a task: cheap judges beside the loss."""
