"""What examples are: images, or texts."""
