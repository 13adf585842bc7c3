"""The migrations make the schema that the code declares, and can be taken back."""

import os
import subprocess
import sys
import uuid

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from fastapi.testclient import TestClient
from psycopg import sql
from sqlalchemy import Engine, create_engine, func, inspect, select

from api.main import create_app
from core.settings import Settings
from core.tables import Annotation, Project
from tests.conftest import ROOT, Services
from tests.workers.loop import Loop
from tests.world import World

DATABASE = "karat_migrations"


def alembic(services: Services, *command: str, database: str = DATABASE) -> None:
    subprocess.run(
        [sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini", *command],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": services.database_url(database)},
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


def test_an_installation_of_the_schema_before_keeps_its_data(
    services: Services, world: World, installation: Settings
) -> None:
    loop = Loop(world)
    loop.answer(0, 8)
    engine = create_engine(installation.sqlalchemy_url)
    database = engine.url.database or ""
    try:
        stored = rows(engine)
        assert sum(stored.values()) > 90
        world.session.close()
        alembic(services, "downgrade", "-1", database=database)
        before = set(inspect(engine).get_table_names())
        alembic(services, "upgrade", "head", database=database)
        found = rows(engine)
        assert {name: found[name] for name in stored if name in before} == {
            name: count for name, count in stored.items() if name in before
        }
        with TestClient(create_app(installation)) as http:
            assert http.get("/readyz").status_code == 200
            headers = world.caller().headers
            lease = {"n": 4, "client": str(uuid.uuid4())}
            path = f"/api/projects/{loop.project.id}/labeling/lease"
            assert len(http.post(path, json=lease, headers=headers).json()["items"]) == 4
    finally:
        engine.dispose()


def test_projects_from_before_keep_the_size_that_was_the_default(
    services: Services, world: World, installation: Settings
) -> None:
    empty, stored, unsaid = world.project(input_size=None), world.project(), world.project()
    unsaid.settings = {name: one for name, one in unsaid.settings.items() if name != "input_size"}
    world.session.commit()
    ids = [empty.id, stored.id, unsaid.id]
    world.session.close()
    engine = create_engine(installation.sqlalchemy_url)
    try:
        for step in ("0021", "head"):
            alembic(
                services,
                "downgrade" if step == "0021" else "upgrade",
                step,
                database=engine.url.database or "",
            )
        with engine.connect() as connection:
            statement = select(Project.settings["input_size"]).order_by(Project.id)
            assert connection.scalars(statement.where(Project.id.in_(ids))).all() == [32, 8, 32]
    finally:
        engine.dispose()


def rows(engine: Engine) -> dict[str, int]:
    """How many rows each table has."""
    with engine.connect() as connection:
        return {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in Annotation.metadata.tables.items()
        }
