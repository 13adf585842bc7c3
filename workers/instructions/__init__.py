"""Instruction data: what people are asked to rank, and what comes of it."""
