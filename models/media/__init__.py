"""What an example is to a model: rows of a store, and views of them."""
