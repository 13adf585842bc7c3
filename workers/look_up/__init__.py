"""Looking at one file, to find what is like it."""
