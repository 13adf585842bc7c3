"""The picture that everybody sees of an image, and how it is made from the image's bytes."""
