"""The statements of leasing; ``api.database.pipelined_sql`` says why they are prepared."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    Boolean,
    ColumnElement,
    Float,
    Interval,
    ScalarSelect,
    Select,
    SQLColumnExpression,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import aliased

from api.database.pipelined_sql import Statement, among
from api.schemas.fields import brought
from core.media.texts.excerpts import beginning
from core.states import Verdict
from core.tables import (
    Annotation,
    Example,
    Prediction,
    Query,
)

WHOLE: Final = 20_000
"""Characters of the longest text that is leased whole."""
_PROJECT = bindparam("project", type_=BigInteger)
_USER = bindparam("user", type_=BigInteger)

_LEASED = (
    Query.id,
    Query.round_id,
    Query.rank,
    Query.example_id,
    Query.predicted_class_id,
    Query.probability,
    Query.in_probability,
    Query.proposals,
    Query.proposed_by,
)
_SHOWN = (
    Example.width,
    Example.height,
    # One character more tells whether there is more.
    beginning(WHOLE + 1).label("text"),
    Example.name,
    Example.duplicates_of,
    brought(bindparam("fields", type_=ARRAY(Text))).label("fields"),
)
# What somebody was shown stays, so that an answer tells what it made of it; and a second look, or
# a check of a guarantee, is taken without having been told anything. Pages that show none of it ask
# for none.
_UNSEEN = and_(
    bindparam("suggests", type_=Boolean),
    Query.lease_token.is_(None),
    Query.again_after.is_(None),
    ~Query.is_drawn_for_certificate(),
)


def _predicted(what: SQLColumnExpression[Any]) -> ScalarSelect[Any]:
    """Of the prediction of a query's example that was imported last."""
    return (
        select(what)
        .where(Prediction.example_id == Query.example_id)
        .order_by(Prediction.import_id.desc(), Prediction.model)
        .limit(literal_column("1"))
        .correlate(Query)
        .scalar_subquery()
    )


_PLANTED = func.jsonb_set(
    Prediction.proposals,
    array([Prediction.planted["place"].astext]),
    Prediction.planted["box"],
)
_PROPOSALS = case(
    (Prediction.luck < bindparam("shifted", type_=Float), _PLANTED), else_=Prediction.proposals
)
_LEASE: dict[str, Any] = {
    "lease_holder": _USER,
    "lease_client": bindparam("tab"),
    "lease_token": bindparam("token"),
    "lease_expires_at": bindparam("expires"),
    # What somebody has brought goes before what Karat's own model proposes.
    "proposals": case(
        (_UNSEEN, func.coalesce(_predicted(_PROPOSALS), Query.proposals)), else_=Query.proposals
    ),
    "proposed_by": case((_UNSEEN, _predicted(Prediction.model)), else_=Query.proposed_by),
}


