"""What is withdrawn is in nothing any more, and what was said of it stays and counts no more."""

import json
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from core.artifacts.alike import Alike, read_alike, write_alike
from core.artifacts.certificates import Draw
from core.artifacts.selections import SUPERSEDED
from core.database.engines import database_time, sync_engine
from core.files.storage import sha256 as sha256_of
from core.lifecycle import claim_job, finish_job, give_back_job, new_job
from core.settings import Settings
from core.states import (
    ArtifactKind,
    CertificateState,
    ExampleState,
    JobKind,
    JobState,
    RoundState,
)
from core.tables import (
    Annotation,
    Artifact,
    Audit,
    Example,
    ExampleText,
    Job,
    Prediction,
    Project,
    Round,
    Suggestion,
)
from core.tasks.classification import stored_class
from models.media.images.store import PixelStore
from models.media.texts.store import TextStore
from tests.api.test_labeling import lease, running, send, verdict
from tests.api.test_pool_actions import ids_of
from tests.certificates import add_certificate
from tests.instructions import Person, ask, examples, instructions, row
from tests.workers.import_files import Pool, png, zipped
from tests.workers.starting import run_here, start_job
from tests.world import World
from workers.celery_tasks import remove_files as task
from workers.certificates.outcomes import taken
from workers.certificates.promises import read_members
from workers.imports.media.text_store import look
from workers.labels.snapshot import take
from workers.verify.__main__ import verify


class Withdrawing:
    """What a manager withdraws over HTTP, and workers then do."""

    def __init__(self, http: TestClient, world: World, project: Project) -> None:
        self.http, self.world, self.project = http, world, project
        self.admin = world.caller()
        self.url = f"/api/projects/{project.id}"

    def call(self, method: str, path: str, status: int = 200, **more: Any) -> Any:
        headers = self.admin.headers
        answer = self.http.request(method, f"{self.url}{path}", headers=headers, **more)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def export(self, format_: str, **params: str) -> bytes:
        query = {"format": format_, "unlabeled": "true", **params}
        url = f"{self.url}/export"
        answer = self.http.get(url, params=query, headers=self.admin.headers)
        assert answer.status_code == 200, answer.text
        return answer.content

    def begin(self, status: int = 202, **body: Any) -> Any:
        return self.call("POST", "/withdrawals", status, json=body)

    def work(self) -> None:
        """Go on, as the scheduler has it done again and again."""
        self.world.session.commit()
        for _ in range(3):
            task.remove_files({})
        self.world.session.expire_all()

    def show(self, id_: int) -> Any:
        return self.call("GET", f"/withdrawals/{id_}")


def file_of(world: World, project: Project, kind: ArtifactKind, name: str, table: Any) -> Artifact:
    """A file that a job has left."""
    end = "json" if kind is ArtifactKind.COMPARISON else "parquet"
    path = world.storage.artifact(f"projects/{project.id}/{name}.{end}")
    if isinstance(table, Alike):
        write_alike(path, table)
    elif end == "json":
        path.write_text(json.dumps(table))
    else:
        pq.write_table(pa.table(table), path)
    made = Artifact(
        project_id=project.id,
        kind=kind,
        storage_key=str(path.relative_to(world.storage.root)),
        sha256=sha256_of(path),
        bytes=path.stat().st_size,
        meta={"class_ids": []},
    )
    world.session.add(made)
    world.session.commit()
    return made


def table_of(world: World, artifact: Artifact) -> Any:
    world.session.refresh(artifact)
    path = world.storage.artifact(artifact.storage_key)
    assert (sha256_of(path), path.stat().st_size) == (artifact.sha256, artifact.bytes)
    return path


