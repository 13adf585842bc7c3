"""Deleting deletes: after the commit and never before, and never what somebody else holds."""

import os
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given
from hypothesis import settings as examples_of
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select, text, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from core import settings
from core.database.engines import sync_sessions
from core.files import storage
from core.files.storage import Storage, flush
from core.jobs.imports import Answer
from core.jobs.params import LookUpParams
from core.lifecycle import finish_job, new_job
from core.media.images.thumbnails import make
from core.states import JobKind, JobState, Split
from core.tables import DRY_RUN, Example, ExampleText, Job, Project, Removal, RemovalItem
from karat.local.backup import back_up
from karat.local.installation import Installation
from tests.s3 import Bucket
from tests.workers.import_files import Pool, encoded, picture, png, zipped
from tests.workers.killing import die, killed
from tests.world import World
from workers.celery_tasks import remove_files as task
from workers.cleanup import removals, strays
from workers.imports.media import open_medium
from workers.imports.media.base import Addition
from workers.imports.media.decode import Decoded
from workers.imports.placing import Place
from workers.imports.pool import PoolWriter
from workers.jobs import context

SHARED, OWN = range(4), range(4, 9)


@pytest.fixture(autouse=True)
def _uploads_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "_looked", float("-inf"))


def delete(http: TestClient, world: World, project_id: int) -> int:
    world.session.commit()
    headers = world.caller().headers
    return http.delete(f"/api/projects/{project_id}", headers=headers).status_code


def pool_of(world: World, seeds: range) -> Pool:
    """A project with images, some of them shown, an upload that failed and what it had done."""
    pool = Pool(world.session, world.storage, world.project())
    pool.zip({f"{seed}.png": png(seed) for seed in seeds})
    for seed in seeds:
        digest = sha256(png(seed)).digest()
        for size in (64, 512):
            make(world.storage, digest, size, png(seed))
    failed = pool.add(b"no archive")
    assert failed.state is JobState.FAILED
    world.storage.work(failed.id).mkdir(parents=True, exist_ok=True)
    (world.storage.work(failed.id) / "report.csv").write_text("begun")
    return pool


def files(storage: Storage) -> set[str]:
    return {str(one.relative_to(storage.root)) for one in storage.root.rglob("*") if one.is_file()}


