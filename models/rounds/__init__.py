"""One round of active learning, without a database."""
