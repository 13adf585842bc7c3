"""What files come packed in: zips, tars, folders, and what is compressed in them."""
