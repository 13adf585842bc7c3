"""Runs migrations against ``DATABASE_URL``."""

from alembic import context
from sqlalchemy import create_engine, text

import core.tables  # noqa: F401  registers the tables
from core.db import Base
from core.settings import Settings

# Two processes that start at once must not migrate at once.
_LOCK = 0x6B61726174


def run() -> None:
    engine = create_engine(Settings().sqlalchemy_url)
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
        connection.commit()
        context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True)
        with context.begin_transaction():
            context.run_migrations()
        connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _LOCK})
        connection.commit()
    engine.dispose()


run()
