"""From a pretrained model and labelled text to a model for a task, its scores and predictions."""
