"""Prepares a database: ``python -m karat.local.prepare SETTINGS EMAIL``.

Applies the migrations that Alembic's ``SETTINGS`` name, then does as ``api.bootstrap``. One process
for both, since their imports take longer than their work.
"""

import runpy
import sys

from alembic.config import main


def prepare(settings: str, email: str) -> None:
    """Migrate to the newest, and print the first user if there was none."""
    main(["-c", settings, "upgrade", "head"])
    sys.argv = ["bootstrap", "--email", email]
    runpy.run_module("api.bootstrap", run_name="__main__")


if __name__ == "__main__":
    prepare(*sys.argv[1:])
