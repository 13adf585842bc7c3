"""What an example is to a model: rows of a store, and all that knows what is in a row."""
