"""No request reads more of a large pool than it answers: what PostgreSQL does for each."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.database.pipelined_sql import Statement
from api.examples import words
from api.labeling import lease_statements as leases
from api.labeling import statements as sql
from core.jobs.messages import RunJob
from core.rounds import close
from core.settings import Settings
from core.states import JobState, ProjectState, Role
from core.tables import Project, Round
from tests.explain import explain, statements
from tests.pools import fill
from tests.world import Caller, World
from workers.advance.advance import Advance
from workers.advance.handler import PHASES, failed
from workers.advance.publish import publish
from workers.execution.runner import run_job
from workers.jobs.context import JobContext

N = 150_000
QUEUE = 50_000
BATCH = 16


@pytest.fixture
def connection(installation: Settings) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(installation.libpq_url, autocommit=True) as found:
        yield found


def _large(world: World, connection: psycopg.Connection[Any], queue: int) -> tuple[Project, Caller]:
    project = world.project(state=ProjectState.RUNNING, model={"name": "cnn_tiny"})
    annotator = world.caller(Role.ANNOTATOR, project)
    round_ = world.open_round(project, 0)
    fill(connection, project.id, N, round_.id, queue=queue, annotator=annotator.user.id)
    return project, annotator


def _values(connection: psycopg.Connection[Any], project: Project, user: int) -> dict[str, Any]:
    """Those of a lease and of the answers to it, in the middle of the queue."""
    rows = connection.execute(
        "SELECT id, round_id, example_id FROM queries WHERE NOT done ORDER BY rank LIMIT %s",
        (BATCH,),
    ).fetchall()
    now = datetime.now(UTC)
    tab, token = uuid.uuid4(), uuid.uuid4()
    given: dict[str, Any] = {
        "project": project.id,
        "user": user,
        "annotators": [user],
        "admin": "admin",
        "tab": tab,
        "token": token,
        "now": now,
        "until": now,
        "kept": [rows[0][0]],
        "kept_until": now + timedelta(hours=1),
        "open": [tab, uuid.uuid4()],
        "settled": now + timedelta(minutes=9),
        "longest": timedelta(minutes=11),
        "expires": now + timedelta(minutes=10),
        "fields": ["camera"],
        "shifted": 0.1,
        "suggests": True,
        "round": rows[0][1],
        "queries": [row[0] for row in rows],
        "examples": [row[2] for row in rows],
        "keys": [uuid.uuid4() for _ in rows],
        "count": len(rows),
        "answered": [row[2] for row in rows],
        "states": ["ood"] * len(rows),
        "labels": [None] * len(rows),
        "disputes": [False] * len(rows),
        "rounds": [rows[0][1]],
        "spent": [1.0],
    }
    return given


LEASING = {
    "the caller's": leases.MINE,
    "held": leases.HELD,
    "free": leases.free(BATCH, 1),
    "free, many": leases.free(200, 1),
    "free, several annotators": leases.free(BATCH, 2),
    "free, alike": leases.free(BATCH, 1, 4 * BATCH),
    "unfinished rounds": sql.UNFINISHED,
    "members": sql.MEMBERS,
    "given back": leases.RELEASE,
    "given back later": leases.RELEASE_LATER,
    "kept": leases.KEEP,
    "of closed clients": leases.RELEASE_CLOSED,
    "of all other clients": leases.RELEASE_ELSEWHERE,
    "held elsewhere": leases.HELD_ELSEWHERE,
}
ANSWERING = {
    "rounds, locked": sql.LOCK_ROUNDS,
    "examples, locked": sql.LOCK_EXAMPLES,
    "rounds": sql.ROUNDS,
    "queries": sql.QUERIES,
    "whether any is left": sql.MORE_QUERIES,
    "stored before": sql.STORED,
    "votes": sql.VOTES,
    "finished": sql.FINISH,
    "states": sql.MARK_ANSWERED,
    "spent": sql.SPEND,
}


def test_leasing_and_answering_read_what_they_hand_out(
    world: World, connection: psycopg.Connection[Any]
) -> None:
    project, annotator = _large(world, connection, QUEUE)
    colleague = world.caller(Role.ANNOTATOR, project)
    connection.execute(
        "INSERT INTO predictions (example_id, model, project_id, import_id, proposals) "
        "SELECT example_id, 'm', project_id, 1, '[]' FROM queries"
    )
    connection.execute("VACUUM ANALYZE predictions")
    values = _values(connection, project, annotator.user.id)
    hot: dict[str, Statement] = {**LEASING, **ANSWERING}
    _check(connection, hot, values)
    # As it is later: what is answered says who had leased it, and colleagues hold some of the rest.
    lease = (
        "UPDATE queries SET lease_holder = %s, lease_client = gen_random_uuid(), "
        "lease_expires_at = now() + interval '5 minutes' WHERE id IN "
    )
    connection.execute(lease + "(SELECT id FROM queries WHERE done)", (annotator.user.id,))
    connection.execute(
        lease + "(SELECT id FROM queries WHERE NOT done ORDER BY rank OFFSET 200 LIMIT 100)",
        (colleague.user.id,),
    )
    connection.execute("VACUUM ANALYZE queries")
    _check(connection, hot, values)


def _check(
    connection: psycopg.Connection[Any], hot: dict[str, Statement], values: dict[str, Any]
) -> None:
    for name, statement in hot.items():
        for generic in (False, True):
            # Each lease reads its queries twice, to find and to change them, and their examples.
            most = 3 * 200 if "many" in name else 12 * BATCH
            plan = explain(
                connection,
                statement.sql.decode(),
                {**statement.constants, **values},
                generic=generic,
            )
            plan.check(most)


def test_pages_of_the_pool_read_a_page(
    world: World, connection: psycopg.Connection[Any], http: TestClient
) -> None:
    project, _ = _large(world, connection, QUEUE)
    admin = world.caller()
    views: list[dict[str, Any]] = [
        {},
        {"split": "all"},
        {"state": "unlabeled"},
        {"state": "ood"},
        {"cursor": N // 2},
        {"state": "queried", "cursor": N // 3},
    ]
    for view in views:
        with statements() as sent:
            url = f"/api/projects/{project.id}/examples"
            found = http.get(url, params={**view, "limit": 100}, headers=admin.headers)
        assert len(found.json()["items"]) == 100, found.text
        pages = [one for one in sent if "FROM examples" in one[0]]
        assert pages
        for statement, given in pages:
            explain(connection, statement, given).check(400)


TEXTS = 100_000
# Numbers stand apart, as in tickets, so that each word has the frequency that is said.
_TEXTS = """
    INSERT INTO example_texts (example_id, content)
    SELECT id, 'ticket ' || pool_index || ' of everybody'
        || CASE WHEN pool_index % 100 = 50 THEN ' seldom' ELSE '' END
        || CASE WHEN pool_index % 30000 = 29999 THEN ' rarely' ELSE '' END
        || repeat(' and more words to read', 5)
    FROM examples WHERE project_id = %(project)s
