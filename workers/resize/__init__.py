"""The pixels of a pool made anew from the originals, at another size."""
