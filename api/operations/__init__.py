"""For whoever runs it: whether it is well, what it measures, and room kept for answers."""
