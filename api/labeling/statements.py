"""The statements that answers are stored with. See ``api.hot`` for why they are prepared here."""

from sqlalchemy import BigInteger, Uuid, bindparam, exists, func, or_, select, text, update

from api.hot import Statement, among
from core.lifecycle import mark_answered
from core.states import RoundState
from core.tables import Annotation, Example, Member, Project, ProjectClass, Query, Round, User

_PROJECT = bindparam("project", type_=BigInteger)

# Whoever stores answers or publishes a round locks the rounds first, in order of number.
LOCK_ROUNDS = Statement(
    select(Round.id, Round.number, Round.state, Round.spent, Round.budget, Round.settings)
    .where(
        Round.project_id == _PROJECT,
        or_(
            Round.state != RoundState.CLOSED,
            Round.id.in_(select(Query.round_id).where(among(Query.id, "queries"))),
            Round.id.in_(select(Annotation.round_id).where(among(Annotation.query_id, "queries"))),
        ),
    )
    .order_by(Round.number)
    .with_for_update(key_share=True)
)
PROJECT = Statement(select(Project.state).where(Project.id == _PROJECT))
MEMBERS = Statement(
    select(User.id).where(
        among(User.id, "annotators"),
        or_(
            User.role == bindparam("admin"),
            exists().where(Member.user_id == User.id, Member.project_id == _PROJECT),
        ),
    )
)
QUERIES = Statement(
    select(Query.id, Query.round_id, Query.done, Query.example_id, Example.state)
    .join(Example, Example.id == Query.example_id)
    .where(among(Query.id, "queries"), Query.project_id == _PROJECT)
)
MORE_QUERIES = Statement(
    select(Query.id)
    .join(Round, Round.id == Query.round_id)
    .where(
        Round.project_id == _PROJECT,
        Round.state == RoundState.OPEN,
        ~Query.done,
        ~among(Query.id, "queries"),
    )
    .limit(1)
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
COUNTED = Statement(
    select(Annotation.example_id, func.max(Annotation.id).label("latest"))
    .where(
        Annotation.counted,
        Annotation.example_id.in_(select(Query.example_id).where(among(Query.id, "queries"))),
    )
    .group_by(Annotation.example_id)
)
CLASSES = Statement(select(ProjectClass.id).where(ProjectClass.project_id == _PROJECT))
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
    "class_id": "bigint",
    "seconds": "double precision",
    "cost": "double precision",
    "counted": "boolean",
    "supersedes_id": "bigint",
}
COLUMNS = tuple(_TYPES)
# One statement for any number of rows: each column is an array.
INSERT = Statement(
    text(
        f"INSERT INTO annotations ({', '.join(COLUMNS)}) SELECT * FROM unnest("
        + ", ".join(f"CAST(:{name} AS {type_}[])" for name, type_ in _TYPES.items())
        + ")"
    )
)
FINISH = Statement(
    update(Query)
    .where(or_(among(Query.id, "queries"), among(Query.example_id, "examples")), ~Query.done)
    .values(done=True)
)
MARK_ANSWERED = Statement(mark_answered())
SPEND = Statement(
    text(
        "UPDATE rounds SET spent = new.spent FROM unnest(CAST(:rounds AS bigint[]), "
        "CAST(:spent AS double precision[])) AS new (id, spent) WHERE rounds.id = new.id"
    )
)
