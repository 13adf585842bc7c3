"""A test that failed is tried once more, with the installation that its first try has left."""

from datetime import UTC, datetime

import psycopg
import pytest

from tests.processes import libpq_url

_BEGAN = pytest.StashKey[datetime]()
_RENAME = (
    "UPDATE projects SET name = left(name, 100) || ' (tried, ' || id || ')' WHERE created_at >= %s"
)


def make_way(request: pytest.FixtureRequest) -> None:
    """Give the projects of the try before other names, so that this one can make its own.

    Args:
        request: Of a fixture of the test, before it makes a project; in its first try nothing is
            renamed.
    """
    stash = request.node.stash
    if _BEGAN in stash and "stack" in request.fixturenames:
        url = request.getfixturevalue("stack").environment["DATABASE_URL"]
        with psycopg.connect(libpq_url(url)) as database:
            database.execute(_RENAME, [stash[_BEGAN]])
    stash[_BEGAN] = datetime.now(UTC)
