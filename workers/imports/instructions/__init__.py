"""Instruction data in files: which formats there are, and what one row of them is."""