"""


def test_a_search_for_words_reads_what_has_them_or_a_page(
    world: World, connection: psycopg.Connection[Any], http: TestClient
) -> None:
    project, admin = world.texts((), state=ProjectState.RUNNING), world.caller()
    round_ = world.open_round(project, 0)
    fill(connection, project.id, TEXTS, round_.id, queue=QUEUE, annotator=admin.user.id)
    connection.execute(_TEXTS.encode().replace(b"% ", b"%% "), {"project": project.id})
    connection.execute("VACUUM ANALYZE example_texts")
    url = f"/api/projects/{project.id}/examples"
    seldom, rarely = TEXTS // 100, 3
    # So many are looked up to see whether there are more.
    few = words.FEW + 1
    asked: tuple[tuple[str, dict[str, Any], int, int], ...] = (
        ("everybody", {}, 100, few),
        ("everybody", {"cursor": TEXTS // 2, "state": "unlabeled"}, 100, few),
        ("seldom", {}, 100, 4 * seldom),
        ("seldom more", {"cursor": seldom - 20}, 20, 4 * seldom),
        ("rarely", {}, rarely, 20),
        ("rarely everybody", {"split": "all"}, rarely, 20),
        ("never", {}, 0, 20),
    )
    for search, view, found, most in asked:
        with statements() as sent:
            page = http.get(
                url, params={"search": search, "limit": 100, **view}, headers=admin.headers
            ).json()
        assert len(page["items"]) == found, (search, page)
        looked = [one for one in sent if "FROM example" in one[0] and "max(" not in one[0]]
        assert looked
        for statement, given in looked:
            explain(connection, statement, given).check(most)
    counted = http.get(f"{url}/count", params={"search": "rarely"}, headers=admin.headers).json()
    assert counted == {"count": rarely, "exact": True}


def test_projects_are_counted_without_what_nobody_has_looked_at(
    world: World, connection: psycopg.Connection[Any], http: TestClient
) -> None:
    project, _ = _large(world, connection, 400)
    other = world.project(state=ProjectState.RUNNING, model={"name": "cnn_tiny"})
    admin = world.caller()
    states = connection.execute(
        "SELECT split, state, count(*) FROM examples WHERE project_id = %s GROUP BY 1, 2",
        (project.id,),
    ).fetchall()
    known = {(split, state): count for split, state, count in states}
    answered = sum(known.values()) - known["pool", "unlabeled"]
    for url in ("", f"/{project.id}", f"/{other.id}/comparable"):
        with statements() as sent:
            http.get(f"/api/projects{url}", headers=admin.headers).raise_for_status()
        looked = [one for one in sent if "FROM examples" in one[0]]
        # The pictures of a list begin where its pool ends, too.
        counts = [statement for statement, _ in looked if "generate_series" not in statement]
        assert sum("max(examples.pool_index)" in statement for statement in counts) == 1
        # Beside the counts, what may sit both in the pool and among what is evaluated on.
        for one in looked:
            explain(connection, *one).check(2 * answered)
    shown = http.get(f"/api/projects/{project.id}", headers=admin.headers).json()["counts"]
    assert shown["unlabeled"] == known["pool", "unlabeled"]
    assert shown["pool"] == sum(count for (split, _), count in known.items() if split == "pool")
    # In which of the labeled ones nothing is, an index tells that has no others.
    connection.execute(
        'UPDATE examples SET state = \'labeled\', label = \'{"type": "boxes", "boxes": []}\' '
        "WHERE project_id = %s AND state = 'ood'",
        (project.id,),
    )
    with statements() as sent:
        shown = http.get(f"/api/projects/{project.id}", headers=admin.headers).json()["counts"]
    assert shown["no_objects"] == shown["labeled_in"] == known["pool", "ood"]
    (counted,) = (one for one in sent if "no_objects" in one[0])
    plan = explain(connection, *counted)
    assert "ix_examples_no_objects" in [node.get("Index Name") for node in plan.nodes]


def test_handing_out_disagreements_reads_what_is_handed_out(
    world: World, connection: psycopg.Connection[Any], http: TestClient
) -> None:
    project, _ = _large(world, connection, QUEUE)
    given = {"project": project.id, "class": world.classes(project)[0].id}
    connection.execute(
        "INSERT INTO annotations (project_id, example_id, source, source_name, client_key, "
        "verdict, label, seconds, cost, counted) SELECT project_id, id, 'import', 'label', "
        "gen_random_uuid(), 'label', jsonb_build_object('type', 'classification', 'class_id', "
        "%(class)s::bigint), 0, 0, true FROM examples "
        "WHERE project_id = %(project)s AND state = 'ood'",
        given,
    )
    connection.execute("UPDATE examples SET disputed = true WHERE state = 'ood'")
    connection.execute("VACUUM ANALYZE examples, annotations")
    url = f"/api/projects/{project.id}/reviews/disagreements/lease"
    # The first page counts them up to a thousand, and a look at each takes some rows.
    shown = 1000
    for role in (Role.ENGINEER, Role.ANNOTATOR):
        caller = world.caller(role, project)
        with statements() as sent:
            found = http.post(url, json={"n": BATCH}, headers=caller.headers).json()
        assert len(found["items"]) == BATCH
        assert found["review"]["open"] == QUEUE // 2
        # How many there are is counted by looking at each.
        leasing = [
            one
            for one in sent
            if "count(" not in one[0] and ("examples" in one[0] or "annotations" in one[0])
        ]
        # The images, what is said of them, notes beside that, and what is shown of them.
        assert len(leasing) == 4
        for statement, values in leasing:
            explain(connection, statement, values).check(12 * BATCH)
        with statements() as sent:
            home = http.get("/api/home", headers=caller.headers).json()
        assert home["projects"][0]["disagreements"] == shown
        counting = [one for one in sent if "disputed" in one[0]]
        assert len(counting) == 1
        for generic in (False, True):
            explain(connection, *counting[0], generic=generic).check(6 * shown)


def test_publishing_a_batch_reads_the_batch(
    world: World, connection: psycopg.Connection[Any]
) -> None:
    project, _ = _large(world, connection, 400)
    # As long as the pool, and empty on the disk: nothing of it is read.
    side = project.settings["input_size"]
    pixels = world.storage.pixels(project.id, side, "crop")
    pixels.parent.mkdir(parents=True, exist_ok=True)
    with pixels.open("wb") as file:
        file.truncate(N * side * side * 3)
    open_round = select(Round).where(Round.project_id == project.id)
    made, job = close(project, world.session.scalars(open_round).one(), None)
    world.session.add_all(made)
    world.session.commit()
    watched = _Watched()
    # All answers are OOD, so nothing is trained, and the next batch is drawn at random.
    run_job(RunJob.of(job), watched)
    world.session.expire_all()
    assert job.state is JobState.SUCCEEDED, job.error
    looked = [one for one in watched.sent if one[0].startswith(("SELECT", "UPDATE"))]
    # What is withdrawn, and where the strategy met random draws.
    assert sum(one[0].startswith("UPDATE queries") for one in looked) == 2
    assert sum(one[0].startswith("UPDATE examples") for one in looked) == 2
    world.session.rollback()  # its locks would stop the statements that run again
    for statement, given in looked:
        # The queue is the budget's worth and half as many again; 200 are withdrawn.
        explain(connection, statement, given).check(1_000)


class _Watched:
    """The job of a round, the statements of its last phase collected."""

    failed = staticmethod(failed)

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def run(self, context: JobContext) -> dict[str, Any]:
        advance = Advance.open(context)
        context.work.mkdir(parents=True, exist_ok=True)
        *before, publishing = PHASES
        context.run([*before, replace(publishing, run=self._publish)], advance)
        return {}

    def _publish(self, advance: Advance) -> None:
        with statements() as self.sent:
            publish(advance)
