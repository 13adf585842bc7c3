"""What is withdrawn from a project, and what belongs to it still."""

import hashlib
from collections.abc import Collection
from typing import Final

from sqlalchemy import ColumnElement, Select, Update, and_, func, or_, select, update

from core.database.among import among
from core.states import ExampleState, JobState, Split
from core.tables import Example, Job, WithdrawalItem
from core.verdicts.groups import judged_alone, ranked_still

_SAID: Final = (ExampleState.LABELED, ExampleState.OOD, ExampleState.UNSURE)
BLANK_TEXT: Final = "."
"""What stands in a text store in the place of a text that was withdrawn."""


def is_kept() -> ColumnElement[bool]:
    """Condition: an example was not withdrawn.

    Whatever asks for a split need not ask this as well: what was withdrawn is in none.
    """
    return Example.split.is_not(None)


def withdrawn_places(project_id: int) -> Select[int]:
    """Statement: pool indices of what was withdrawn from a project, ascending."""
    return (
        select(Example.pool_index)
        .where(Example.project_id == project_id, Example.split.is_(None))
        .order_by(Example.pool_index)
    )


def places_of(withdrawal_ids: Collection[int]) -> Select[int]:
    """Statement: pool indices of what some withdrawals are of, ascending."""
    return (
        select(Example.pool_index)
        .join(WithdrawalItem, WithdrawalItem.example_id == Example.id)
        .where(WithdrawalItem.withdrawal_id.in_(withdrawal_ids))
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
    return and_(Job.state == JobState.RUNNING, uses_files(project_id))


def uses_files(project_id: int) -> ColumnElement[bool]:
    """Condition: a ``Job`` that, while it runs, may read or write files of a project."""
    takes_over = Job.params["project"].astext == str(project_id)
    return or_(Job.project_id == project_id, takes_over)


def mark_withdrawn(example_ids: Collection[int]) -> Update:
    """Statement: of these examples nothing is left but their places; they are in no split.

    Their hash becomes one that no content has: the same content may come again, as another example.
    """
    stone = func.sha256(func.convert_to(func.concat("withdrawn ", Example.id), "UTF8"))
    return (
        update(Example)
        .where(among(Example.id, example_ids), Example.split.is_not(None))
        .values(
            split=None,
            state=ExampleState.HELD_OUT,
            label=None,
            disputed=False,
            duplicates_of=None,
            content_hash=stone,
            media_type="",
            bytes=0,
            width=None,
            height=None,
            name="",
            meta={},
            location=None,
            location_tag=None,
            as_is=None,
        )
        .execution_options(synchronize_session=False)
    )


def mark_out_of_group(example_ids: Collection[int]) -> Update:
    """Statement: what was said of examples with others counts no more; of one by itself it does."""
    return (
        update(Example)
        .where(
            among(Example.id, example_ids),
            Example.split == Split.POOL,
            Example.state.in_(_SAID),
            ~judged_alone(Example.id),
            ~ranked_still(Example.id),
        )
        .values(state=ExampleState.UNLABELED, label=None, disputed=False)
        .execution_options(synchronize_session=False)
    )
