"""API and workers do all they have to as a role that owns no table, and nothing beyond it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from alembic.config import Config
from psycopg import errors, sql
from sqlalchemy import make_url

from api.bootstrap import bootstrap
from core import settings
from karat import Client
from karat.client.project import ProjectClient
from karat.local.backup import back_up
from karat.local.installation import Installation
from karat.local.restore import restore_from
from tests.conftest import ROOT
from tests.karat.helpers import image_folder
from tests.processes import api, ended, eventually, libpq_url, scheduler, worker

PASSWORD = "p%:/@'\"\\비밀"


_ENTRY = """
    INSERT INTO audit (verb, object_type, detail) VALUES ('restore', 'database', '{}')
"""
_LOOSE = """
    SELECT count(*) FROM audit a FULL JOIN audit_chain c ON c.audit_id = a.id
    WHERE a.id IS NULL OR c.number IS NULL
"""


def migrate(url: str, service: str | None = None) -> subprocess.CompletedProcess[str]:
    """``alembic upgrade head`` as an operator runs it."""
    given = {"DATABASE_URL": url}
    if service is not None:
        given["KARAT_SERVICE_DATABASE_URL"] = service
    return ended("alembic", "-c", "migrations/alembic.ini", "upgrade", "head", **given)


def connect(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(libpq_url(url), autocommit=True)


@pytest.fixture
def owner(installation: settings.Settings) -> str:
    """Address of the database for its owner."""
    return installation.sqlalchemy_url


@pytest.fixture
def role(owner: str) -> Iterator[str]:
    """Name of a role that there is not yet."""
    name = f"Service-{os.urandom(4).hex()}"
    yield name
    with connect(owner) as database:
        if database.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).fetchone():
            for statement in ("DROP OWNED BY {}", "DROP ROLE {}"):
                database.execute(sql.SQL(statement).format(sql.Identifier(name)))


@pytest.fixture
def service(owner: str, role: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Address of the database for API and workers, which is the one in the environment."""
    url = make_url(owner).set(username=role, password=PASSWORD)
    address = url.render_as_string(hide_password=False)
    # As ``migrate`` does, in this process: each of its own would import for longer than it works.
    with monkeypatch.context() as operator:
        operator.setenv("DATABASE_URL", owner)
        operator.setenv("KARAT_SERVICE_DATABASE_URL", address)
        command.upgrade(Config(ROOT / "migrations/alembic.ini"), "head")
    monkeypatch.setenv("DATABASE_URL", address)
    settings.settings.cache_clear()
    return address


def _label(project: ProjectClient, rounds: int) -> None:
    """Label the open round, until there are so many."""
    (cat, _) = project.get()["classes"]
    eventually(lambda: len(project.rounds()) == rounds, f"there are {rounds} rounds")
    eventually(lambda: project.lease(4)["items"], f"round {rounds - 1} opens")
    answers: list[Any] = [
        {
            "query_id": one["query_id"],
            "verdict": "label" if place else "ood",
            "class_id": cat["id"] if place else None,
            "seconds": 1.0,
        }
        for place, one in enumerate(project.lease(4)["items"])
    ]
    receipt = project.answer(answers)
    assert {one["status"] for one in receipt["results"]} == {"accepted"}


