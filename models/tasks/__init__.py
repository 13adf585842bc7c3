"""How models learn labels: a room for each type of task."""
