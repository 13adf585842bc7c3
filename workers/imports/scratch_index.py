"""Databases of SQLite that keep memory flat, and can always be made again from what they index."""

import sqlite3
from pathlib import Path


def scratch_index(path: Path) -> sqlite3.Connection:
    """An empty one at ``path``, instead of what was there; it need not survive a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    index = sqlite3.connect(path, isolation_level=None)
    index.execute("PRAGMA journal_mode = OFF")
    index.execute("PRAGMA synchronous = OFF")
    return index