@pytest.mark.timeout(300)
def test_a_project_lives_from_its_images_to_its_end(
    owner: str, service: str, role: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bootstrap("admin@example.org", "correct horse battery") != {}
    with ExitStack() as stack:
        _, url = stack.enter_context(api(tmp_path / "api.log"))
        for queue in ("cpu", "gpu", "housekeeping"):
            stack.enter_context(worker(queue, tmp_path / f"{queue}.log"))
        stack.enter_context(scheduler(tmp_path / "beat.log"))
        client = stack.enter_context(Client(url))
        client.login("admin@example.org", "correct horse battery")
        short = {"name": "cnn_tiny", "params": {"steps": 10, "width": 8, "batch_size": 8}}
        small = {"budget": 4, "input_size": 16, "model": short}
        project = client.create_project("Pets", ["cat", "dog"], settings=small)
        job = project.import_images(image_folder(tmp_path / "pool", 12))
        assert client.wait(job["id"], timeout=60)["state"] == "succeeded"
        project.start()
        _label(project, 1)
        _label(project, 2)
        here = Installation(settings.settings().data_dir, service, running=True)
        back_up(here, tmp_path / "karat.tar")
        project.pause()
        with connect(service) as database:
            active = "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')"
            eventually(lambda: database.execute(active).fetchone() == (0,), "its jobs end")
            project.delete()
            left = "SELECT count(*) FROM removals WHERE finished_at IS NULL"
            eventually(lambda: database.execute(left).fetchone() == (0,), "its files are removed")
            who = "SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database()"
            assert database.execute(who).fetchall() == [(role,)]
    assert "permission denied" not in "".join(one.read_text() for one in tmp_path.glob("*.log"))
    # As the service migrate has it, from which the owner restores.
    monkeypatch.setenv("KARAT_SERVICE_DATABASE_URL", service)
    emptied = Installation(tmp_path / "restored", owner, running=False)
    restore_from(tmp_path / "karat.tar", emptied, replace=True)
    with connect(service) as database:
        assert database.execute("SELECT count(*) FROM projects").fetchone() == (1,)
        with pytest.raises(errors.InsufficientPrivilege):
            database.execute("SELECT audit_append(audit) FROM audit")
        # It adds to the log, and the chain goes on.
        database.execute(_ENTRY)
        assert database.execute(_LOOSE).fetchone() == (0,)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE annotations",
        "TRUNCATE annotations",
        "ALTER TABLE users ADD COLUMN more text",
        "ALTER TABLE annotations DISABLE TRIGGER ALL",
        "ALTER TABLE users OWNER TO CURRENT_USER",
        "DROP INDEX ix_audit_at",
        "CREATE TABLE mine (id int)",
        "CREATE TEMPORARY TABLE mine (id int)",
        "CREATE VIEW mine AS SELECT 1",
        "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE SCHEMA mine",
        "CREATE DATABASE mine",
        "CREATE ROLE mine",
        "DROP SCHEMA public CASCADE",
        "SELECT * FROM pg_authid",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT pg_ls_dir('.')",
        "SELECT lo_import('/etc/passwd')",
        "COPY users TO PROGRAM 'cat'",
        "COPY users TO '/tmp/users'",
        "ALTER SYSTEM SET fsync = off",
        "SET session_replication_role = replica",
        "UPDATE alembic_version SET version_num = '0001'",
        "DELETE FROM alembic_version",
        "ALTER ROLE CURRENT_USER SUPERUSER",
        "DELETE FROM audit",
        "UPDATE audit SET actor_id = NULL",
        "UPDATE audit_chain SET hash = ''",
        "INSERT INTO audit_chain VALUES (1, 1, '', '', '')",
        "SELECT audit_append(audit) FROM audit",
    ],
)
def test_it_does_nothing_but_change_rows(service: str, statement: str) -> None:
    with connect(service) as database, pytest.raises(psycopg.Error) as refused:
        database.execute(statement.encode())
    # "must be owner" has the same code.
    assert isinstance(refused.value, errors.InsufficientPrivilege), refused.value


def test_it_becomes_nobody_else_and_is_a_member_of_nothing(owner: str, service: str) -> None:
    with connect(owner) as database:
        (name,) = database.execute("SELECT current_user").fetchone() or ("",)
    with connect(service) as database:
        with pytest.raises(errors.InsufficientPrivilege):
            database.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(name)))
        member = (
            "SELECT count(*) FROM pg_auth_members WHERE member = quote_ident(current_user)::regrole"
        )
        assert database.execute(member).fetchone() == (0,)


def test_every_table_and_every_sequence_is_the_owners_and_open_to_it(service: str) -> None:
    closed = """
        SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND (
            relowner = quote_ident(current_user)::regrole
            OR relkind IN ('r', 'p')
            AND relname NOT IN ('alembic_version', 'audit', 'audit_chain') AND NOT (
                has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
            OR relkind = 'S' AND NOT has_sequence_privilege(oid, 'USAGE'))
    """
    with connect(service) as database:
        assert database.execute(closed).fetchall() == []
        assert database.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)


def test_its_password_is_followed_and_reaches_the_server_hashed(
    owner: str, service: str, role: str
) -> None:
    stored = "SELECT rolpassword FROM pg_authid WHERE rolname = %s"
    other = make_url(service).set(password="another").render_as_string(hide_password=False)
    with connect(owner) as database:
        first = database.execute(stored, [role]).fetchone()
        assert migrate(owner, other).returncode == 0
        second = database.execute(stored, [role]).fetchone()
    assert first is not None
    assert second is not None
    assert first[0].startswith("SCRAM-SHA-256$")
    assert second[0].startswith("SCRAM-SHA-256$")
    assert first != second


def test_what_has_the_schema_already_may_be_started_by_the_service(service: str) -> None:
    done = migrate(service)
    assert done.returncode == 0, done.stderr


def test_nobody_is_let_in_who_may_do_more(owner: str, role: str) -> None:
    with connect(owner) as database:
        create = sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(sql.Identifier(role))
        database.execute(create)
    for name, said in ((role, "may do more"), (make_url(owner).username, "owns the tables")):
        url = make_url(owner).set(username=name).render_as_string(hide_password=False)
        refused = migrate(owner, url)
        assert refused.returncode != 0
        assert said in refused.stderr
