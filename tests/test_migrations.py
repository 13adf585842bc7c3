"""The migrations make the schema that the code declares, and can be taken back."""

import contextlib
import re
import uuid
from argparse import Namespace
from collections.abc import Iterator
from typing import Literal

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from fastapi.testclient import TestClient
from psycopg import sql
from sqlalchemy import Engine, create_engine, func, inspect, make_url, select, text
from sqlalchemy.orm import Session

from api.main import create_app
from core.settings import Settings
from core.states import ExampleState, Scope, Source, Verdict
from core.tables import Annotation, CertificateLot, Example, Project, Round
from karat.local.unfinished import set_aside
from migrations import locks
from tests.api.test_labeling import running
from tests.certificates import add_certificate
from tests.conftest import ROOT
from tests.fixtures import Services
from tests.processes import libpq_url
from tests.workers.loop import Loop
from tests.world import World

DATABASE = "karat_migrations"
OPERATIONS = ROOT / "docs/operations.md"
_CHECKS = """
    SELECT conrelid::regclass::text || '.' || conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace
"""
# Of users none is deleted, and of removals few.
_UNINDEXED = """
    SELECT f.conrelid::regclass || '.' || attname
    FROM pg_constraint f JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE f.contype = 'f' AND confrelid NOT IN ('users'::regclass, 'removals'::regclass)
    AND NOT EXISTS (
        SELECT FROM pg_index WHERE indrelid = conrelid AND indkey[0] = attnum AND (
            confrelid = 'projects'::regclass OR indpred IS NULL
            OR pg_get_expr(indpred, indrelid) = format('(%s IS NOT NULL)', attname)
        )
    )
"""
SETTINGS = {
    "input_size", "seed", "budget", "cost", "overlap", "zero_wait", "model", "strategy", "purity",
    "informativeness", "subset", "max_rounds", "lease_seconds", "modes",
}  # fmt: skip
"""What version 0.1 knows of a project, and refuses all else."""
_SOURCES = "SELECT oid FROM pg_constraint WHERE conname = 'ck_annotations_source'"


