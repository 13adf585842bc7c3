"""Files of each format as items, one after the other, within limits."""
