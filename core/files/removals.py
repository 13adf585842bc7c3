"""Removing what nobody needs any more, without taking it from somebody who has just come.

Files of images are named by their content, which several projects may hold, and an import that
finds a file writes it no second time. So whoever removes one and whoever adds a row that names one
meet at a lock: see ``docs/adr/0025-deleting-deletes.md``.
"""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Executable, func, select, text

from core.tables import COLLECTIONS

# One number of its own: projects lock their ids, which are positive.
_LOCK: Final = -25


def hold_files() -> Executable:
    """Statement: until this transaction ends, no file of an image is removed."""
    return select(func.pg_advisory_xact_lock_shared(_LOCK))


def begin_removing() -> tuple[Executable, ...]:
    """Statements: until this transaction ends, nobody adds a row that names a file of an image.

    The count goes on before any file goes, and even if the transaction is then rolled back.
    """
    return select(func.pg_advisory_xact_lock(_LOCK)), select(COLLECTIONS.next_value())


def removals_begun() -> Executable:
    """Statement: how often removing has begun; for a transaction that holds the files."""
    return text(f"SELECT last_value FROM {COLLECTIONS.name}")


def note_items(removal_id: int, project_id: int) -> Iterable[Executable]:
    """Statements: all that a project will leave on disk is noted; before its rows go.

    Args:
        removal_id: Of the row in ``removals``.
        project_id: The project that is about to be deleted.
    """
    ids = {"removal": removal_id, "project": project_id}
    for statement in (_PATHS, _IMAGES, _SUMS):
        yield text(statement).bindparams(**{key: ids[key] for key in _named(statement)})


# Small versions are kept of images that lie elsewhere, too. A text has no file of its own.
_IMAGES: Final = """
    INSERT INTO removal_items (removal_id, content_hash, bytes)
    SELECT :removal, content_hash, CASE WHEN location IS NULL THEN bytes ELSE 0 END
    FROM examples WHERE project_id = :project AND width IS NOT NULL
"""
_PATHS: Final = """
    INSERT INTO removal_items (removal_id, path)
    SELECT CAST(:removal AS bigint), 'projects/' || CAST(:project AS bigint)
    UNION ALL SELECT :removal, 'work/' || id FROM jobs WHERE project_id = :project
    UNION ALL SELECT :removal, 'uploads/' || (params ->> 'upload')
    FROM jobs WHERE project_id = :project AND params ? 'upload'
"""
_SUMS: Final = """
    UPDATE removals SET (images, image_bytes) = (
        SELECT count(content_hash), coalesce(sum(bytes), 0)
        FROM removal_items WHERE removal_id = :removal
    ) WHERE id = :removal
"""


def _named(statement: str) -> set[str]:
    return {name for name in ("removal", "project") if f":{name}" in statement}
