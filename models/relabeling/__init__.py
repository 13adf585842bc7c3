"""Learning from labels of which some are wrong, and what that says about each of them."""
