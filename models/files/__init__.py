"""Files that appear whole or not at all, and tensors in them."""
