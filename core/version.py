"""Which Karat this is."""

from importlib.metadata import version

from migrations.revisions import known


def build() -> str:
    """The version of the package, and the newest schema that it knows: ``0.1.0+0045``.

    A version goes through many schemas until the next one has a number of its own.
    """
    return f"{version('karat')}+{known()[-1]}"
