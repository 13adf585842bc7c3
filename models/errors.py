"""Errors that callers of `models` are expected to handle."""


class ModelError(ValueError):
    """A request that cannot be met; the message says what is wrong and what to do about it."""


class NotReady(ModelError):
    """An algorithm lacks what it needs so far, such as answers; its fallback stands in."""


class Cancelled(Exception):
    """Raised by a progress callback to stop the work at hand."""
