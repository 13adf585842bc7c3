"""Which revisions of the schema this version knows, by the names of their files."""

from functools import cache
from pathlib import Path
from typing import Literal

Standing = Literal["current", "outdated", "newer"]
"""How the schema of a database stands to this version."""


@cache
def known() -> tuple[str, ...]:
    """Revisions, the oldest first."""
    versions = Path(__file__).parent / "versions"
    return tuple(sorted(path.name[:4] for path in versions.glob("[0-9]*.py")))


def standing(found: str | None) -> Standing:
    """How a database of revision ``found`` stands to this version; ``None`` has no tables.

    A revision that this version does not know is of a later one, whose schema it can work with
    unless the documentation says that both cannot be there at once.
    """
    if found == known()[-1]:
        return "current"
    return "outdated" if found is None or found in known() else "newer"