def test_what_is_withdrawn_is_in_nothing_any_more(
    http: TestClient, world: World, installation: Settings
) -> None:
    project = running(world, images=6, queries=4, evaluation=2, fit="pad")
    withdrawing, (cat, _) = Withdrawing(http, world, project), world.classes(project)
    ids, admin = ids_of(world, project), withdrawing.admin
    first, second = lease(http, admin, project, 2)["items"]
    about_ben = verdict(first["query_id"], "label", class_id=cat.id)
    send(http, admin, project, {**about_ben, "note": "It is Ben."})
    twins = world.session.query(Example).filter(Example.id.in_([ids[0], ids[4]]))
    twins.update({Example.duplicates_of: ids[0], Example.meta: {"camera": "north"}})
    world.session.add(
        Suggestion(
            project_id=project.id, example_id=ids[0], rank=0, confidence=1.0,
            given_label=stored_class(cat.id),
        )
    )  # fmt: skip
    predicted = [{"class_id": cat.id, "score": 0.9}]
    world.session.add(
        Prediction(
            project_id=project.id, example_id=ids[0], model="ours", import_id=1,
            proposals=predicted,
        )
    )  # fmt: skip
    world.session.commit()
    withdrawing.call("POST", "/snapshots", 201, json={"name": "before"})
    features = world.storage.features(project.id) / "auto-0123456789abcdef.npy"
    features.parent.mkdir()
    np.save(features, np.ones((8, 4), dtype=np.float32))
    features.with_name("auto-0123456789abcdef.extractor.safetensors").touch()
    places, values = np.arange(6), np.ones(6, dtype=np.float32)
    scores = file_of(
        world, project, ArtifactKind.SCORES, "scores", {"pool_index": places, "purity": values}
    )
    found = Alike(values[:5].copy(), np.array([0, -1, -1, -1, 0]))
    alike = file_of(world, project, ArtifactKind.ALIKE, "alike", found)
    levels = {"boxes": [[1], [2], [3]], "maps": None}
    shown = {"examples": ids[:3], "methods": {"standard": levels}, "points": {"oat": [4, 5, 6]}}
    compared = file_of(world, project, ArtifactKind.COMPARISON, "overlays", shown)
    looked = new_job(JobKind.LOOK_AT, project_id=project.id, params={"example_id": ids[1]})
    world.session.add(looked)
    world.session.flush()
    claim_job(looked, "worker")
    looked.checkpoint = {"result": {"map": [[255]]}}
    finish_job(looked, JobState.SUCCEEDED, result={"map": [[255]]})
    world.session.commit()

    chosen = [ids[0], ids[1], ids[6]]
    preview = withdrawing.call("POST", "/withdrawals/preview", json={"ids": chosen})
    assert preview == {"images": 3, "answered": 1}
    made = withdrawing.begin(ids=[*chosen, ids[0]], images=3)
    assert (made["state"], made["images"], made["done"]) == ("withdrawing", 3, 0)
    withdrawing.work()
    made = withdrawing.show(made["id"])
    assert (made["state"], made["done"], made["by"]) == ("done", 3, admin.user.name)
    assert withdrawing.call("GET", "/withdrawals")["items"] == [made]

    # In no list, count, picture, queue, export, and of no snapshot any more.
    listed = withdrawing.call("GET", "/examples?split=all")["items"]
    assert [one["id"] for one in listed] == [id_ for id_ in ids if id_ not in chosen]
    assert {one["duplicates_of"] for one in listed} == {None}
    assert withdrawing.call("GET", "/examples/count?split=all") == {"count": 5, "exact": True}
    counts = withdrawing.call("GET", "")["counts"]
    assert (counts["pool"], counts["unlabeled"], counts["labeled_in"]) == (4, 2, 0)
    assert (counts["evaluation"], counts["held_out"]) == (1, 0)
    withdrawing.call("GET", f"/examples/{ids[0]}", 404)
    picture = http.get(f"/api/examples/{ids[0]}/image", headers=admin.headers)
    assert picture.status_code == 404
    for snapshot in ({}, {"snapshot": "before"}):
        for what, length in (("csv", 1), ("jsonl", 0)):
            assert len(withdrawing.export(what, **snapshot).splitlines()) == length
        exported = pq.read_table(pa.BufferReader(withdrawing.export("parquet", **snapshot)))
        assert exported["name"].to_pylist() == [f"{index}.png" for index in (2, 3, 4, 5, 7)]
    snapshot = withdrawing.call("GET", "/snapshots/before")
    assert (snapshot["counts"]["examples"], snapshot["counts"]["withdrawn"]) == (8, 3)
    assert lease(http, admin, project, 9)["items"][0]["example_id"] == ids[2]
    assert withdrawing.call("GET", "/labeling/recent?limit=9")["items"] == []

    # Who had it on the screen has not answered in vain: it is kept, and counts for nothing.
    late = {**verdict(second["query_id"], "label", class_id=cat.id), "note": "It is Ann."}
    (result,) = send(http, admin, project, late)["results"]
    assert (result["status"], result["counted"]) == ("late", False)
    undone = verdict(first["query_id"], "ood", supersedes=late["key"])
    assert send(http, admin, project, undone)["results"][0]["counted"] is False
    said = world.session.scalars(select(Annotation).order_by(Annotation.id)).all()
    assert [(one.example_id, one.counted) for one in said] == [
        (ids[0], False), (ids[1], False), (ids[0], False)
    ]  # fmt: skip
    assert {one.note for one in said} == {None}
    assert len(take(world.session, project.id, 0).labeled) == 0

    # Nothing is left of it but its place.
    stone = world.session.get_one(Example, ids[0])
    assert (stone.split, stone.state, stone.pool_index) == (None, ExampleState.HELD_OUT, 0)
    assert (stone.name, stone.meta, stone.label, stone.bytes) == ("", {}, None, 0)
    assert stone.content_hash == sha256(f"withdrawn {ids[0]}".encode()).digest()
    for table in (Suggestion, Prediction):
        assert world.session.scalars(select(table)).all() == []
    assert sum(path.is_file() for path in (world.storage.root / "images").rglob("*")) == 5
    pixels = PixelStore.open(world.storage.pixels(project.id, 8, "pad"), 8, 8)[:]
    assert [int(one.max()) == 0 for one in pixels] == [index in (0, 1, 6) for index in range(8)]
    left = np.load(features)
    assert [bool((one == 1).all()) for one in left] == [
        index not in (0, 1, 6) for index in range(8)
    ]
    np.testing.assert_allclose(np.linalg.norm(left[[0, 1, 6]], axis=1).mean(), 2, rtol=0.8)
    assert pq.read_table(table_of(world, scores))["pool_index"].to_pylist() == [2, 3, 4, 5]
    kept = read_alike(table_of(world, alike))
    assert np.isnan(kept.isolation).tolist() == [True, True, False, False, False]
    assert kept.group.tolist() == [-1, -1, -1, -1, 0]
    assert json.loads(table_of(world, compared).read_text()) == {
        "examples": [ids[2]],
        "methods": {"standard": {"boxes": [[3]], "maps": None}},
        "points": {"oat": [6]},
    }
    world.session.refresh(looked)
    assert (looked.result, looked.checkpoint) == (None, {})
    audit = world.session.scalars(select(Audit).where(Audit.verb == "withdraw")).one()
    assert (audit.object_id, audit.detail) == (made["id"], {"images": 3, "answered": 1})
    world.session.commit()
    require_sound(installation)


