"""Parts of `benchmarks.open_set_al`."""
