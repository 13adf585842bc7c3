"""The statements of answering; ``api.database.pipelined_sql`` says why they are prepared."""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Uuid,
    and_,
    bindparam,
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

from api.database.pipelined_sql import Statement, among, unseen
from core.lifecycle import mark_answered, mark_members
from core.rounds import CERTIFICATE
from core.states import CertificateState, RoundState
from core.tables import (
    Annotation,
    Certificate,
    Example,
    Member,
    Project,
    ProjectClass,
    Query,
    QueryMember,
    Round,
    User,
)
from core.verdicts.class_names import hold_classes, naming
from core.verdicts.consensus import lock_examples, votes
from core.verdicts.groups import of_group
from core.withdrawals import is_kept

_PROJECT = bindparam("project", type_=BigInteger)
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
LOCK_EXAMPLES = Statement(
    lock_examples(Example.id.in_(union_all(_EXAMPLES, _TOGETHER))).add_columns(
        is_kept().label("kept")
    )
)
# A statement that waited for a lock does not see rows that were added meanwhile; one that starts
# after it does.
ROUNDS = Statement(_CONCERNED)
HOLD_CLASSES = Statement(hold_classes(among(ProjectClass.id, "classes")))
PROJECT = Statement(
    select(
        Project.state,
        Project.classes_version,
        Project.task,
        # Of an earlier version it may be missing.
        Project.settings["shown_fields"].label("shown_fields"),
    ).where(Project.id == _PROJECT)
)
MEMBERS = Statement(
    select(User.id).where(
        User.id == func.any(unseen("annotators", ARRAY(BigInteger))),
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
        Query.example_id.not_in(
            select(_ANSWERED.example_id).where(
                _ANSWERED.id == func.any(unseen("queries", ARRAY(BigInteger))),
                _ANSWERED.project_id == _PROJECT,
            )
        ),
    )
    .order_by(Query.rank)
    .limit(literal_column("1"))
    .lateral()
)
# Only whether there is any: ids of queries, and of a round that a certificate asks in.
MORE_QUERIES = Statement(
    select(_ANOTHER.c.id)
    .select_from(Round)
    .join(_ANOTHER, true())
    .where(Round.project_id == _PROJECT, Round.state == RoundState.OPEN)
    .union_all(
        # A certificate that asks puts them there, or closes the round when it is decided.
        select(Round.id)
        .join(Certificate, Certificate.project_id == Round.project_id)
        .where(
            Round.project_id == _PROJECT,
            Round.state == RoundState.OPEN,
            Round.strategy == CERTIFICATE,
            Certificate.state == CertificateState.ASKING,
        )
    )
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
VOTES = Statement(
    votes().add_columns(of_group().label("of_group")).where(Annotation.example_id.in_(_EXAMPLES))
)
CLASSES = Statement(naming(_PROJECT))
SIZES = Statement(
    select(Example.id, Example.width, Example.height).where(Example.id.in_(_EXAMPLES))
)
QUERY_MEMBERS = Statement(
    select(QueryMember.query_id, QueryMember.example_id).where(
        among(QueryMember.query_id, "queries")
    )
)
_LATER_QUERY, _LATER_MEMBER = aliased(Query), aliased(QueryMember)
# Of groups, those of which a row stands in a group of another, later round.
ASKED_AGAIN = Statement(
    select(QueryMember.query_id)
    .distinct()
    .join(Query, Query.id == QueryMember.query_id)
    .join(_LATER_MEMBER, _LATER_MEMBER.example_id == QueryMember.example_id)
    .join(_LATER_QUERY, _LATER_QUERY.id == _LATER_MEMBER.query_id)
    .where(
        among(QueryMember.query_id, "queries"),
        _LATER_MEMBER.query_id > QueryMember.query_id,
        _LATER_QUERY.round_id != Query.round_id,
    )
)
NEW_IDS = Statement(
    select(func.nextval("annotations_id_seq").label("id")).select_from(
        func.generate_series(1, unseen("count")).alias("n")
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
    "note": "text",
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
MARK_GROUPS = Statement(mark_answered(of_groups=True))
MARK_MEMBERS = Statement(mark_members())
SPEND = Statement(
    text(
        "UPDATE rounds SET spent = new.spent FROM unnest(CAST(:rounds AS bigint[]), "
        "CAST(:spent AS double precision[])) AS new (id, spent) WHERE rounds.id = new.id"
    )
)
