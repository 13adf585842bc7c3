"""Runs migrations against ``DATABASE_URL``."""

from functools import partial

from alembic import context
from sqlalchemy import NullPool, create_engine, text

import core.tables  # noqa: F401  registers the tables
from core.database.restores import IS_UNFINISHED, MESSAGE, REMEDY
from core.settings import Settings
from core.settings.database import noticing
from core.tables.base import Base
from migrations.locks import LOCK, locking
from migrations.service_role import admit


def run() -> None:
    settings = Settings()
    url = settings.sqlalchemy_url
    engine = create_engine(url, poolclass=NullPool, connect_args=noticing(url))
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": LOCK})
        # Nobody works on what may have to go again.
        restoring = "restoring" in context.get_x_argument(as_dictionary=True)
        if not restoring and connection.scalar(text(IS_UNFINISHED)):
            raise SystemExit(f"{MESSAGE} {REMEDY}")
        connection.commit()
        configured = partial(
            context.configure,
            connection=connection,
            target_metadata=Base.metadata,
            compare_type=True,
        )
        configured()
        # Where there is nothing to do, nobody is stopped.
        configured(fn=locking(context.get_context().opts["fn"], Base.metadata))
        with context.begin_transaction():
            context.run_migrations()
        if settings.service_database_url is not None:
            admit(connection, settings.service_database_url.get_secret_value())
            connection.commit()
        connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": LOCK})
        connection.commit()


run()
