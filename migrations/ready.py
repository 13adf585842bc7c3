"""Whether the database has this version's schema, or a later one: ``python -m migrations.ready``.

The status is 1 if not, and while a migration is at work or a restore is unfinished. Pods wait for
it before they begin; those of before begin beside a later schema, too.
"""

import sys

from alembic.migration import MigrationContext
from sqlalchemy import NullPool, create_engine, func, select, text
from sqlalchemy.exc import OperationalError

from core.database.restores import IS_UNFINISHED, MESSAGE, REMEDY
from core.settings import Settings
from core.settings.database import noticing
from migrations.locks import LOCK
from migrations.revisions import known, standing


def main() -> None:
    url = Settings().sqlalchemy_url
    engine = create_engine(url, poolclass=NullPool, connect_args=noticing(url))
    try:
        with engine.connect() as connection:
            # The service may use new tables only when the migration that makes them has ended.
            if not connection.scalar(select(func.pg_try_advisory_xact_lock_shared(LOCK))):
                sys.exit("A migration of the database is at work.")
            if connection.scalar(text(IS_UNFINISHED)):
                sys.exit(f"{MESSAGE} {REMEDY}")
            found = MigrationContext.configure(connection).get_current_revision()
    except OperationalError as error:
        reason = " ".join(str(error.orig).split())
        sys.exit(f"The database cannot be reached: {reason}")
    if standing(found) == "outdated":
        sys.exit(f"The database has schema {found or 'none'}, and waits for {known()[-1]}.")


if __name__ == "__main__":
    main()
