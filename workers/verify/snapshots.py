"""Snapshots: each still says what it said, of examples that are there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import select

from core.artifacts.pool_snapshots import batches, digest_of
from core.database.among import among
from core.errors import DomainError
from core.tables import Artifact, Example, PoolSnapshot
from core.withdrawals import is_kept
from workers.verify.check import Check, Scope


def _snapshots(scope: Scope) -> Iterator[str]:
    statement = (
        select(PoolSnapshot.id, PoolSnapshot.name, PoolSnapshot.digest, Artifact.storage_key)
        .join(Artifact, Artifact.id == PoolSnapshot.artifact_id)
        .order_by(PoolSnapshot.id)
    )
    for row in scope.connection.execute(statement).all():
        wrong = _wrong(scope, row.storage_key, row.digest)
        with scope.connection.engine.connect() as now:
            here = now.scalar(select(PoolSnapshot.id).where(PoolSnapshot.id == row.id)) is not None
        if wrong and here:
            yield f"snapshot {row.id}, {row.name}: {wrong}"


def _wrong(scope: Scope, key: str, digest: str) -> str | None:
    try:
        path = scope.storage.fetch(key)
        if digest_of(path) != digest:
            return "says something else than when it was taken"
    except FileNotFoundError:
        return "its file is missing"
    except (DomainError, OSError, ValueError) as error:
        return str(error)
    return _changed(scope, path)


def _changed(scope: Scope, path: Path) -> str | None:
    """What is wrong with the examples that a snapshot names, if anything."""
    for rows in batches(path, "example_id", "sha256"):
        ids = [row["example_id"] for row in rows]
        found = select(Example.id, Example.content_hash).where(among(Example.id, ids), is_kept())
        withdrawn = select(Example.id).where(among(Example.id, ids), ~is_kept())
        # Of what was withdrawn just now the file goes on telling, until a worker comes to it.
        gone = set(scope.connection.scalars(withdrawn))
        known = {id_: bytes(digest) for id_, digest in scope.connection.execute(found)}
        for row in rows:
            if row["example_id"] not in gone and known.get(row["example_id"]) != row["sha256"]:
                return f"example {row['example_id']} is gone, or another"
    return None


CHECKS: Final = (
    Check(
        "snapshots",
        "every snapshot says what it said when it was taken",
        "Restore its file from the last backup with karat restore; or remove the snapshot, and "
        "take another.",
        _snapshots,
    ),
)
