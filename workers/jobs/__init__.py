"""What every job works with: its row, phases and log, files, locks, and whom it lets go first."""
