"""A pool follows a place: what is new is imported, what changed or vanished is said and stays."""

import gzip
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from core import settings
from core.files.storage import Storage
from core.jobs.messages import SyncBucket
from core.states import ExampleState, JobState
from core.tables import Example, Job, Sync
from tests.s3 import Bucket
from tests.workers.import_files import Pool, png
from tests.world import World
from workers.celery_tasks.remove_files import remove_files
from workers.imports.sync.compare import Followed
from workers.imports.sync.due import due_syncs
from workers.imports.sync.look import look
from workers.jobs import context


class Follower:
    """A place that a pool follows, asked for over HTTP and looked at as a worker does."""

    def __init__(self, pool: Pool, http: TestClient, headers: dict[str, str]) -> None:
        self.pool, self.http, self.headers = pool, http, headers
        self.path = f"/api/projects/{pool.project_id}/syncs"

    def call(self, method: str, path: str = "", status: int = 200, **how: Any) -> Any:
        answer = self.http.request(method, f"{self.path}{path}", headers=self.headers, **how)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def add(self, location: str, **body: Any) -> Any:
        return self.call("POST", status=201, json={"location": location, **body})

    def look(self, sync_id: int, *, again: bool = False) -> Any:
        """Look now, and run the import that this begins."""
        self.call("POST", f"/{sync_id}/run", 202, json={"again": again})
        look(sync_id, context.sessions(), settings.settings())
        self.import_(sync_id)
        return next(one for one in self.call("GET")["items"] if one["id"] == sync_id)

    def import_(self, sync_id: int) -> Job | None:
        self.pool.session.expire_all()
        job_id = self.pool.session.get_one(Sync, sync_id).import_id
        job = self.pool.session.get_one(Job, job_id) if job_id else None
        return self.pool.run(job) if job and job.state is JobState.QUEUED else job

    def found(self, sync_id: int, finding: str) -> list[str]:
        items = self.call("GET", f"/{sync_id}/objects?finding={finding}")["items"]
        return [one["name"] for one in items]

    def jobs(self) -> int:
        self.pool.session.expire_all()
        return len(self.pool.session.scalars(select(Job.id)).all())


@pytest.fixture
def follower(
    bucket: Bucket, world: World, session: Session, installation: settings.Settings,
    http: TestClient,
) -> Iterator[Follower]:  # fmt: skip
    del bucket
    pool = Pool(session, Storage(Path(installation.data_dir)), world.project())
    yield Follower(pool, http, world.caller().headers)
    context.sessions().kw["bind"].dispose()


def labeled(session: Session, name: str) -> Example:
    session.expire_all()
    example = session.scalars(select(Example).where(Example.name == name)).one()
    example.state = ExampleState.LABELED
    session.commit()
    return example


def test_what_is_added_comes_what_changes_or_vanishes_is_said_and_nothing_is_lost(
    bucket: Bucket, follower: Follower
) -> None:
    bucket.put({f"day/{seed}.png": png(seed) for seed in range(3)})
    bucket.put({"day/again.png": png(0), "day/broken.png": b"no image", "other/9.png": png(9)})
    made = follower.add(f"{bucket.url}/day/")
    shown = follower.look(made["id"])
    assert (shown["objects"], shown["new"], shown["changed"], shown["gone"]) == (5, 0, 0, 0)
    assert shown["latest_import"]["state"] == "succeeded"
    pool = follower.pool
    assert [one.name for one in pool.examples()] == ["0.png", "1.png", "2.png"]
    # Looked at and no example: not read again, unless that is asked for.
    assert follower.found(made["id"], "passed") == ["again.png", "broken.png"]
    jobs = follower.jobs()
    assert follower.look(made["id"])["new"] == 0
    assert follower.jobs() == jobs

    before = labeled(pool.session, "1.png")
    hash_before, tag_before = before.content_hash, before.location_tag
    labeled(pool.session, "2.png")
    bucket.put({"day/1.png": png(11), "day/3.png": png(3), "day/broken.png": png(4)})
    bucket.remove("day/2.png")
    shown = follower.look(made["id"])
    assert (shown["changed"], shown["gone"]) == (1, 1)
    assert follower.found(made["id"], "changed") == ["1.png"]
    assert follower.found(made["id"], "gone") == ["2.png"]
    names = [one.name for one in pool.examples()]
    assert sorted(names) == ["0.png", "1.png", "2.png", "3.png", "broken.png"]
    kept = {one.name: one for one in pool.examples()}
    assert (kept["1.png"].content_hash, kept["1.png"].location_tag) == (hash_before, tag_before)
    assert {kept[name].state for name in ("1.png", "2.png")} == {ExampleState.LABELED}

    # Put back as they were, they are as if nothing had been.
    bucket.put({"day/1.png": png(1), "day/2.png": png(2)})
    shown = follower.look(made["id"])
    assert (shown["new"], shown["changed"], shown["gone"]) == (0, 0, 0)
    assert len(pool.examples()) == 5


