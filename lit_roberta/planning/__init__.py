"""What a run would take, before it takes it: updates, text, work, memory and time."""
