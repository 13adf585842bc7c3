"""What api and workers both need, and nothing else."""