def alembic(
    services: Services,
    verb: Literal["upgrade", "downgrade"],
    revision: str,
    *,
    database: str = DATABASE,
    restoring: bool = False,
) -> None:
    """As the command does, in this process: each of its own would import longer than it works."""
    options = Namespace(x=["restoring=yes"] if restoring else [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", services.database_url(database))
        getattr(command, verb)(Config(ROOT / "migrations/alembic.ini", cmd_opts=options), revision)


@contextlib.contextmanager
def empty(services: Services, name: str = DATABASE) -> Iterator[Engine]:
    """A database without tables."""
    services.administer(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    engine = create_engine(services.database_url(name))
    try:
        yield engine
    finally:
        engine.dispose()
        services.administer(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


def checks(engine: Engine) -> dict[str, list[str]]:
    """The words of each CHECK, in whatever order they are said."""
    with engine.connect() as connection:
        found = connection.execute(text(_CHECKS)).all()
    return {name: sorted(re.findall(r"\w+", said)) for name, said in found}


@pytest.fixture(scope="module")
def declared(services: Services) -> dict[str, list[str]]:
    """What the tables check, as the code declares them."""
    with empty(services, f"{DATABASE}_declared") as engine:
        Annotation.metadata.create_all(engine)
        return checks(engine)


def test_the_newest_schema_is_what_the_tables_declare_and_each_step_can_be_taken_back(
    services: Services, declared: dict[str, list[str]]
) -> None:
    with empty(services) as engine:
        alembic(services, "upgrade", "head")
        alembic(services, "downgrade", "0001")
        alembic(services, "upgrade", "head")
        with engine.connect() as connection:
            context = MigrationContext.configure(connection)
            assert compare_metadata(context, Annotation.metadata) == []
        assert checks(engine) == declared


def test_what_refers_to_rows_that_go_with_a_project_is_found_by_an_index(session: Session) -> None:
    """Else each of a thousand classes reads all the answers of all projects."""
    assert session.scalars(text(_UNINDEXED)).all() == []


def test_tables_that_a_restore_has_set_aside_say_nothing_of_those_in_their_place(
    services: Services, declared: dict[str, list[str]]
) -> None:
    with empty(services) as engine:
        alembic(services, "upgrade", "0024")
        with psycopg.connect(libpq_url(services.database_url(DATABASE))) as connection:
            set_aside(connection)
        alembic(services, "upgrade", "head", restoring=True)
        assert checks(engine) == declared


def test_kinds_that_a_restore_has_lost_are_there_again(
    services: Services, installation: Settings, declared: dict[str, list[str]]
) -> None:
    engine = create_engine(installation.sqlalchemy_url)
    database = engine.url.database or ""
    try:
        alembic(services, "downgrade", "0043", database=database)
        with engine.begin() as connection:
            sound = connection.scalar(text(_SOURCES))
            for table, kind in (("job", "resize"), ("artifact", "scores")):
                name = f"ck_{table}s_{table}kind"
                connection.execute(
                    text(
                        f"ALTER TABLE {table}s DROP CONSTRAINT {name}, "
                        f"ADD CONSTRAINT {name} CHECK (kind IN ('{kind}'))"
                    )
                )
        alembic(services, "upgrade", "head", database=database)
        assert checks(engine) == declared
        with engine.connect() as connection:
            # What nothing was missing of is not read again, row by row.
            assert connection.scalar(text(_SOURCES)) == sound
    finally:
        engine.dispose()


def test_who_is_at_work_is_waited_for_and_not_for_long(
    services: Services, installation: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", "50ms")
    database = make_url(installation.sqlalchemy_url).database or ""
    alembic(services, "downgrade", "-1", database=database)
    with psycopg.connect(libpq_url(services.database_url(database))) as backup:
        backup.execute("LOCK TABLE jobs IN ACCESS SHARE MODE")
        with pytest.raises(SystemExit, match="at work on the database"):
            alembic(services, "upgrade", "head", database=database)
    alembic(services, "upgrade", "head", database=database)
    with psycopg.connect(libpq_url(services.database_url(database))) as backup:
        backup.execute("LOCK TABLE jobs IN ACCESS SHARE MODE")
        # There is nothing to do, as at each start.
        alembic(services, "upgrade", "head", database=database)


def test_docs_name_each_step_that_a_version_before_it_does_not_work_with(
    services: Services,
) -> None:
    """A column goes a release after nothing reads it, and one that is needed has a default."""
    (row,) = re.findall(r"^\| version of Karat \|.*$", OPERATIONS.read_text(), re.MULTILINE)
    script = ScriptDirectory(str(ROOT / "migrations"))
    with empty(services) as engine:
        alembic(services, "upgrade", "0031")
        before = columns(engine)
        for revision in reversed([*script.walk_revisions("0031", "head")][:-1]):
            alembic(services, "upgrade", revision.revision)
            after = columns(engine)
            tables = {table for table, _ in before}
            missing = before.keys() - after.keys()
            needed = {
                one
                for one, is_needed in after.items()
                if is_needed and one[0] in tables and not before.get(one, False)
            }
            assert not (missing | needed) or f" {revision.revision}" in row, missing | needed
            before = after


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


def test_projects_go_back_with_the_settings_of_then_and_keep_the_size_that_was_the_default(
    services: Services, world: World, installation: Settings
) -> None:
    running(world, images=4, queries=1)
    empty, stored, unsaid = world.project(input_size=None), world.project(), world.project()
    unsaid.settings = {name: one for name, one in unsaid.settings.items() if name != "input_size"}
    world.session.commit()
    ids = [empty.id, stored.id, unsaid.id]
    world.session.close()
    engine = create_engine(installation.sqlalchemy_url)
    try:
        database = engine.url.database or ""
        alembic(services, "downgrade", "0021", database=database)
        with engine.connect() as connection:
            for table in (Project, Round):
                known = connection.scalars(select(table.settings)).all()
                assert known
                assert all(one.keys() <= SETTINGS for one in known), table
        alembic(services, "upgrade", "head", database=database)
        with engine.connect() as connection:
            statement = select(Project.settings["input_size"]).order_by(Project.id)
            assert connection.scalars(statement.where(Project.id.in_(ids))).all() == [32, 8, 32]
    finally:
        engine.dispose()


def test_no_token_opens_more_in_a_version_before(
    services: Services, world: World, installation: Settings
) -> None:
    project, user = world.project(), world.caller().user
    bound, reading, whole = (
        world.token(user, scope, one)[0].id
        for scope, one in ((Scope.ADMIN, project), (Scope.READ, None), (Scope.ADMIN, None))
    )
    world.session.close()
    engine = create_engine(installation.sqlalchemy_url)
    valid = text(f"SELECT id FROM api_tokens WHERE revoked_at IS NULL AND id >= {bound}")
    try:
        for step, left in (("0039", {reading, whole}), ("0007", {whole})):
            alembic(services, "downgrade", step, database=engine.url.database or "")
            with engine.connect() as connection:
                assert set(connection.scalars(valid)) == left
    finally:
        engine.dispose()


def test_a_version_before_certificates_reads_what_is_left_without_them(
    services: Services, world: World, installation: Settings
) -> None:
    project, reviewer = running(world, images=4, queries=1), world.caller().user
    certificate = add_certificate(world, project)
    of_it = select(CertificateLot).where(CertificateLot.certificate_id == certificate.id)
    lot = world.session.scalars(of_it).first()
    assert lot is not None
    label = {"class_id": lot.class_id}
    mine = Example.project_id == project.id
    _, kept, taken_back, models = world.session.scalars(
        select(Example).where(mine).order_by(Example.pool_index)
    )

    def say(example: Example, source: Source, *, of: Annotation | None = None) -> Annotation:
        by_model = source is Source.MODEL
        said = Annotation(
            project_id=project.id,
            example_id=example.id,
            annotator_id=None if by_model else reviewer.id,
            lot_id=lot.id if by_model else None,
            source=source,
            client_key=uuid.uuid4(),
            verdict=Verdict.LABEL if of is None else Verdict.SKIP,
            label=label if of is None else None,
            supersedes_id=of and of.id,
            seconds=0,
            cost=0,
            counted=True,
        )
        world.session.add(said)
        world.session.flush()
        return said

    for example in (kept, taken_back, models):
        say(example, Source.MODEL)
        example.state, example.label = ExampleState.LABELED, label
    say(kept, Source.REVIEW)
    say(taken_back, Source.REVIEW, of=say(taken_back, Source.REVIEW))
    world.session.commit()
    world.session.close()
    engine = create_engine(installation.sqlalchemy_url)
    try:
        alembic(services, "downgrade", "0036", database=engine.url.database or "")
        with engine.connect() as connection:
            states = select(Example.state).where(mine).order_by(Example.pool_index)
            assert connection.scalars(states).all()[1:] == ["labeled", "unlabeled", "unlabeled"]
            for table in (Project, Round):
                known = connection.scalars(select(table.settings)).all()
                assert known
                assert not any("learn_from_model_labels" in one for one in known), table
    finally:
        engine.dispose()


def columns(engine: Engine) -> dict[tuple[str, str], bool]:
    """Whether each column of each table has to be said of a new row."""
    statement = """
        SELECT table_name, column_name, is_nullable = 'NO' AND column_default IS NULL
            AND is_identity = 'NO' AND is_generated = 'NEVER'
        FROM information_schema.columns WHERE table_schema = 'public'
    """
    with engine.connect() as connection:
        return {
            (table, name): needed for table, name, needed in connection.execute(text(statement))
        }


def rows(engine: Engine) -> dict[str, int]:
    """How many rows each table has."""
    with engine.connect() as connection:
        return {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in Annotation.metadata.tables.items()
        }
