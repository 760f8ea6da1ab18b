"""Models judged by what they learn: tasks, learning rates, batch sizes and seeds, and a report."""
