"""Errors that name examples as people find them: by id, not by their place in the pool."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from models.errors import NotFinite
from workers.jobs.context import JobContext
from workers.labels.job_inputs import example_ids


@contextmanager
def named_by_id(context: JobContext) -> Iterator[None]:
    """Turn pool indices into ids where values are not finite.

    Raises:
        NotFinite: The same, with ids.
    """
    try:
        yield
    except NotFinite as error:
        ids = example_ids(context, np.array(error.shown, dtype=np.int64))
        raise error.by_id(ids.tolist()) from error
