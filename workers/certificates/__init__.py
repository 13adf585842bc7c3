"""Certificates under way: what people are asked, what they have said, and what follows from it."""
