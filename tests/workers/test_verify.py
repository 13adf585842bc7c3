"""Each promise of an installation, broken on purpose, is named with what to do about it."""

import os
import time

import pytest
from sqlalchemy import Engine, select, text

from core import settings
from core.files.storage import sha256
from core.lifecycle import claim_job, finish_job, new_job
from core.states import ArtifactKind, JobKind, JobState
from core.tables import Artifact, Example
from core.withdrawals import mark_withdrawn
from tests.security.targets import add_weights
from tests.workers.loop import Loop
from tests.world import World
from workers.verify.__main__ import CHECKS, verify
from workers.verify.check import Finding, Scope
from workers.verify.files import CHECKS as FILES

OTHERS = "ALTER TABLE annotations DROP CONSTRAINT uq_annotations_client_key; "
COPY = (
    "INSERT INTO annotations (project_id, example_id, query_id, round_id, annotator_id, "
    "client_key, verdict, label, seconds, cost, counted, supersedes_id) SELECT project_id, "
    "example_id, query_id, round_id, annotator_id, {key}, verdict, label, seconds, {cost}, "
    "{counted}, {supersedes} FROM annotations WHERE id = (SELECT min(id) FROM annotations "
    "WHERE verdict = 'label')"
)
NEW = "gen_random_uuid()"

BROKEN = [
    ("schema", "UPDATE alembic_version SET version_num = '0001'"),
    (
        "answers_once",
        OTHERS + COPY.format(key="client_key", cost=0, counted="false", supersedes="NULL"),
    ),
    (
        "answer_heads",
        "DROP INDEX uq_annotations_supersedes; "
        + "; ".join(
            COPY.format(key=NEW, cost=0, counted=counted, supersedes="id")
            for counted in ("true", "false")
        ),
    ),
    (
        "answer_heads",
        "UPDATE annotations SET supersedes_id = (SELECT max(id) FROM annotations) "
        "WHERE id = (SELECT min(id) FROM annotations)",
    ),
    (
        "answer_owners",
        "UPDATE annotations SET query_id = (SELECT max(id) FROM queries) "
        "WHERE id = (SELECT min(id) FROM annotations)",
    ),
    ("answers_wanted", COPY.format(key=NEW, cost=0, counted="true", supersedes="NULL")),
    ("image_states", "UPDATE examples SET state = 'unlabeled' WHERE state = 'ood'"),
    ("image_states", "UPDATE examples SET label = NULL WHERE state = 'labeled'"),
    ("image_states", "UPDATE queries SET done = true"),
    ("image_states", "UPDATE examples SET disputed = true WHERE state = 'ood'"),
    ("round_numbers", "UPDATE rounds SET spent = spent + 1 WHERE number = 0"),
    ("round_numbers", "DELETE FROM queries WHERE NOT done"),
    ("round_order", "UPDATE rounds SET number = 7"),
    ("rounds_go_on", "UPDATE rounds SET state = 'closing' WHERE state = 'open'"),
    (
        "leases_end",
        "UPDATE queries SET lease_holder = (SELECT min(id) FROM users), "
        "lease_expires_at = now() + interval '1 year' WHERE NOT done",
    ),
    (
        "leases_end",
        "UPDATE queries SET lease_holder = (SELECT min(id) FROM users) WHERE NOT done",
    ),
    ("job_states", "UPDATE jobs SET state = 'failed'"),
    ("job_states", "UPDATE jobs SET finished_at = NULL"),
    (
        "jobs_alive",
        "UPDATE jobs SET state = 'running', finished_at = NULL, "
        "heartbeat_at = now() - interval '1 hour'",
    ),
    ("webhooks_told", "UPDATE webhook_events SET at = now() - interval '1 hour'"),
    ("artifacts", "UPDATE artifacts SET sha256 = repeat('0', 64)"),
    ("artifacts", "UPDATE artifacts SET bytes = bytes + 1"),
    ("weights", "UPDATE weights SET sha256 = repeat('0', 64)"),
    ("weights", "UPDATE weights SET storage_key = 'weights/gone'"),
    ("images", "UPDATE examples SET content_hash = sha256('nothing') WHERE pool_index = 3"),
    ("pixels", "UPDATE examples SET pool_index = 1000 WHERE pool_index = 3"),
]


@pytest.fixture
def loop(world: World) -> Loop:
    """A project with answers, a job that has ended and a file of its."""
    loop = Loop(world)
    loop.answer(0, 8)
    job = new_job(JobKind.PRUNE, project_id=loop.project.id, params={})
    world.session.add(job)
    world.session.flush()
    claim_job(job, "worker:1")
    finish_job(job, JobState.SUCCEEDED)
    world.session.flush()
    key = f"projects/{loop.project.id}/subset.parquet"
    world.storage.artifact(key).write_bytes(b"kept")
    world.session.add(
        Artifact(
            project_id=loop.project.id,
            job_id=job.id,
            kind=ArtifactKind.SUBSET,
            storage_key=key,
            sha256=sha256(world.storage.artifact(key)),
            bytes=4,
        )
    )
    file = world.storage.artifact("weights/a/b.safetensors")
    file.parent.mkdir(parents=True)
    file.write_bytes(b"some")
    add_weights(world, storage_key="weights/a/b.safetensors", sha256=sha256(file), bytes=4)
    # As the product sets the classes, which the loop leaves out.
    world.session.execute(
        text("UPDATE examples e SET label = a.label FROM annotations a WHERE a.example_id = e.id")
    )
    world.session.commit()
    return loop


