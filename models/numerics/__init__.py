"""Numbers from numbers: probabilities, intervals, similarities, and shares drawn at random."""
