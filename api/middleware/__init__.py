"""Around every request: limits, headers, names, errors and traces."""
