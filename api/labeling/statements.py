"""The statements of leasing and answering; ``api.pipelined_sql`` says why they are prepared."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    Select,
    Uuid,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
    text,
    true,
    union_all,
    update,
)
from sqlalchemy.orm import aliased

from api.pipelined_sql import Statement, among
from core.class_names import hold_classes, naming
from core.consensus import lock_examples, votes
from core.lifecycle import mark_answered, mark_members
from core.media.excerpts import beginning
from core.states import RoundState, Verdict
from core.tables import (
    Annotation,
    Example,
    Member,
    Project,
    ProjectClass,
    Query,
    QueryMember,
    Round,
    User,
)

WHOLE: Final = 20_000
"""Characters of the longest text that is leased whole."""
_PROJECT = bindparam("project", type_=BigInteger)
_USER = bindparam("user", type_=BigInteger)
_ROUND = (Round.id, Round.number, Round.state, Round.spent, Round.budget, Round.settings)

_ANSWERED = aliased(Query)
_EXAMPLES = select(_ANSWERED.example_id).where(
    among(_ANSWERED.id, "queries"), _ANSWERED.project_id == _PROJECT
)
UNFINISHED = Statement(
    select(*_ROUND)
    .where(Round.project_id == _PROJECT, Round.state != RoundState.CLOSED)
    .order_by(Round.number)
)
_CONCERNED = (
    select(*_ROUND)
    .where(
        Round.project_id == _PROJECT,
        or_(
            Round.state != RoundState.CLOSED,
            Round.id.in_(select(Query.round_id).where(among(Query.id, "queries"))),
            Round.id.in_(select(Annotation.round_id).where(among(Annotation.query_id, "queries"))),
        ),
    )
    .order_by(Round.number)
)
# Whoever stores answers or publishes a round locks the rounds first, in order of number.
LOCK_ROUNDS = Statement(_CONCERNED.with_for_update(key_share=True))
# With those that are asked about together with them: an answer changes these as well.
_TOGETHER = select(QueryMember.example_id).where(among(QueryMember.query_id, "queries"))
LOCK_EXAMPLES = Statement(lock_examples(Example.id.in_(union_all(_EXAMPLES, _TOGETHER))))
# A statement that waited for a lock does not see rows that were added meanwhile; one that starts
# after it does.
ROUNDS = Statement(_CONCERNED)
HOLD_CLASSES = Statement(hold_classes(among(ProjectClass.id, "classes")))
PROJECT = Statement(
    select(Project.state, Project.classes_version, Project.task).where(Project.id == _PROJECT)
)
MEMBERS = Statement(
    select(User.id).where(
        among(User.id, "annotators"),
        or_(
            User.role == bindparam("admin"),
            exists().where(Member.user_id == User.id, Member.project_id == _PROJECT),
        ),
    )
)
# All queries of the examples: each of several annotators has one of their own.
QUERIES = Statement(
    select(
        Query.id,
        Query.round_id,
        Query.done,
        Query.example_id,
        Query.again_after,
        and_(Query.requested, Query.audit).label("is_check"),
    ).where(Query.example_id.in_(_EXAMPLES))
)
# In order of rank, for the index: any row would do, and to find one PostgreSQL may begin where all
# are done.
_ANOTHER = (
    select(Query.id)
    .where(
        Query.round_id == Round.id,
        ~Query.done,
        # By example: an answer also takes its image out of other queues.
        Query.example_id.not_in(_EXAMPLES),
    )
    .order_by(Query.rank)
    .limit(1)
    .lateral()
)
MORE_QUERIES = Statement(
    select(_ANOTHER.c.id)
    .select_from(Round)
    .join(_ANOTHER, true())
    .where(Round.project_id == _PROJECT, Round.state == RoundState.OPEN)
)
STORED = Statement(
    select(
        Annotation.id,
        Annotation.client_key,
        Annotation.query_id,
        Annotation.annotator_id,
        Annotation.round_id,
        Annotation.verdict,
        Annotation.counted,
    )
    .where(or_(among(Annotation.client_key, "keys", Uuid), among(Annotation.query_id, "queries")))
    .order_by(Annotation.id)
)
VOTES = Statement(votes().where(Annotation.example_id.in_(_EXAMPLES)))
CLASSES = Statement(naming(_PROJECT))
SIZES = Statement(
    select(Example.id, Example.width, Example.height).where(Example.id.in_(_EXAMPLES))
)
QUERY_MEMBERS = Statement(
    select(QueryMember.query_id, QueryMember.example_id).where(
        among(QueryMember.query_id, "queries")
    )
)
NEW_IDS = Statement(
    select(func.nextval("annotations_id_seq").label("id")).select_from(
        func.generate_series(1, bindparam("count", type_=BigInteger)).alias("n")
    )
)
_TYPES = {
    "id": "bigint",
    "project_id": "bigint",
    "example_id": "bigint",
    "query_id": "bigint",
    "round_id": "bigint",
    "annotator_id": "bigint",
    "client_key": "uuid",
    "verdict": "text",
    "label": "jsonb",
    "classes_version": "bigint",
    "seconds": "double precision",
    "cost": "double precision",
    "counted": "boolean",
    "supersedes_id": "bigint",
}
COLUMNS = tuple(_TYPES)


def _array(name: str, type_: str) -> str:
    # psycopg sends what JSON is written in as text.
    given = f":{name}" if type_ != "jsonb" else f"CAST(:{name} AS text[])"
    return f"CAST({given} AS {type_}[])"


# One statement for any number of rows: each column is an array.
INSERT = Statement(
    text(
        f"INSERT INTO annotations ({', '.join(COLUMNS)}) SELECT * FROM unnest("
        + ", ".join(_array(name, type_) for name, type_ in _TYPES.items())
        + ")"
    )
)
FINISH = Statement(
    update(Query)
    .where(or_(among(Query.id, "queries"), among(Query.example_id, "examples")), ~Query.done)
    .values(done=True)
)
MARK_ANSWERED = Statement(mark_answered())
MARK_MEMBERS = Statement(mark_members())
SPEND = Statement(
    text(
        "UPDATE rounds SET spent = new.spent FROM unnest(CAST(:rounds AS bigint[]), "
        "CAST(:spent AS double precision[])) AS new (id, spent) WHERE rounds.id = new.id"
    )
)

_LEASED = (
    Query.id,
    Query.round_id,
    Query.rank,
    Query.example_id,
    Query.predicted_class_id,
    Query.probability,
    Query.in_probability,
    Query.proposals,
)
_SHOWN = (
    Example.width,
    Example.height,
    # One character more tells whether there is more.
    beginning(WHOLE + 1).label("text"),
    Example.name,
    Example.duplicates_of,
)
_LEASE: dict[str, Any] = {
    "lease_holder": _USER,
    "lease_client": bindparam("tab"),
    "lease_token": bindparam("token"),
    "lease_expires_at": bindparam("expires"),
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


RELEASE = _free_again(_HELD)
RELEASE_ELSEWHERE = _free_again(_ELSEWHERE)
# A browser that is started again opens several pages at once, and each lists the others before it
# leases: one that was not there yet may have leased by now. So nothing is taken that is so new.
RELEASE_CLOSED = _free_again(
    _ELSEWHERE.where(
        Query.lease_client != func.all(bindparam("open", type_=ARRAY(Uuid))),
        Query.lease_expires_at <= bindparam("settled"),
    )
)
RELEASE_LATER = Statement(
    update(Query)
    .where(_unlocked(_HELD))
    .values(lease_expires_at=func.least(Query.lease_expires_at, bindparam("until")))
    .returning(Query.id)
)
