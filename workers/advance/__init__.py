"""From the answers of one round to the query batch of the next."""
