"""What all processes of a run have in common."""

import atexit
import tempfile
from pathlib import Path

SHARED = "KARAT_TESTS_SHARED"
"""Names the directory that they share."""
OWNER = "KARAT_TESTS_OWNER"
"""Tells the id of the process that has begun the run."""


def lasting_folder() -> Path:
    """A directory that stays until the process of the tests ends."""
    folder = tempfile.TemporaryDirectory(prefix="karat-tests-")
    atexit.register(folder.cleanup)
    return Path(folder.name)
