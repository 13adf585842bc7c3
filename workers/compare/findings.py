"""What a comparison has found, in the rows of the images."""

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ARRAY, BigInteger, bindparam, func, select, text, update
from sqlalchemy.orm import Session

from core.media.images.duplicates import in_evaluation, may_be_held_out
from core.tables import Example
from core.verdicts.consensus import lock_examples

_MARK = text(
    "UPDATE examples SET duplicates_of = leader.id "
    "FROM unnest(CAST(:members AS bigint[]), CAST(:leaders AS bigint[])) AS found (member, leader) "
    "JOIN examples AS leader "
    "ON leader.project_id = :project AND leader.pool_index = found.leader "
    "WHERE examples.project_id = :project AND examples.pool_index = found.member "
    "AND examples.split IS NOT NULL"
)


def mark(session: Session, project_id: int, group: NDArray[np.int64]) -> None:
    """Write which images show the same picture, in place of what was known before.

    Args:
        session: In the transaction that ends the search.
        project_id: The project.
        group: (N,) by pool index, the pool index of the one that stands for all; -1 for none.
    """
    members = np.flatnonzero(group >= 0)
    wanted = bindparam("wanted", members.tolist(), type_=ARRAY(BigInteger))
    touched = (Example.project_id == project_id) & (
        Example.duplicates_of.is_not(None) | (Example.pool_index == func.any(wanted))
    )
    # In the order in which everybody locks images.
    session.execute(lock_examples(touched))
    session.execute(
        update(Example)
        .where(Example.project_id == project_id, Example.duplicates_of.is_not(None))
        .values(duplicates_of=None)
        .execution_options(synchronize_session=False)
    )
    session.execute(
        _MARK,
        {
            "members": members.tolist(),
            "leaders": group[members].tolist(),
            "project": project_id,
        },
    )


def leaking(session: Session, project_id: int) -> int:
    """How many images of the pool are copies of images to evaluate on, and not held out."""
    statement = select(func.count()).select_from(Example)
    return (
        session.scalar(
            statement.where(
                Example.project_id == project_id, may_be_held_out(), in_evaluation(project_id)
            )
        )
        or 0
    )
