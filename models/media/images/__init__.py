"""Images: the store of a pool, networks that look at them, and how those are trained."""
