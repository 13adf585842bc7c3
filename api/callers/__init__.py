"""Who is calling, by what, and what they may see."""
