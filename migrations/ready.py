"""Whether the database has this version's schema, or a later one: ``python -m migrations.ready``.

The status is 1 if not. Pods wait for it before they begin; those of before begin beside a later
schema, too.
"""

import sys

from alembic.migration import MigrationContext
from sqlalchemy import NullPool, create_engine
from sqlalchemy.exc import OperationalError

from core.settings import Settings
from migrations.revisions import known, standing


def main() -> None:
    engine = create_engine(Settings().sqlalchemy_url, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            found = MigrationContext.configure(connection).get_current_revision()
    except OperationalError as error:
        sys.exit(f"The database cannot be reached: {error.orig}")
    if standing(found) == "outdated":
        sys.exit(f"The database has schema {found or 'none'}, and waits for {known()[-1]}.")


if __name__ == "__main__":
    main()