def _claim(
    which: Select[*tuple[Any, ...]], choose: Callable[[CTE], Select[int]] | None = None
) -> Statement:
    """Lease the queries that ``which`` finds, except rows that another transaction holds.

    With ``choose`` only the ids that it picks from those.

    SKIP LOCKED lets many annotators take the head of the queue at once without waiting for each
    other, and keeps leasing out of every deadlock, since it never waits.
    """
    found = (
        which.with_for_update(skip_locked=True)
        .cte("found")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    chosen: ColumnElement[bool] = (
        Query.id == found.c.id if choose is None else Query.id.in_(choose(found))
    )
    # Examples are joined to what was leased: a query may have got another since the statement
    # began, and a join within the update would leave it out.
    leased = update(Query).where(chosen).values(_LEASE).returning(*_LEASED).cte("leased")
    return Statement(
        select(*leased.c, *_SHOWN).join_from(leased, Example, Example.id == leased.c.example_id)
    )


_OF_MINE = select(Query.id).where(
    Query.lease_holder == _USER, Query.project_id == _PROJECT, ~Query.done
)
_HELD = _OF_MINE.where(Query.lease_client == bindparam("tab"))
# Found by the partial index of what is leased, whoever holds it: only for those who sit down, and
# those who wait.
_ELSEWHERE = _OF_MINE.where(Query.lease_client != bindparam("tab"))
_LIVE = Query.lease_expires_at > bindparam("now")
MINE = _claim(_HELD.where(_LIVE, among(Query.round_id, "rounds")))
HELD = Statement(_HELD.add_columns(Query.round_id).where(_LIVE))
HELD_ELSEWHERE = Statement(
    # In order of client, for that index: any row would do, and most often there is none.
    _ELSEWHERE.where(_LIVE, Query.round_id == bindparam("round"))
    .order_by(Query.lease_client)
    .limit(literal_column("1"))
)


_LIKELY_OOD = 0.5
# One group for all that is likely OOD, whatever class it would have otherwise.
_GROUP = case((Query.in_probability < _LIKELY_OOD, -1), else_=Query.predicted_class_id)


def _one_each(found: CTE) -> Any:
    """One query an example, the first by rank."""
    return (
        select(
            func.min(found.c.id).label("id"),
            func.min(found.c.rank).label("rank"),
            func.min(found.c.group).label("group"),
        )
        .group_by(found.c.example_id)
        .subquery()
    )


def _first(wanted: int, found: CTE) -> Select[int]:
    one = _one_each(found).c
    return select(one.id).order_by(one.rank).limit(wanted)


def _alike(wanted: int, found: CTE) -> Select[int]:
    """Whole groups, in the order of the best that each of them has."""
    one = _one_each(found).c
    lead = func.min(one.rank).over(partition_by=one.group).label("lead")
    led = select(one.id, one.rank, lead).subquery().c
    return select(led.id).order_by(led.lead, led.rank).limit(wanted)


def _looked_up(which: Select[int]) -> ColumnElement[bool]:
    """Condition: there is such a row, looked up for each query that is considered.

    Without the OFFSET PostgreSQL joins, and reads the whole table to do so.
    """
    return which.offset(literal_column("0")).correlate(Query).exists()


@lru_cache(maxsize=512)
def free(wanted: int, overlap: int, window: int | None = None) -> Statement:
    """Lease the first ``wanted`` free queries of a round.

    Where an example has ``overlap`` > 1 queries, each goes to somebody else.

    With ``window``, of the first so many free ones those that the model takes for the same as the
    very first, then those alike to the first of the rest, and so on
    (``docs/adr/0011-a-grid-takes-groups.md``).

    The limit is part of the text: given as a parameter, PostgreSQL expects a tenth of the queue and
    sorts it all, where the partial index on open rows gives the order without a sort.
    """
    unheld = (
        select(Query.id, Query.example_id, Query.rank, _GROUP.label("group"))
        .where(
            Query.round_id == bindparam("round"),
            ~Query.done,
            or_(Query.lease_expires_at.is_(None), Query.lease_expires_at <= bindparam("now")),
        )
        .order_by(Query.rank)
        .limit(literal_column(str(max(wanted, window or 0) * overlap)))
    )
    if overlap == 1:
        return _claim(unheld, partial(_alike, wanted) if window else None)
    other = aliased(Query)
    answered = aliased(Query)
    said = _looked_up(
        select(Annotation.id).where(
            Annotation.example_id == Query.example_id,
            Annotation.annotator_id == _USER,
            Annotation.id > func.coalesce(Query.again_after, 0),
            or_(
                Annotation.verdict != Verdict.SKIP,
                # Who skipped it is not asked again in the same round.
                exists().where(
                    answered.id == Annotation.query_id, answered.round_id == bindparam("round")
                ),
            ),
        )
    )
    looks = _looked_up(
        select(other.id).where(
            other.example_id == Query.example_id,
            other.lease_holder == _USER,
            other.lease_expires_at > bindparam("now"),
            ~other.done,
        )
    )
    return _claim(unheld.where(~said, ~looks), partial(_alike if window else _first, wanted))


def _unlocked(which: Select[int]) -> ColumnElement[bool]:
    """Condition: one of these rows, which no other transaction holds.

    As an array, PostgreSQL looks each up; what it takes for many it joins, and reads the whole
    table to do so.
    """
    found = which.with_for_update(skip_locked=True).scalar_subquery()
    return Query.id == func.any(func.array(found))


def _free_again(which: Select[int]) -> Statement:
    # The token stays: an answer to what was held may still come, and is to this image.
    return Statement(
        update(Query)
        .where(_unlocked(which))
        .values(lease_holder=None, lease_client=None, lease_expires_at=None)
        .returning(Query.id)
    )


_GIVEN_BACK = _HELD.where(Query.id != func.all(bindparam("kept", type_=ARRAY(BigInteger))))
RELEASE = _free_again(_GIVEN_BACK)
KEEP = Statement(
    update(Query)
    .where(_unlocked(_HELD.where(among(Query.id, "kept"))))
    .values(lease_expires_at=func.greatest(Query.lease_expires_at, bindparam("kept_until")))
    .returning(Query.id)
)
RELEASE_ELSEWHERE = _free_again(_ELSEWHERE)
# A browser that is started again opens several pages at once, and each lists the others before it
# leases: one that was not there yet may have leased by now. So nothing is taken that is so new. A
# query that is held for longer than by any lease was kept, by one that has closed since; what was
# leased after this request, or where a clock is ahead, is held for no longer than `longest`.
RELEASE_CLOSED = _free_again(
    _ELSEWHERE.where(
        Query.lease_client != func.all(bindparam("open", type_=ARRAY(Uuid))),
        or_(
            Query.lease_expires_at <= bindparam("settled"),
            Query.lease_expires_at > func.clock_timestamp() + bindparam("longest", type_=Interval),
        ),
    )
)
RELEASE_LATER = Statement(
    update(Query)
    .where(_unlocked(_GIVEN_BACK))
    .values(lease_expires_at=func.least(Query.lease_expires_at, bindparam("until")))
    .returning(Query.id)
)
