"""Networks, and the weights that they begin with."""