def require_sound(installation: Settings) -> None:
    """What was withdrawn is no fault."""
    engine = sync_engine(installation)
    found = {one.name: one for one in verify(engine, installation, running=True)}
    engine.dispose()
    for name in ("image_states", "images", "snapshots", "texts", "text_stores", "round_counts"):
        if name in found:
            assert found[name].level == "ok", found[name]


def test_a_round_of_which_nothing_is_left_closes(http: TestClient, world: World) -> None:
    project = running(world, images=5, queries=3)
    withdrawing, ids = Withdrawing(http, world, project), ids_of(world, project)
    withdrawing.begin(filters={"state": "queried"})
    withdrawing.work()
    round_ = world.session.scalars(select(Round).where(Round.number == 0)).one()
    assert round_.state is RoundState.CLOSING
    job = world.session.scalars(select(Job).where(Job.id == round_.job_id)).one()
    assert job.kind is JobKind.ADVANCE_ROUND
    left = world.session.scalars(select(Example.id).where(Example.split.is_not(None)))
    assert sorted(left) == ids[3:]


def test_what_is_erased_is_not_written_over_again(http: TestClient, world: World) -> None:
    project = running(world, images=5, queries=1)
    withdrawing, ids = Withdrawing(http, world, project), ids_of(world, project)
    (asked,) = lease(http, withdrawing.admin, project, 1)["items"]
    send(http, withdrawing.admin, project, verdict(asked["query_id"], "ood"))
    counts = [withdrawing.begin(ids=some) for some in (ids[:1], ids[:2])]
    # What the first has withdrawn is not counted again.
    assert [(one["images"], one["answered"]) for one in counts] == [(1, 1), (1, 0)]
    withdrawing.work()
    features = world.storage.features(project.id) / "auto-0123456789abcdef.npy"
    newest = features.with_name("learned-0123456789abcdef.npy")
    features.parent.mkdir()
    for path in (features, newest):
        np.save(path, np.ones((5 if path is features else 2, 4), dtype=np.float32))
    others = [withdrawing.begin(ids=[one])["id"] for one in ids[2:4]]
    withdrawing.work()
    assert [withdrawing.show(one)["state"] for one in others] == ["done", "done"]
    kept = [bool((one == 1).all()) for one in np.load(features)]
    assert kept == [True, True, False, False, True]
    # Searches go by what was made last.
    assert newest.stat().st_mtime_ns > features.stat().st_mtime_ns


