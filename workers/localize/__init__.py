"""The ``localize`` job."""
