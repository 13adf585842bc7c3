"""What a label is: a room for each type of task. Pure."""
