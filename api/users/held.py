"""All that is held of a person, as JSON Lines: a line for each thing, with its kind."""

import json
from collections.abc import AsyncIterator
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.audit import OF_PEOPLE

_BLOCK: Final = 2000
_ACCOUNT: Final = (
    (
        "user",
        "SELECT id, email, name, role, active, second_factor_required, password_until, created_at, "
        "erased_at FROM users WHERE id = :user",
    ),
    (
        "member",
        "SELECT m.project_id, p.name AS project, m.role, m.added_at FROM members m "
        "JOIN projects p ON p.id = m.project_id WHERE m.user_id = :user ORDER BY m.project_id",
    ),
    (
        "session",
        "SELECT created_at, last_seen_at, expires_at, method, address, agent FROM sessions "
        "WHERE user_id = :user ORDER BY created_at",
    ),
    (
        "identity",
        "SELECT issuer, subject, created_at, signed_in_at FROM identities WHERE user_id = :user",
    ),
    (
        "second_factor",
        "SELECT created_at, confirmed_at FROM second_factors WHERE user_id = :user",
    ),
    (
        "token",
        "SELECT id, name, prefix, scope, project_id, created_at, last_used_at, expires_at, "
        "revoked_at FROM api_tokens WHERE user_id = :user ORDER BY id",
    ),
)
# What somebody has begun, by the column that names it; of what belongs to no project nothing.
_MADE: Final = {
    "project": ("projects", "id AS project_id, created_at"),
    "job": ("jobs", "project_id, created_at"),
    "sync": ("syncs", "project_id, created_at"),
    "withdrawal": ("withdrawals", "project_id, images, created_at"),
    "snapshot": ("snapshots", "project_id"),
    "certificate": ("certificates", "project_id, created_at"),
    "webhook": ("webhooks", "project_id, created_at"),
    "weights": ("weights", "created_at"),
    "judge": ("judges", "created_at"),
}
# What they have before them, until they answer or it goes to somebody else.
_BEFORE_THEM: Final = {"query": "queries", "suggestion": "suggestions"}
# Of these there may be many: each by its id, a block at a time.
_MUCH: Final = (
    (
        "audit",
        "SELECT id, at, verb, object_type, object_id, project_id, detail, "
        # Where an admin was who did something to them is the admin's own.
        "CASE WHEN actor_id = :user OR actor_id IS NULL THEN address END AS address, "
        "CASE WHEN actor_id = :user OR actor_id IS NULL THEN agent END AS agent "
        "FROM audit WHERE id > :after AND (actor_id = :user "
        f"OR (object_type IN {OF_PEOPLE!r} AND object_id = :user)) ORDER BY id LIMIT :most",
    ),
    (
        "answer",
        "SELECT id, project_id, example_id, round_id, source, verdict, label, note, seconds, "
        "counted, supersedes_id, created_at FROM annotations "
        "WHERE id > :after AND annotator_id = :user ORDER BY id LIMIT :most",
    ),
    (
        "imported_answer",
        "SELECT a.id, a.project_id, a.example_id, a.source_name, a.verdict, a.label, a.note, "
        "a.created_at FROM annotations a "
        "JOIN users u ON lower(btrim(a.source_name)) = lower(u.email) "
        "WHERE a.id > :after AND a.source = 'import' AND u.id = :user ORDER BY a.id LIMIT :most",
    ),
    (
        "decision",
        "SELECT s.id, s.project_id, s.example_id, s.job_id, s.decision, a.created_at "
        "FROM suggestions s JOIN annotations a ON a.id = s.annotation_id "
        "WHERE s.id > :after AND a.annotator_id = :user ORDER BY s.id LIMIT :most",
    ),
    *(
        (
            f"made_{kind}",
            f"SELECT id, {columns} FROM {table} "
            "WHERE id > :after AND created_by = :user ORDER BY id LIMIT :most",
        )
        for kind, (table, columns) in _MADE.items()
    ),
    *(
        (
            f"leased_{kind}",
            f"SELECT id, example_id, lease_expires_at FROM {table} "
            "WHERE id > :after AND lease_holder = :user ORDER BY id LIMIT :most",
        )
        for kind, table in _BEFORE_THEM.items()
    ),
)
TABLES: Final = frozenset(
    {"users", "members", "sessions", "identities", "second_factors", "recovery_codes", "api_tokens"}
    | {"audit", "annotations", *_BEFORE_THEM.values(), *(table for table, _ in _MADE.values())}
)
"""Tables that it is looked for in; of recovery codes nothing can be read."""


async def lines(sessions: async_sessionmaker[AsyncSession], user_id: int) -> AsyncIterator[str]:
    """What is held of a user, a line each; memory stays flat in how much it is."""
    for kind, statement in _ACCOUNT:
        async with sessions() as session:
            rows = (await session.execute(text(statement), {"user": user_id})).all()
        yield _lines(kind, rows)
    for kind, statement in _MUCH:
        async for block in _blocks(sessions, text(statement), user_id):
            yield _lines(kind, block)


async def _blocks(
    sessions: async_sessionmaker[AsyncSession], statement: TextClause, user_id: int
) -> AsyncIterator[list[Any]]:
    after = 0
    while True:
        values = {"user": user_id, "after": after, "most": _BLOCK}
        async with sessions() as session:
            rows = list((await session.execute(statement, values)).all())
        yield rows
        if len(rows) < _BLOCK:
            return
        after = rows[-1].id


def _lines(kind: str, rows: Any) -> str:
    return "".join(
        json.dumps({"kind": kind, **row._mapping}, ensure_ascii=False, default=_said) + "\n"
        for row in rows
    )


def _said(value: Any) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"nothing says {type(value)} in JSON")
