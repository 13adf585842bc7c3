"""Images that show the same picture, as a job has found them: ``Example.duplicates_of``."""

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import aliased

from core.states import ExampleState, Split
from core.tables import Example

# Made once: its columns are adapted one by one, which would take longer than the question.
_EVALUATED = aliased(Example)


def may_be_held_out() -> ColumnElement[bool]:
    """Condition: an image of the pool that is not held out."""
    return and_(Example.split == Split.POOL, Example.state != ExampleState.HELD_OUT)


def in_evaluation(project_id: int) -> ColumnElement[bool]:
    """Condition: the picture of an image is also among those to evaluate on."""
    return _has_twin(_EVALUATED, project_id, _EVALUATED.split == Split.EVALUATION)


def answered_in_pool(project_id: int) -> ColumnElement[bool]:
    """Condition: the picture of an image is also in the pool, with a verdict that is learned."""
    twin = aliased(Example)
    learned = twin.state.in_((ExampleState.LABELED, ExampleState.OOD))
    return _has_twin(twin, project_id, twin.split == Split.POOL, learned)


def _has_twin(
    twin: type[Example], project_id: int, *conditions: ColumnElement[bool]
) -> ColumnElement[bool]:
    grouped = (twin.project_id == project_id, twin.duplicates_of.is_not(None))
    return Example.duplicates_of.in_(select(twin.duplicates_of).where(*grouped, *conditions))
