"""Which job a process takes up, and how it runs it: claimed, mended, kept alive and ended."""