def findings(engine: Engine, *, running: bool = True) -> dict[str, Finding]:
    found = verify(engine, settings.settings(), running=running)
    return {finding.name: finding for finding in found}


@pytest.mark.usefixtures("loop")
def test_nothing_is_wrong_with_a_project_at_work(engine: Engine) -> None:
    found = findings(engine)
    assert found.keys() == {"schema", *(check.name for check in CHECKS)}
    assert {name: one for name, one in found.items() if one.level != "ok"} == {}


@pytest.mark.usefixtures("loop")
def test_held_out_images_are_no_fault(engine: Engine) -> None:
    with engine.begin() as connection:
        statement = (
            "UPDATE examples SET state = 'held_out' WHERE state = 'unlabeled' AND split = 'pool'"
        )
        assert connection.execute(text(statement)).rowcount > 0
    assert findings(engine)["image_states"].level == "ok"


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize(("name", "statements"), BROKEN)
def test_what_is_broken_is_named_with_a_remedy(engine: Engine, name: str, statements: str) -> None:
    with engine.begin() as connection:
        for statement in statements.split("; "):
            connection.execute(text(statement))
    finding = findings(engine)[name]
    assert finding.level == "problem"
    assert finding.count >= len(finding.objects) > 0
    assert finding.remedy


@pytest.mark.usefixtures("loop")
def test_a_job_without_a_worker_is_no_fault_where_nothing_runs(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(
            text(
                "UPDATE jobs SET state = 'running', finished_at = NULL, "
                "heartbeat_at = now() - interval '1 hour'"
            )
        )
    assert findings(engine, running=False)["jobs_alive"].level == "ok"


def test_a_decision_without_an_answer_is_named(loop: Loop, engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO suggestions (project_id, job_id, example_id, rank, confidence, "
                "decision) SELECT e.project_id, j.id, e.id, 0, 1, 'keep' "
                "FROM examples e JOIN jobs j USING (project_id) "
                "WHERE e.project_id = :project LIMIT 1"
            ),
            {"project": loop.project.id},
        )
    assert findings(engine)["review_decisions"].objects == ["suggestion 1"]


def test_files_that_are_gone_changed_or_nobody_s(loop: Loop, engine: Engine, world: World) -> None:
    storage, project = world.storage, loop.project.id
    storage.artifact(f"projects/{project}/subset.parquet").write_bytes(b"lost")
    image = next((storage.root / "images").rglob("*/*"))
    image.rename(image.with_name("0" * 64))
    os.truncate(storage.pixels(project, 8, "crop"), 100)
    strays = [
        storage.root / "images" / image.parent.name / ("0" * 64),
        storage.project(project) / "rounds" / "left.parquet",
        storage.root / "uploads" / "forgotten",
        storage.root / "work" / "4711",
        storage.root / "projects" / "4711",
    ]
    for path in strays:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name == "4711":
            path.mkdir()
        elif not path.exists():
            path.write_bytes(b"")
        os.utime(path, (time.time() - 7200,) * 2)
    found = findings(engine)
    assert "another sha256" in found["artifacts"].objects[0]
    assert image.name in found["images"].objects[0]
    assert found["images"].count == 1
    assert found["pixels"].level == "problem"
    assert found["stray_files"].level == "note"
    assert found["stray_files"].count == len(strays)
    assert set(found["stray_files"].objects) == {
        str(path.relative_to(storage.root)) for path in strays
    }
    assert all(path.exists() for path in strays)


@pytest.mark.usefixtures("loop")
def test_what_is_withdrawn_meanwhile_is_not_missed(engine: Engine, world: World) -> None:
    storage, seen = world.storage, engine.execution_options(isolation_level="REPEATABLE READ")
    example = world.session.scalars(select(Example).limit(1)).one()
    subset = world.session.scalars(select(Artifact).where(Artifact.kind == "subset")).one()
    with seen.begin() as connection:
        scope = Scope(connection, storage, settings.settings(), running=True)
        connection.execute(select(Artifact.id)).all()
        storage.image(example.content_hash).unlink()
        storage.artifact(subset.storage_key).unlink()
        world.session.execute(mark_withdrawn([example.id]))
        subset.storage_key = f"{subset.storage_key}.w"
        world.session.commit()
        found = {one.name: list(one.find(scope)) for one in FILES}
    assert (found["images"], found["artifacts"]) == ([], [])
