"""An installation whose images and artifacts lie in a bucket, and what verify and doctor say."""

import io
import json
import shutil
import zipfile
from collections.abc import Iterator

import pytest
import torch
from fastapi.testclient import TestClient
from safetensors.torch import save
from sqlalchemy import select
from sqlalchemy.orm import Session

from api.main import create_app
from core import settings
from core.database.engines import sync_engine
from core.files.object_stores import S3, Object
from core.files.storage import Storage
from core.settings.locations import Location
from core.states import ExampleState, JobState
from core.tables import Artifact, Project
from core.tasks.classification import stored_class
from karat.local.doctor import places
from tests.api.test_maps import scored
from tests.api.test_subsets import add_subset
from tests.s3 import CREDENTIALS, Bucket, out_of_reach
from tests.workers.import_files import Pool, png
from tests.world import World
from workers.celery_tasks.remove_files import remove_files
from workers.jobs import context
from workers.verify.__main__ import verify
from workers.verify.check import Finding


@pytest.fixture
def stored(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """The bucket is also where the installation keeps its files; ask for it first."""
    monkeypatch.setenv("KARAT_STORAGE_URL", f"{bucket.url}/karat")
    settings.settings.cache_clear()
    return bucket


@pytest.fixture
def kept(stored: Bucket, world: World, session: Session) -> Iterator[Pool]:
    """A pool in such an installation."""
    assert stored.url in (settings.settings().storage_url or "")
    storage = Storage.of(settings.settings())
    yield Pool(session, storage, world.project())
    context.sessions().kw["bind"].dispose()


def findings() -> dict[str, Finding]:
    engine = sync_engine(settings.settings())
    try:
        return {one.name: one for one in verify(engine, settings.settings(), running=False)}
    finally:
        engine.dispose()


def keys(bucket: Bucket) -> list[str]:
    found: list[str] = bucket.files.find(bucket.name)
    return sorted(key.removeprefix(f"{bucket.name}/") for key in found)


def test_images_and_artifacts_lie_in_the_bucket(stored: Bucket, kept: Pool, world: World) -> None:
    files = {f"{seed}.png": png(seed) for seed in range(3)}
    assert kept.zip({**files, "bad.png": b"text"})["added"] == 3
    examples = kept.examples()
    digests = sorted(one.content_hash.hex() for one in examples)
    report = world.session.scalars(select(Artifact.storage_key)).one()
    assert keys(stored) == [
        *(f"karat/images/{one[:2]}/{one}" for one in digests),
        f"karat/{report}",
    ]
    assert not (kept.storage.root / "images").exists()
    cat = world.classes(world.session.get_one(Project, kept.project_id))[0]
    for one in examples:
        one.state, one.label = ExampleState.LABELED, stored_class(cat.id)
    world.session.commit()
    # Another machine has nothing but the database and the bucket.
    shutil.rmtree(kept.storage.root)
    stored.remove(f"karat/images/{digests[0][:2]}/{digests[0]}")
    headers = world.caller().headers
    path = f"/api/projects/{kept.project_id}"
    with TestClient(create_app(settings.settings()), base_url="http://karat.test") as http:
        job = http.get(f"{path}/imports", headers=headers).json()["items"][0]
        text = http.get(f"{path}/imports/{job['id']}/report.csv", headers=headers).text
        assert "bad.png,refused" in text
        exported = http.get(f"{path}/export?format=imagefolder", headers=headers).content
        there = next(one for one in examples if one.content_hash.hex() != digests[0])
        small = http.get(f"/api/examples/{there.id}/image?size=64", headers=headers)
        assert small.headers["content-type"] == "image/webp"
        assert http.delete(path, headers=headers).status_code == 204
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        images = [name for name in archive.namelist() if name.endswith(".png")]
        (gone,) = archive.read("MISSING.txt").decode().splitlines()
        assert "The file of this image is missing" in gone
        assert {archive.read(name) for name in images} < set(files.values())
        assert len(images) == 2
    # Nobody else holds any of it.
    assert keys(stored)
    remove_files({})
    assert keys(stored) == []


def test_weights_lie_in_the_bucket_until_they_are_deleted(
    stored: Bucket, kept: Pool, world: World
) -> None:
    content = save({"a": torch.ones(3)})
    admin = world.caller().headers
    with TestClient(create_app(settings.settings()), base_url="http://karat.test") as http:
        asked = {"filename": "a.safetensors", "architecture": "resnet18"}
        made = http.post("/api/weights", params=asked, content=content, headers=admin).json()
        (key,) = keys(stored)
        assert key.startswith("karat/weights/")
        assert key.endswith(f"/{made['sha256']}.safetensors")
        # A worker on another machine has its own copy.
        shutil.rmtree(kept.storage.root / "weights")
        fetched = kept.storage.fetch(key.removeprefix("karat/"))
        assert fetched.read_bytes() == content
        assert findings()["weights"].level == "ok"
        again = http.post("/api/weights", params=asked, content=content, headers=admin)
        assert again.status_code == 409
        assert keys(stored) == [key]
        assert http.delete(f"/api/weights/{made['id']}", headers=admin).status_code == 204
    assert keys(stored) == []
    assert not list((kept.storage.root / "weights").iterdir())


def test_a_file_that_is_removed_is_gone_from_the_bucket_and_nothing_beside_it(
    stored: Bucket, kept: Pool, world: World
) -> None:
    kept.zip({"1.png": png(1)})
    before = keys(stored)
    path = f"/api/projects/{kept.project_id}/snapshots"
    headers = world.caller().headers
    with TestClient(create_app(settings.settings()), base_url="http://karat.test") as http:
        made = http.post(path, json={"name": "one"}, headers=headers)
        assert made.status_code == 201, made.text
        (key,) = set(keys(stored)) - set(before)
        beside = {f"{key}.old": b"another", f"{key[:-1]}": b"another"}
        stored.put(beside)
        assert http.delete(f"{path}/one", headers=headers).status_code == 204
    assert keys(stored) == sorted([*before, *beside])


def test_the_database_is_free_while_a_file_comes_from_the_bucket(
    kept: Pool, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept.zip({"1.png": png(1), "bad.png": b"text"})["added"] == 1
    report = world.session.scalars(select(Artifact)).one()
    project, _ = scored(world, 50)
    subset = add_subset(world, project, [0, 1, 2])
    of_project = select(Artifact).where(Artifact.project_id == project.id)
    for artifact in world.session.scalars(of_project):
        kept.storage.publish(artifact.storage_key)
    path = f"/api/projects/{project.id}"
    addresses = [
        f"/api/projects/{kept.project_id}/imports/{report.job_id}/report.csv",
        f"/api/artifacts/{report.id}/content",
        f"{path}/maps",
        f"{path}/maps/1/surface",
        f"{path}/maps/1/tiles/0/0/0",
        f"{path}/maps/1/images?polygon=0,-9;0,9;1,9;1,-9",
        f"{path}/maps/1/images/7",
        f"{path}/subsets/compare?a={subset.id}&b={subset.id}",
    ]
    headers, head = world.caller().headers, S3.head
    monkeypatch.setenv("KARAT_DATABASE_POOL", "1")
    asked: list[int] = []
    with TestClient(create_app(settings.Settings()), base_url="http://karat.test") as http:

        def meanwhile(self: S3, location: Location) -> Object:
            # Somebody else's request, which needs the only connection there is.
            asked.append(http.get("/api/projects", headers=headers).status_code)
            return head(self, location)

        monkeypatch.setattr(S3, "head", meanwhile)
        for address in addresses:
            shutil.rmtree(kept.storage.root)
            answer = http.get(address, headers=headers)
            assert answer.status_code == 200, answer.text
    assert set(asked) == {200}
    # The two sides of the comparison are one file.
    assert len(asked) == len(addresses)


def test_what_was_stored_before_stays_in_use(
    kept: Pool, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = Pool(world.session, world.storage, world.project(images=2))
    assert kept.zip({"1.png": png(1)})["added"] == 1
    assert findings()["images"].level == findings()["bucket_images"].level == "ok"
    (one, _) = local.examples()
    monkeypatch.setenv("KARAT_S3_REDIRECT", "false")
    with TestClient(create_app(settings.Settings()), base_url="http://karat.test") as http:
        headers = world.caller().headers
        for example in (one, *kept.examples()):
            seen = http.get(f"/api/examples/{example.id}/image", headers=headers)
            assert (seen.status_code, len(seen.content)) == (200, example.bytes)


def test_verify_names_what_is_gone_or_changed_in_the_bucket(stored: Bucket, kept: Pool) -> None:
    stored.put({"pool/1.png": png(1), "pool/2.png": png(2), "pool/3.png": png(3)})
    assert kept.bucket(f"{stored.url}/pool").state is JobState.SUCCEEDED
    kept.zip({"4.png": png(4)})
    assert findings()["bucket_images"].level == "ok"
    first, second = kept.session.scalars(select(Artifact).order_by(Artifact.id)).all()
    for artifact in (first, second):
        kept.storage.artifact(artifact.storage_key).unlink()
    stored.remove(f"karat/{second.storage_key}")
    lost = findings()["artifacts"].objects
    assert lost == [f"artifact {second.id}, {second.storage_key}: is missing"]
    one, two, _, four = kept.examples()
    stored.remove("pool/1.png")
    stored.put({"pool/2.png": png(22)})
    digest = four.content_hash.hex()
    stored.remove(f"karat/images/{digest[:2]}/{digest}")
    found = findings()["bucket_images"]
    assert found.level == "problem"
    assert [text.partition(": ")[0] for text in found.objects] == [
        f"image {one.id}, {stored.url}/pool/1.png",
        f"image {two.id}, {stored.url}/pool/2.png",
        f"image {four.id}, {digest}",
    ]
    assert "is gone" in found.objects[0]
    assert "has changed" in found.objects[1]


def test_doctor_says_whether_the_places_can_be_used(
    stored: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> dict[str, tuple[bool, str]]:
        return {one.subject: (one.ok, one.detail) for one in places()}

    assert found() == {
        "import location": (True, f"{stored.url} is empty"),
        "storage": (True, f"{stored.url}/karat can be written, read and cleared"),
    }
    assert keys(stored) == []
    stored.keep("karat/doctor/*")
    assert found()["storage"][0] is False
    out_of_reach(monkeypatch)
    broken = found()
    assert [ok for ok, _ in broken.values()] == [False, False]
    assert CREDENTIALS["AWS_SECRET_ACCESS_KEY"] not in json.dumps(broken)
    monkeypatch.setenv("KARAT_STORAGE_URL", "http://example.org")
    assert "KARAT_STORAGE_URL" in found()["settings"][1]
