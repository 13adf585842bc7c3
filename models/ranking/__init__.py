"""What a query is ranked by: scores, what weighs them, candidates and their order."""
