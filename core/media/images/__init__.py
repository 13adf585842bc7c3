"""Images: how large the model sees them, and the picture that everybody sees of each."""