def test_selections_before_the_last_go_at_once(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=1)
    withdrawing, ids = Withdrawing(http, world, project), ids_of(world, project)
    rows = {"pool_index": np.arange(3)}
    kept, before = (
        file_of(world, project, ArtifactKind.SELECTION, name, rows) for name in ("now", "before")
    )
    old = world.storage.artifact(before.storage_key)
    kept.meta = {SUPERSEDED: {before.storage_key: database_time(world.session).isoformat()}}
    kept.round_id = world.session.scalars(select(Round.id)).one()
    world.session.delete(before)
    world.session.execute(update(Round).values(state=RoundState.CLOSED))
    world.session.commit()
    made = withdrawing.begin(ids=ids[1:2])
    withdrawing.work()
    assert (withdrawing.show(made["id"])["state"], old.exists()) == ("done", False)
    assert pq.read_table(table_of(world, kept))["pool_index"].to_pylist() == [0, 2]
    assert kept.meta == {}


def test_files_wait_for_jobs_that_may_have_read_them(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=1)
    withdrawing = Withdrawing(http, world, project)
    job = new_job(JobKind.ADVANCE_ROUND, project_id=project.id, params={})
    world.session.add(job)
    world.session.flush()
    claim_job(job, "worker")
    made = withdrawing.begin(ids=[ids_of(world, project)[2]])
    withdrawing.work()
    assert withdrawing.show(made["id"])["state"] == "erasing"
    assert withdrawing.call("GET", "/examples/count")["count"] == 2
    finish_job(job, JobState.SUCCEEDED)
    withdrawing.work()
    assert withdrawing.show(made["id"])["state"] == "done"


def test_what_a_job_has_not_finished_does_not_bring_it_back(
    http: TestClient, world: World, pool: Pool
) -> None:
    pool.add(zipped((f"{seed}.png", png(seed)) for seed in range(3)))
    project = world.session.get_one(Project, pool.project_id)
    withdrawing = Withdrawing(http, world, project)
    job = start_job(http, world, project, "resize", {"input_size": 16})
    claim_job(job, "worker")
    part = world.storage.work(job.id) / "pixels.u8"
    part.parent.mkdir(parents=True)
    with PixelStore.writer(part, 16) as writer:
        writer.write(0, np.full((3, 16, 16, 3), 200, dtype=np.uint8))
    job.checkpoint = {"fitted": 3, "seconds": {"check": 0.1, "fit": 0.1}}
    give_back_job(job)
    features = world.storage.features(project.id)
    features.mkdir()
    cut_off = [features / f"auto-0123456789abcdef.npy.partial{end}" for end in ("", ".json")]
    nobody_s = world.storage.resized_pixels(project.id, 32, "crop")
    for path in (*cut_off, nobody_s):
        path.write_bytes(bytes(9))
    made = withdrawing.begin(ids=[ids_of(world, project)[1]])
    withdrawing.work()
    assert withdrawing.show(made["id"])["state"] == "done"
    assert not any(path.exists() for path in (*cut_off, nobody_s, part))
    assert run_here(world, job).state is JobState.SUCCEEDED, job.error
    seen = PixelStore.open(world.storage.pixels(project.id, 16, "crop"), 16, 3)[:]
    assert [bool(one.any()) for one in seen] == [True, False, True]