@pytest.mark.parametrize(
    ("name", "pack"), [("metadata.csv", bytes), ("metadata.csv.gz", gzip.compress)]
)
def test_an_import_of_what_is_new_reads_folders_as_the_first_one_did(
    bucket: Bucket, follower: Follower, name: str, pack: Callable[[bytes], bytes]
) -> None:
    bucket.put({"cat/1.png": png(1), "dog/2.png": png(2)})
    table = b"file_name,camera\ncat/1.png,north\ndog/3.png,south\n"
    bucket.put({name: pack(table)})
    made = follower.add(bucket.url)
    follower.look(made["id"])
    bucket.put({"dog/3.png": png(3)})
    follower.look(made["id"])
    job = follower.import_(made["id"])
    assert job is not None
    assert job.result is not None
    # Rows of the metadata about what is there already are no finding.
    assert (job.result["total"], job.result["added"]) == (1, 1)
    last = follower.pool.examples()[-1]
    assert last.meta == {"camera": "south", "label": "dog"}


@pytest.mark.parametrize(
    ("ended", "goes_on"),
    [
        ({"state": JobState.CANCELLED}, False),
        ({"state": JobState.FAILED, "error": {"code": "internal"}}, False),
        ({"state": JobState.FAILED, "error": {"code": "location_unavailable"}}, True),
    ],
)
def test_an_import_that_was_ended_is_begun_anew_only_when_asked(
    bucket: Bucket, follower: Follower, ended: dict[str, Any], goes_on: bool
) -> None:
    bucket.put({"1.png": png(1)})
    made = follower.add(bucket.url)
    session = follower.pool.session
    sync = session.get_one(Sync, made["id"])
    look(made["id"], context.sessions(), settings.settings())
    session.expire_all()
    first = sync.import_id
    session.execute(update(Job).values(**ended))
    session.execute(update(Sync).values(due_at=sync.created_at))
    session.commit()
    look(made["id"], context.sessions(), settings.settings())
    session.expire_all()
    assert (sync.import_id != first, sync.new) == (goes_on, 1)
    assert follower.pool.examples() == []
    assert follower.look(made["id"])["latest_import"]["state"] == "succeeded"
    assert len(follower.pool.examples()) == 1


