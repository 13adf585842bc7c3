"""Files that jobs have left, as their readers see them."""
