"""What is withdrawn from a project, and what belongs to it still."""

import hashlib
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, or_, select

from core.states import JobState
from core.tables import Example, Job

BLANK_TEXT: Final = "."
"""What stands in a text store in the place of a text that was withdrawn."""


def is_kept(example: Any = Example) -> ColumnElement[bool]:
    """Condition: an example was not withdrawn.

    Whatever asks for a split need not ask this as well: what was withdrawn is in none.

    Args:
        example: The table, or an alias of it.
    """
    kept: ColumnElement[bool] = example.split.is_not(None)
    return kept


def withdrawn_places(project_id: int) -> Select[int]:
    """Statement: pool indices of what was withdrawn from a project, ascending."""
    return (
        select(Example.pool_index)
        .where(Example.project_id == project_id, Example.split.is_(None))
        .order_by(Example.pool_index)
    )


def object_key(project_id: int, address: str) -> bytes:
    """By what an object of a bucket is known whose example was withdrawn: 32 bytes.

    Args:
        project_id: The project that it was in.
        address: Of the object, as ``examples.location`` has it.
    """
    return hashlib.sha256(f"{project_id} {address}".encode()).digest()


def at_work(project_id: int) -> ColumnElement[bool]:
    """Condition: a ``Job`` may read or write files of a project just now."""
    takes_over = Job.params["project"].astext == str(project_id)
    return and_(Job.state == JobState.RUNNING, or_(Job.project_id == project_id, takes_over))