def test_an_import_is_taken_back_and_can_come_again(
    http: TestClient, world: World, pool: Pool
) -> None:
    first, second = (
        pool.add(zipped((f"{seed}.png", png(seed)) for seed in seeds))
        for seeds in (range(2), range(2, 5))
    )
    project = world.session.get_one(Project, pool.project_id)
    withdrawing = Withdrawing(http, world, project)
    whole = {"import_id": second.id, "split": "all"}
    error = withdrawing.begin(409, filters=whole, images=2)
    assert error["code"] == "selection_changed"
    made = withdrawing.begin(filters=whole, images=3)
    assert made["import_id"] == second.id
    again = withdrawing.begin(409, filters=whole)
    assert again["code"] == "withdrawn_already"
    withdrawing.work()
    assert withdrawing.begin(400, filters=whole)["code"] == "nothing_matches"
    left = withdrawing.call("GET", f"/examples?import_id={first.id}&split=all")["items"]
    assert [one["name"] for one in left] == ["0.png", "1.png"]
    images = world.storage.root / "images"
    assert sum(path.is_file() for path in images.rglob("*")) == 2
    # The same files come as new ones, behind the places of those before.
    third = pool.add(zipped((f"{seed}.png", png(seed)) for seed in range(5)))
    assert (third.result or {})["added"] == 3
    there = world.session.scalars(
        select(Example.pool_index).where(Example.import_id == third.id).order_by(Example.pool_index)
    )
    assert list(there) == [5, 6, 7]
    running_ = pool.queue(b"")
    error = withdrawing.begin(409, filters={"import_id": running_.id})
    assert error["code"] == "import_running"


def test_texts_leave_the_database_and_the_store(
    http: TestClient, world: World, texts: Pool, installation: Settings
) -> None:
    texts.add(b"text\nfirst\nsecond\nthird\n", "pool.csv")
    project = world.session.get_one(Project, texts.project_id)
    withdrawing, ids = Withdrawing(http, world, project), ids_of(world, project)
    withdrawing.begin(ids=[ids[1]])
    withdrawing.work()
    kept = world.session.scalars(select(ExampleText.content).order_by(ExampleText.example_id))
    assert list(kept) == ["first", "third"]
    folder = world.storage.texts(project.id)
    assert b"second" not in (folder / "texts.u8").read_bytes()
    assert TextStore.open(folder, 3)[[0, 2]] == ["first", "third"]
    # Nothing is missed: neither is it made again, nor does a job fail for it.
    assert look(world.session, folder, project.id) == (False, [])
    assert withdrawing.call("GET", "/examples?search=second")["items"] == []
    world.session.commit()
    require_sound(installation)


def test_what_people_saw_of_a_check_stays_true_of_its_lot(http: TestClient, world: World) -> None:
    project = running(world, images=8, queries=2)
    withdrawing, ids = Withdrawing(http, world, project), ids_of(world, project)
    drawn = [Draw(0, at, ids[at], 0.5) for at in (2, 3, 4)]
    draws = [drawn[0].answered("right"), drawn[1].answered("wrong"), drawn[2]]
    certificate = add_certificate(
        world, project, CertificateState.ASKING, passed=False, draws=draws
    )
    world.session.commit()
    withdrawing.begin(ids=ids[2:5])
    withdrawing.work()
    members = read_members(world.session, world.storage, certificate)
    found, _ = taken(world.session, certificate, members)
    # Whom nobody can look at any more counts as wrong.
    assert [one.outcome for one in found] == ["right", "wrong", "unsure"]


def test_a_group_that_lacks_a_row_is_asked_about_no_more(http: TestClient, world: World) -> None:
    project = instructions(world, [row(number) for number in range(6)])
    withdrawing = Withdrawing(http, world, project)
    person = Person(http, withdrawing.admin, project)
    ask(world, project, [[0, 1], [2, 3], [4, 5]])
    ids = [one.id for one in examples(world, project)]
    items = {item["example_id"]: item["query_id"] for item in person.lease()}
    person.rank(items[ids[0]], [[ids[0]], [ids[1]]], note="The second says Ben.")
    withdrawing.begin(ids=[ids[1], ids[3]])
    withdrawing.work()
    states = [one.state for one in examples(world, project)]
    unlabeled, queried, gone = ExampleState.UNLABELED, ExampleState.QUERIED, ExampleState.HELD_OUT
    assert states == [unlabeled, gone, unlabeled, gone, queried, queried]
    late = [
        person.rank(items[ids[2]], [[ids[2]], [ids[3]]]),
        person.say(items[ids[2]], "unsure"),
    ]
    assert [one["status"] for one in late] == ["late", "late"]
    assert [item["example_id"] for item in person.lease()] == [ids[4]]
    kept = select(Annotation.counted, Annotation.note).order_by(Annotation.id)
    assert [tuple(one) for one in world.session.execute(kept)] == 3 * [(False, None)]