def age(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        os.utime(path, (time.time() - 7200,) * 2)


def run_task() -> None:
    task.remove_files({})


def test_a_deleted_project_leaves_nothing_that_only_it_had(http: TestClient, world: World) -> None:
    pool = pool_of(world, range(9))
    other = pool_of(world, SHARED)
    alone = {one for one in files(world.storage) if any(is_of(one, seed) for seed in OWN)}
    assert len(alone) == 3 * len(OWN)
    mine = {one for one in files(world.storage) if f"projects/{pool.project_id}/" in one}
    assert any(one.endswith("pixels.u8") for one in mine)
    kept = {one for one in files(world.storage) if any(is_of(one, seed) for seed in SHARED)}
    uploads = [str(path.name) for path in (world.storage.root / "uploads").iterdir()]
    assert len(uploads) == 2

    assert delete(http, world, pool.project_id) == 204
    run_task()

    left = files(world.storage)
    assert not left & (alone | mine)
    assert kept <= left
    world.session.expire_all()
    jobs = world.session.scalars(select(Job)).all()
    assert {job.project_id for job in jobs} == {other.project_id}
    waiting = {f"uploads/{job.params['upload']}" for job in jobs if job.state is JobState.FAILED}
    assert {one for one in left if one.startswith("uploads/")} == waiting
    assert {one.partition("/")[2].partition("/")[0] for one in left if one.startswith("work/")} == {
        str(job.id) for job in jobs if job.state is JobState.FAILED
    }

    found = http.get("/api/admin/storage", headers=world.caller().headers).json()
    (removal,) = found["removals"]
    assert (removal["project_id"], removal["images"]) == (pool.project_id, 9)
    assert removal["image_bytes"] == sum(len(png(seed)) for seed in range(9))
    # At least: logs of jobs, the pixels and the report are among them.
    assert removal["freed_files"] >= len(alone) + len(mine) + 2
    assert removal["freed_bytes"] > 0
    assert removal["finished_at"] is not None


def test_texts_belong_to_their_project_and_go_with_it(
    http: TestClient, world: World, engine: Engine, installation: settings.Settings
) -> None:
    pool = Pool(world.session, world.storage, world.texts([]))
    pool.add(b'{"text": "one"}\n{"text": "two"}\n', "texts.jsonl")
    assert pool.stored() == ["one", "two"]
    age(world.storage.root)
    *named, _ = strays.examine(engine, installation, remove=False)
    assert named == []
    assert delete(http, world, pool.project_id) == 204
    run_task()
    assert files(world.storage) == set()
    assert world.session.scalar(select(func.count()).select_from(ExampleText)) == 0
    found = http.get("/api/admin/storage", headers=world.caller().headers).json()
    (removal,) = found["removals"]
    assert (removal["images"], removal["image_bytes"]) == (0, 0)


def is_of(file: str, seed: int) -> bool:
    return sha256(png(seed)).hexdigest() in file


def test_what_was_being_made_meanwhile_goes_the_second_time(http: TestClient, world: World) -> None:
    pool = pool_of(world, OWN)
    assert delete(http, world, pool.project_id) == 204
    run_task()
    # By a request that had begun before.
    digest = sha256(png(OWN[0])).digest()
    late = make(world.storage, digest, 64, png(OWN[0]))
    run_task()
    assert late.exists()
    world.session.execute(
        update(RemovalItem).values(removed_at=datetime.now(UTC) - timedelta(minutes=16))
    )
    world.session.commit()
    run_task()
    assert not late.exists()
    assert world.session.scalar(select(func.count()).select_from(RemovalItem)) == 0
    assert world.session.scalar(select(Removal.finished_at)) is not None


def test_a_delete_whose_commit_fails_leaves_everything(http: TestClient, world: World) -> None:
    pool = pool_of(world, OWN)
    world.session.execute(
        text(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$"
        )
    )
    world.session.execute(
        text(
            "CREATE CONSTRAINT TRIGGER refuse AFTER DELETE ON projects "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    )
    before = files(world.storage)
    assert delete(http, world, pool.project_id) == 503
    run_task()
    assert files(world.storage) == before
    assert world.session.get(Project, pool.project_id) is not None


def remove_until(countdown: int) -> None:
    """Run the task as a worker does, and die when the n-th file is about to go."""
    original = storage._unlink

    def deadly(path: Path) -> storage.Freed:
        nonlocal countdown
        if path.exists():
            countdown -= 1
            if countdown == 0:
                die()
        return original(path)

    storage._unlink = deadly
    task.remove_files({})


@pytest.mark.parametrize("countdown", [1, 4, 12])
def test_removing_that_is_killed_goes_on(http: TestClient, world: World, countdown: int) -> None:
    pool = pool_of(world, OWN)
    assert delete(http, world, pool.project_id) == 204
    assert killed(remove_until, countdown)
    assert files(world.storage)
    run_task()
    assert files(world.storage) == set()
    assert world.session.scalar(select(Removal.finished_at)) is not None


def addition(seed: int) -> Addition:
    image = picture(seed)
    content = encoded(image)
    pixels = Decoded(
        pixels=np.asarray(image.resize((8, 8))),
        width=image.width,
        height=image.height,
        media_type="image/png",
        as_is=True,
    )
    return Addition(f"{seed}.png", Place(Split.POOL, None, {}), content, _digest(content), pixels)


def _digest(content: bytes) -> bytes:
    return sha256(content).digest()


class Interleaved:
    """An import's steps, with removing between any two of them."""

    def __init__(self, engine: Engine, storage: Storage, project_id: int) -> None:
        self.factory = sync_sessions(engine)
        self.storage = storage
        self.threads = ThreadPoolExecutor(2)
        given = settings.settings()
        medium = open_medium(self.factory, storage, given, project_id, self.threads)
        self.writer = PoolWriter(self.factory, project_id, medium)
        self.additions = [addition(seed) for seed in range(3)]
        self.refused = 0

    def remove(self) -> None:
        try:
            with self.factory.begin() as session:
                digests = [one.digest for one in self.additions]
                removals.remove_images(session, self.storage, digests, patience="200ms")
        except OperationalError:
            self.refused += 1

    def run(self, moments: set[int]) -> None:
        def perhaps(moment: int) -> None:
            if moment in moments:
                self.remove()

        perhaps(0)
        with self.threads:
            self.writer.write_files(self.additions)
        perhaps(1)
        with self.factory.begin() as session:
            perhaps(2)
            self.writer.add_rows(session, self.additions, 1)
            perhaps(3)
        self.writer.advance(len(self.additions))
        perhaps(4)
        self.writer.medium.close()


@given(st.sets(st.integers(0, 4)), st.booleans())
@examples_of(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_an_import_of_the_same_content_loses_nothing(
    world: World, engine: Engine, moments: set[int], there: bool
) -> None:
    """Whenever the files of another project go that held the same."""
    project = world.project()
    task_ = Interleaved(engine, world.storage, project.id)
    for one in task_.additions:
        if there:
            world.storage.put_image(one.digest, one.content)
    task_.run(moments)
    for one in task_.additions:
        assert world.storage.image(one.digest).read_bytes() == one.content
    # Only while rows are being added is there any waiting.
    assert task_.refused == (3 in moments)
    world.session.execute(text("DELETE FROM examples"))
    world.session.commit()
    with task_.factory.begin() as session:
        removals.remove_images(session, world.storage, [one.digest for one in task_.additions])
    assert not any(world.storage.image(one.digest).exists() for one in task_.additions)


def test_uploads_stay_while_a_retry_could_use_them(http: TestClient, world: World) -> None:
    pool = pool_of(world, OWN)
    (failed,) = world.session.scalars(select(Job).where(Job.state == JobState.FAILED)).all()
    upload = world.storage.upload(failed.params["upload"])
    lost = world.storage.upload("nobody.zip")
    lost.write_bytes(b"the API died before the job was there")
    waiting = pool.queue(zipped([("x.png", png(99))]))
    for path in (upload, lost, world.storage.upload(waiting.params["upload"])):
        os.utime(path, (time.time() - 2 * 86_400,) * 2)
    run_task()
    assert upload.exists()
    assert not lost.exists()
    assert world.storage.upload(waiting.params["upload"]).exists()

    failed.finished_at = datetime.now(UTC) - timedelta(days=settings.settings().upload_days + 1)
    world.session.commit()
    task._looked = float("-inf")
    run_task()
    assert not upload.exists()
    assert not world.storage.work(failed.id).exists()
    assert world.storage.upload(waiting.params["upload"]).exists()
    # A retry says so.
    headers = world.caller().headers
    assert http.post(f"/api/jobs/{failed.id}/retry", headers=headers).status_code == 200
    finish_job(waiting, JobState.CANCELLED)
    world.session.commit()
    again = pool.run(failed)
    assert again.error is not None
    assert again.error["code"] == "upload_missing"


def planned(pool: Pool, answer: Answer | None = None) -> tuple[Job, Path]:
    """A plan, and its upload, which is two days old."""
    plan = pool.add(zipped([("x.png", png(99))]), dry_run=True)
    assert plan.state is JobState.SUCCEEDED
    if answer is not None:
        plan.params = {**plan.params, "answer": answer.value}
    pool.session.commit()
    upload = pool.storage.upload(plan.params["upload"])
    os.utime(upload, (time.time() - 2 * 86_400,) * 2)
    return plan, upload


def started(pool: Pool, plan: Job, **params: object) -> Job:
    """What is started from a plan: it has the plan's upload."""
    given = {name: value for name, value in plan.params.items() if name not in ("answer", DRY_RUN)}
    job = new_job(
        JobKind.IMPORT_POOL,
        project_id=pool.project_id,
        params={**given, "plan": plan.id, **params},
    )
    pool.session.add(job)
    plan.params = {**plan.params, "answer": Answer.STARTED.value}
    pool.session.commit()
    return job


def test_an_upload_stays_while_one_of_its_imports_needs_it(world: World) -> None:
    pool = Pool(world.session, world.storage, world.project())
    plan, upload = planned(pool)
    job = started(pool, plan)
    run_task()
    assert upload.exists()
    # It has failed: a retry needs it for as long as any other.
    job.state, job.finished_at = JobState.FAILED, datetime.now(UTC) - timedelta(days=6)
    world.session.commit()
    task._looked = float("-inf")
    run_task()
    assert upload.exists()
    job.state = JobState.QUEUED
    world.session.commit()
    assert pool.run(job).state is JobState.SUCCEEDED
    assert not upload.exists()


def test_an_upload_stays_for_a_plan_that_was_made_anew(world: World) -> None:
    pool = Pool(world.session, world.storage, world.project())
    first, upload = planned(pool)
    again = started(pool, first, dry_run=True)
    assert pool.run(again).state is JobState.SUCCEEDED
    run_task()
    assert upload.exists()
    job = started(pool, again)
    job.state, job.finished_at = JobState.FAILED, datetime.now(UTC) - timedelta(days=8)
    world.session.commit()
    task._looked = float("-inf")
    run_task()
    assert not upload.exists()


@pytest.mark.parametrize("answer", [None, *Answer])
def test_the_upload_of_a_plan_stays_until_it_is_answered(
    world: World, answer: Answer | None
) -> None:
    """However long before the plan was ready it was sent."""
    pool = Pool(world.session, world.storage, world.project())
    _, upload = planned(pool, answer)
    run_task()
    assert upload.exists() is (answer is None)


def test_a_file_to_find_similar_ones_to_stays_until_its_search_has_ended(
    world: World, engine: Engine
) -> None:
    upload = world.storage.upload("picture")
    upload.parent.mkdir(parents=True, exist_ok=True)
    upload.write_bytes(png(99))
    os.utime(upload, (time.time() - 2 * 86_400,) * 2)
    job = new_job(
        JobKind.LOOK_UP,
        project_id=world.project().id,
        params=LookUpParams(upload=upload.name).to_json(),
    )
    world.session.add(job)
    world.session.commit()
    with engine.connect() as connection:
        assert list(strays.strays(connection, world.storage)) == []
    run_task()
    assert upload.exists()
    finish_job(job, JobState.CANCELLED)
    world.session.commit()
    task._looked = float("-inf")
    run_task()
    assert not upload.exists()


@pytest.mark.parametrize(
    ("state", "days", "seconds", "kept"),
    [
        (JobState.CANCELLED, 8, {"embed": 9.0}, {}),
        (JobState.FAILED, 8, {"publish": 9.0}, {"seconds": {"publish": 9.0}}),
        (JobState.FAILED, 8, {"swap": 9.0}, {"seconds": {"swap": 9.0}}),
        (JobState.FAILED, 6, {"embed": 9.0}, None),
        (JobState.RUNNING, 8, {"embed": 9.0}, None),
    ],
)
def test_unfinished_work_that_nobody_goes_on_with_goes_and_a_retry_begins_anew(
    world: World,
    caplog: pytest.LogCaptureFixture,
    state: JobState,
    days: int,
    seconds: dict[str, float],
    kept: object,
) -> None:
    job = new_job(JobKind.EMBEDDING_MAP, project_id=world.project().id, params={})
    job.state, job.checkpoint = state, {"seconds": seconds}
    job.finished_at = datetime.now(UTC) - timedelta(days=days)
    world.session.add(job)
    world.session.commit()
    work = world.storage.work(job.id)
    work.mkdir(parents=True)
    (work / "embeddings.npy").write_bytes(b"of gigabytes")
    of_no_job = world.storage.root / "work" / "sync-x"
    of_no_job.mkdir()
    for path in (work, of_no_job):
        os.utime(path, (time.time() - 9 * 86_400,) * 2)
    run_task()
    world.session.refresh(job)
    assert (of_no_job.exists(), caplog.messages) == (True, [])
    assert work.exists() is (kept is None)
    assert job.checkpoint == ({"seconds": seconds} if kept is None else kept)


def test_an_import_started_while_uploads_are_looked_at_keeps_its_upload(
    world: World, engine: Engine
) -> None:
    pool = Pool(world.session, world.storage, world.project())
    plan, upload = planned(pool)
    with ThreadPoolExecutor(1) as threads, Session(engine) as session:
        locked = session.get_one(Job, plan.id, with_for_update={"key_share": True})
        looked = threads.submit(
            removals.expire_uploads, sync_sessions(engine), world.storage, days=7.0
        )
        waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        while not world.session.scalar(waiting):
            world.session.rollback()
            time.sleep(0.01)
        project = session.get_one(Project, pool.project_id)
        started(Pool(session, world.storage, project), locked)
        looked.result()
    assert upload.exists()


def test_what_cannot_be_removed_keeps_nothing_else_waiting(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removals, "_AT_ONCE", 2)
    # To the end, however slow the machine is.
    monkeypatch.setattr(task, "_SHARE", 1000)
    pool = pool_of(world, OWN)
    lost = world.storage.upload("nobody.zip")
    lost.write_bytes(b"the API died before the job was there")
    os.utime(lost, (time.time() - 2 * 86_400,) * 2)
    assert delete(http, world, pool.project_id) == 204
    # A folder where a file was: nothing can unlink it.
    stuck = [world.storage.image(sha256(png(seed)).digest()) for seed in OWN[:2]]
    for path in stuck:
        path.unlink()
        path.mkdir()
    (removal,) = world.session.scalars(select(Removal.id))
    world.session.add(RemovalItem(removal_id=removal, path=f"uploads/{lost.name}/x"))
    world.session.commit()
    run_task()
    assert not lost.exists()
    left = {world.storage.root / one for one in files(world.storage)}
    assert not [path for path in left if not any(one.name in path.name for one in stuck)]
    world.session.expire_all()
    assert world.session.scalar(select(Removal.finished_at)) is None
    waiting = select(func.count()).where(RemovalItem.removed_at.is_(None))
    assert world.session.scalar(waiting) == len(stuck) + 1
    # Once nothing is in its way, it goes.
    for path in stuck:
        path.rmdir()
    run_task()
    assert files(world.storage) == set()
    world.session.expire_all()
    assert world.session.scalar(select(Removal.finished_at)) is not None


def test_a_backup_made_right_after_holds_none_of_it(
    http: TestClient, world: World, installation: settings.Settings, tmp_path: Path
) -> None:
    pool, other = pool_of(world, range(9)), pool_of(world, SHARED)
    assert delete(http, world, pool.project_id) == 204
    back_up(
        Installation(installation.data_dir, installation.database_url, running=True),
        tmp_path / "karat.tar",
    )
    with tarfile.open(tmp_path / "karat.tar") as archive:
        names = archive.getnames()
    assert not [one for one in names if any(is_of(one, seed) for seed in OWN)]
    assert not [one for one in names if f"projects/{pool.project_id}/" in one]
    kept = [one for one in names if one.startswith("storage/images/")]
    assert len(kept) == len(SHARED)
    assert any(f"projects/{other.project_id}/pixels.u8" in one for one in names)
    # The other's upload, whose import can be retried.
    assert len([one for one in names if one.startswith("storage/uploads/")]) == 1


@pytest.fixture
def in_bucket(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    monkeypatch.setenv("KARAT_STORAGE_URL", f"{bucket.url}/karat")
    settings.settings.cache_clear()
    return bucket


@pytest.mark.parametrize("free", ["task", "orphans"])
def test_originals_in_the_installation_s_bucket_go_too(
    in_bucket: Bucket, world: World, engine: Engine, free: str, request: pytest.FixtureRequest
) -> None:
    storage = Storage.of(settings.settings())
    pools = [Pool(world.session, storage, world.project()) for _ in range(2)]
    for pool, seeds in zip(pools, (range(9), SHARED), strict=True):
        assert pool.zip({f"{seed}.png": png(seed) for seed in seeds})["added"] == len(seeds)
    http: TestClient = request.getfixturevalue("http")
    assert delete(http, world, pools[0].project_id) == 204
    age(storage.root)
    act: dict[str, Callable[[], object]] = {
        "task": run_task,
        "orphans": lambda: list(strays.examine(engine, settings.settings(), remove=True)),
    }
    act[free]()
    found = [key for key in in_bucket.files.find(in_bucket.name) if "/images/" in key]
    assert sorted(key.rpartition("/")[2] for key in found) == sorted(
        sha256(png(seed)).hexdigest() for seed in SHARED
    )
    left = {path.stem for path in (storage.root / "renditions").rglob("*.webp")}
    assert left == {sha256(png(seed)).hexdigest() for seed in SHARED}
    projects = {
        key.partition("/projects/")[2].partition("/")[0]
        for key in in_bucket.files.find(in_bucket.name)
        if "/projects/" in key
    }
    if free == "task":
        assert projects == {str(pools[1].project_id)}
    assert world.session.scalars(select(Example.id)).first() is not None
    context.sessions().kw["bind"].dispose()


def test_what_a_bucket_keeps_stays_noted_and_all_else_goes(
    in_bucket: Bucket, world: World, request: pytest.FixtureRequest
) -> None:
    store = Storage.of(settings.settings())
    pool = Pool(world.session, store, world.project())
    pool.zip({f"{seed}.png": png(seed) for seed in range(3)})
    http: TestClient = request.getfixturevalue("http")
    assert delete(http, world, pool.project_id) == 204

    def noted() -> set[bytes | None]:
        world.session.expire_all()
        left = select(RemovalItem.content_hash).where(RemovalItem.removed_at.is_(None))
        return set(world.session.scalars(left))

    def objects() -> set[str]:
        return {key.rpartition("/")[2] for key in in_bucket.files.find(in_bucket.name)}

    kept, report = sha256(png(0)), objects() - {sha256(png(seed)).hexdigest() for seed in range(3)}
    in_bucket.keep(f"*/{kept.hexdigest()}", "karat/projects/*")
    run_task()
    assert noted() == {kept.digest(), None}
    assert objects() == {kept.hexdigest(), *report}
    in_bucket.let_go()
    run_task()
    assert (noted(), objects()) == (set(), set())
    context.sessions().kw["bind"].dispose()


def test_originals_are_on_the_disk_before_their_rows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the rows are there, nothing reads the images from the upload again."""
    seen: list[tuple[int, int | None]] = []

    def watched(directory: Path) -> None:
        flush(directory)
        rows = world.session.scalar(select(func.count()).select_from(Example))
        world.session.commit()
        seen.append((len([one for one in directory.rglob("*") if one.is_file()]), rows))

    monkeypatch.setattr("workers.imports.media.image.flush", watched)
    pool = Pool(world.session, world.storage, world.project())
    pool.zip({f"{seed}.png": png(seed) for seed in range(3)})
    assert seen == [(3, 0)]
