"""The migrations make the schema that the code declares, and can be taken back."""

import os
import subprocess
import sys

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from psycopg import sql
from sqlalchemy import create_engine

from core.tables import Annotation
from tests.conftest import ROOT, Services

DATABASE = "karat_migrations"


def alembic(services: Services, *command: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini", *command],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": services.database_url(DATABASE)},
        check=True,
        capture_output=True,
    )


def test_the_newest_schema_is_what_the_tables_declare_and_each_step_can_be_taken_back(
    services: Services,
) -> None:
    services.administer(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
    engine = create_engine(services.database_url(DATABASE))
    try:
        alembic(services, "upgrade", "head")
        alembic(services, "downgrade", "0001")
        alembic(services, "upgrade", "head")
        with engine.connect() as connection:
            context = MigrationContext.configure(connection)
            assert compare_metadata(context, Annotation.metadata) == []
    finally:
        engine.dispose()
        services.administer(sql.SQL("DROP DATABASE {}").format(sql.Identifier(DATABASE)))
