"""Where on an image the one thing is that it shows: regressed, or read off a classifier."""