def test_a_look_that_is_asked_for_while_another_is_under_way_comes_after_it(
    bucket: Bucket, follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put({"1.png": png(1), "broken.png": b"no image"})
    made = follower.add(bucket.url, every_minutes=None)
    follower.look(made["id"])
    assert follower.found(made["id"], "passed") == ["broken.png"]
    compare = Followed.compare

    def asked_meanwhile(*given: Any) -> Any:
        found = compare(*given)
        bucket.put({"broken.png": png(2), "3.png": png(3)})
        follower.call("POST", f"/{made['id']}/run", 202, json={"again": True})
        return found

    with monkeypatch.context() as during:
        during.setattr(Followed, "compare", asked_meanwhile)
        shown = follower.look(made["id"])
    assert (shown["objects"], shown["due_at"] is None) == (2, False)
    with context.sessions().begin() as session:
        assert due_syncs(session) == [SyncBucket(sync_id=made["id"])]
    look(made["id"], context.sessions(), settings.settings())
    follower.import_(made["id"])
    names = sorted(one.name for one in follower.pool.examples())
    assert names == ["1.png", "3.png", "broken.png"]
    (shown,) = follower.call("GET")["items"]
    assert (shown["objects"], shown["due_at"], shown["looking"]) == (3, None, False)


def test_a_place_that_is_away_is_said_and_what_was_found_stays(
    bucket: Bucket, follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put({"1.png": png(1)})
    made = follower.add(bucket.url)
    assert follower.look(made["id"])["objects"] == 1
    monkeypatch.setenv("KARAT_IMPORT_LOCATIONS", "s3://another")
    settings.settings.cache_clear()
    shown = follower.look(made["id"])
    assert (shown["fault"], shown["objects"], shown["gone"]) == ("location_not_allowed", 1, 0)
    assert shown["due_at"] is not None
    assert len(follower.pool.examples()) == 1


def test_a_worker_that_cannot_look_says_so_and_looks_again_when_it_is_due(
    bucket: Bucket, follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put({f"{seed}.png": png(seed) for seed in range(3)})
    made = follower.add(bucket.url)
    # Also while a listing is compared it is seen that somebody looks.
    monkeypatch.setattr("workers.imports.sync.look._STEPS", 1)
    monkeypatch.setattr("workers.imports.sync.look._BEAT_SECONDS", 0.0)
    assert follower.look(made["id"])["objects"] == 3
    work = settings.settings().data_dir / "work"
    shutil.rmtree(work)
    work.write_bytes(b"in the way")
    shown = follower.look(made["id"])
    assert (shown["fault"], shown["objects"]) == ("sync_failed", 3)
    assert shown["due_at"] is not None
    assert follower.pool.session.scalars(select(Sync.looking_at)).all() == [None]
    work.unlink()
    assert follower.look(made["id"])["fault"] is None


def test_a_place_is_sent_for_when_it_is_due_and_by_nobody_twice(
    bucket: Bucket, follower: Follower
) -> None:
    bucket.put({"1.png": png(1)})
    made = follower.add(bucket.url, every_minutes=5)
    session = follower.pool.session
    follower.look(made["id"])
    assert due_syncs(session) == []
    session.execute(update(Sync).values(due_at=Sync.created_at))
    assert due_syncs(session) == [SyncBucket(sync_id=made["id"])]
    assert due_syncs(session) == []
    session.rollback()
    follower.call("PATCH", f"/{made['id']}", json={"every_minutes": None})
    session.expire_all()
    assert session.get_one(Sync, made["id"]).due_at is None
    follower.call("DELETE", f"/{made['id']}", 204)
    assert len(follower.pool.examples()) == 1
    # A message that comes late finds nothing to do.
    look(made["id"], context.sessions(), settings.settings())


@pytest.mark.parametrize(
    ("location", "every", "status", "code"),
    [
        ("s3://elsewhere", 60, 400, "location_not_allowed"),
        ("{url}/empty", 60, 400, "location_empty"),
        ("{url}/../x", 60, 400, "invalid_location"),
        ("{url}", 1, 422, "malformed"),
        ("{url}/", 60, 409, "already_followed"),
    ],
)
def test_what_cannot_be_followed_is_refused(
    bucket: Bucket, follower: Follower, location: str, every: int, status: int, code: str
) -> None:
    bucket.put({"1.png": png(1)})
    if code == "already_followed":
        follower.add(bucket.url)
    body = {"location": location.format(url=bucket.url), "every_minutes": every}
    assert follower.call("POST", status=status, json=body)["code"] == code


def test_what_was_withdrawn_does_not_come_back_by_itself(
    bucket: Bucket, follower: Follower
) -> None:
    bucket.put({f"day/{seed}.png": png(seed) for seed in range(2)})
    made = follower.add(f"{bucket.url}/day/")
    follower.look(made["id"])
    bucket.put({"day/1.png": png(5)})
    follower.look(made["id"])
    assert follower.found(made["id"], "changed") == ["1.png"]
    pool = follower.pool
    (gone,) = (one for one in pool.examples() if one.name == "1.png")
    path = f"/api/projects/{pool.project_id}/withdrawals"
    answer = follower.http.post(path, json={"ids": [gone.id]}, headers=follower.headers)
    assert answer.status_code == 202
    remove_files({})
    assert follower.found(made["id"], "changed") == []
    # Nor with another content under the same name.
    for content in (png(1), png(7)):
        bucket.put({"day/1.png": content, "day/2.png": png(2)})
        shown = follower.look(made["id"], again=True)
        assert (shown["new"], shown["changed"], shown["gone"]) == (0, 0, 0)
        names = [one.name for one in pool.examples() if one.split is not None]
        assert names == ["0.png", "2.png"]
