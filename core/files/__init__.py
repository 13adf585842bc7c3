"""Files of an installation, on its disk and in buckets: kept, named, fetched ahead and removed."""
