"""In projects that ask about groups: what is said of a group, and what of one row by itself."""

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from core.states import Source, Verdict
from core.tables import Annotation, Query, QueryMember, Suggestion


def of_group(annotation: type[Annotation] = Annotation) -> ColumnElement[bool]:
    """Condition: an annotation is about the group whose first example it is on.

    Answers have a query, and reviews of groups rank them or are named by their suggestion. What is
    left are verdicts of the pool's page, on a row by itself: that it comes first in some group,
    nobody who gives them sees.

    Args:
        annotation: The table, or an alias of it.
    """
    reviewed = exists().where(Suggestion.annotation_id == annotation.id)
    return or_(annotation.query_id.is_not(None), annotation.label.is_not(None), reviewed)


def is_latest() -> ColumnElement[bool]:
    """Condition: a ``Query`` is the latest of its example: that whose group its votes are on."""
    later = aliased(Query)
    last = select(func.max(later.id)).where(later.example_id == Query.example_id)
    return Query.id == last.scalar_subquery()


def judged_alone(example_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Condition: somebody has said of an example by itself what it is, and it holds.

    Args:
        example_id: Column that names the example.
    """
    review, later = aliased(Annotation), aliased(Annotation)
    return exists().where(
        review.example_id == example_id,
        review.source == Source.REVIEW,
        review.verdict != Verdict.SKIP,
        ~exists().where(later.supersedes_id == review.id, later.counted),
        ~of_group(review),
    )


def ranked_still(example_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Condition: of some group that an example is in, something was said that counts.

    Args:
        example_id: Column that names the example.
    """
    asked, said = aliased(Query), aliased(Annotation)
    return exists().where(
        QueryMember.example_id == example_id,
        asked.id == QueryMember.query_id,
        said.query_id == asked.id,
        said.counted,
        said.verdict != Verdict.SKIP,
    )
