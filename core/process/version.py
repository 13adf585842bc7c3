"""Which Karat this is."""

from importlib.metadata import version
from typing import Final

from migrations.revisions import known

UNTOLD: Final = "of before 0.1.0+0047"
"""What a process is that does not say which Karat it is."""


def build() -> str:
    """The version of the package, and the newest schema that it knows: ``0.1.0+0045``.

    A version goes through many schemas until the next one has a number of its own.
    """
    return f"{version('karat')}+{known()[-1]}"
