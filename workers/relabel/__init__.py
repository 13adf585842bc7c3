"""The ``relabel`` job."""
