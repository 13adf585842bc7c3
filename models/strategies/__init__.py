"""Query strategies: one file each, `rank(scores, n, params, ...) -> Ranking`."""
