"""Images that lie in buckets, over HTTP: how they are asked for, and what is answered."""

import io
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from pyarrow import parquet
from sqlalchemy import select
from sqlalchemy.orm import Session

from api.main import create_app
from core import settings
from core.errors import DomainError
from core.files.object_stores import S3, Object
from core.files.storage import Storage
from core.media.images.thumbnails import LARGEST, thumbnail
from core.states import Role
from core.tables import Artifact, Audit, Job, SigningKey
from tests.processes import free_port
from tests.s3 import Bucket, out_of_reach
from tests.workers.import_files import Pool, png
from tests.world import World
from workers.jobs import context


@pytest.fixture
def pool(world: World, session: Session, installation: settings.Settings) -> Iterator[Pool]:
    yield Pool(session, Storage(Path(installation.data_dir)), world.project())
    context.sessions().kw["bind"].dispose()


def ask(http: TestClient, pool: Pool, headers: dict[str, str], **body: Any) -> Any:
    path = f"/api/projects/{pool.project_id}/imports/bucket"
    return http.post(path, json=body, headers=headers)


def test_an_original_is_shown_from_the_bucket(
    bucket: Bucket, world: World, pool: Pool, http: TestClient
) -> None:
    bucket.put({"photos/1.png": png(1)})
    headers = world.caller().headers
    response = ask(http, pool, headers, location=f"{bucket.url}/photos")
    assert response.status_code == 202, response.text
    pool.run(world.session.get_one(Job, response.json()["id"]))
    (one,) = pool.examples()
    address = f"/api/examples/{one.id}/image"
    answer = http.get(address, headers=headers, follow_redirects=False)
    assert answer.status_code == 307
    link = answer.headers["location"]
    assert "X-Amz-Signature=" in link
    assert "X-Amz-Expires=900" in link
    seen = httpx.get(link)
    assert (seen.status_code, seen.content) == (200, png(1))
    assert seen.headers["content-type"] == "image/png"
    origin = "/".join(link.split("/")[:3])
    policy = http.get("/healthz").headers["content-security-policy"]
    assert f"img-src 'self' blob: data: {origin};" in policy
    detail = http.get(f"/api/projects/{pool.project_id}/examples/{one.id}", headers=headers)
    assert detail.json()["location"] == f"{bucket.url}/photos/1.png"


def test_small_versions_and_exports_do_not_need_the_browser_to_reach_the_bucket(
    bucket: Bucket, world: World, pool: Pool, http: TestClient
) -> None:
    bucket.put({"1.png": png(1)})
    pool.bucket(bucket.url)
    (one,) = pool.examples()
    headers = world.caller().headers
    bucket.remove("1.png")
    small = http.get(f"/api/examples/{one.id}/image?size=128", headers=headers)
    assert (small.status_code, small.headers["content-type"]) == (200, "image/webp")
    bucket.put({"1.png": png(2)})
    thumbnail(pool.storage, one.content_hash, LARGEST).unlink()
    changed = http.get(f"/api/examples/{one.id}/image?size=256", headers=headers)
    assert (changed.status_code, changed.json()["code"]) == (409, "image_changed")


@pytest.mark.parametrize("replacement", [None, png(2)])
def test_never_shows_another_image(
    bucket: Bucket, world: World, pool: Pool, http: TestClient, replacement: bytes | None
) -> None:
    bucket.put({"cat/1.png": png(1)})
    pool.bucket(bucket.url)
    (one,) = pool.examples()
    bucket.remove("cat/1.png")
    if replacement:
        bucket.put({"cat/1.png": replacement})
    headers = world.caller().headers
    answer = http.get(f"/api/examples/{one.id}/image", headers=headers, follow_redirects=False)
    assert answer.status_code == 409
    assert answer.json()["code"] == ("image_changed" if replacement else "image_gone")
    # Annotators read it, too, and are asked what it shows.
    assert "cat/" not in answer.json()["detail"]


def test_a_version_that_was_looked_at_is_the_one_that_is_shown(
    bucket: Bucket, world: World, pool: Pool, http: TestClient
) -> None:
    bucket.files.call_s3(
        "put_bucket_versioning", Bucket=bucket.name, VersioningConfiguration={"Status": "Enabled"}
    )
    bucket.put({"1.png": png(1)})
    pool.bucket(bucket.url)
    (one,) = pool.examples()
    headers = world.caller().headers
    answer = http.get(f"/api/examples/{one.id}/image", headers=headers, follow_redirects=False)
    # A bucket lets a link be fetched, and not be looked at.
    looked = http.head(f"/api/examples/{one.id}/image", headers=headers, follow_redirects=False)
    assert (looked.status_code, looked.headers["content-length"]) == (200, str(len(png(1))))
    bucket.put({"1.png": png(2)})
    assert httpx.get(answer.headers["location"]).content == png(1)


def test_passes_images_on_where_browsers_do_not_reach_the_bucket(
    bucket: Bucket, world: World, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put({"1.png": png(1)})
    pool.bucket(bucket.url)
    (one,) = pool.examples()
    headers = world.caller().headers
    monkeypatch.setenv("KARAT_S3_REDIRECT", "false")
    with TestClient(create_app(settings.Settings()), base_url="http://karat.test") as http:
        answer = http.get(f"/api/examples/{one.id}/image", headers=headers)
        assert (answer.status_code, answer.content) == (200, png(1))
        assert "http" not in http.get("/healthz").headers["content-security-policy"]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"location": "http://169.254.169.254/latest"}, 400, "invalid_location", "location"),
        ({"location": "file:///etc"}, 400, "location_not_allowed", "location"),
        ({"location": "s3://somebody-elses"}, 400, "location_not_allowed", "location"),
        ({"location": "{url}-2/photos"}, 400, "location_not_allowed", "location"),
        ({"location": "{url}/photos/../../x"}, 400, "invalid_location", "location"),
        ({"location": "{url}/nothing"}, 400, "location_empty", "location"),
        ({"location": "{url}", "table": "1.png"}, 400, "invalid_table", "table"),
        ({"location": "{url}", "table": "../t.csv"}, 400, "invalid_location", "table"),
        ({"location": "{url}", "table": "s3://other/t.csv"}, 400, "invalid_table", "table"),
        ({"location": "{url}", "table": "none.csv"}, 404, "not_found", None),
        ({"location": "{url}", "key": "AKIA", "secret": "x"}, 422, "malformed", "key"),
    ],
)
def test_takes_only_what_the_operator_allows(
    bucket: Bucket,
    world: World,
    pool: Pool,
    http: TestClient,
    body: dict[str, str],
    status: int,
    code: str,
    field: str | None,
) -> None:
    bucket.put({"1.png": png(1)})
    asked = {name: value.format(url=bucket.url) for name, value in body.items()}
    answer = ask(http, pool, world.caller().headers, **asked)
    found = answer.json()
    assert (answer.status_code, found["code"], found["field"]) == (status, code, field)
    assert world.session.scalars(select(Job)).all() == []


@pytest.mark.parametrize("places", ["", "s3://another-place"])
def test_a_place_that_was_taken_back_is_shown_no_more(
    bucket: Bucket, world: World, pool: Pool, monkeypatch: pytest.MonkeyPatch, places: str
) -> None:
    bucket.put({"1.png": png(1)})
    pool.bucket(bucket.url)
    (one,) = pool.examples()
    headers = world.caller().headers
    monkeypatch.setenv("KARAT_IMPORT_LOCATIONS", places)
    with TestClient(create_app(settings.Settings()), base_url="http://karat.test") as http:
        for query in ("", "?size=512", "?size=64"):
            answer = http.get(f"/api/examples/{one.id}/image{query}", headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (409, "location_not_allowed")
            assert "another-place" not in answer.text
        path = f"/api/projects/{pool.project_id}/export?format=coco&unlabeled=true"
        with zipfile.ZipFile(io.BytesIO(http.get(path, headers=headers).content)) as archive:
            assert archive.read("MISSING.txt").startswith(b"images/1.png: ")


@pytest.mark.parametrize("kind", ["parquet", "coco"])
def test_exports_read_several_objects_at_once_and_keep_their_order(
    bucket: Bucket,
    world: World,
    pool: Pool,
    http: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    files = {f"{seed:03}.png": png(seed) for seed in range(70)}
    bucket.put(files)
    pool.bucket(bucket.url)
    bucket.remove("003.png")
    # Passes only if two reads are under way together.
    together, read = threading.Barrier(2), S3.read

    def waiting(self: S3, found: Object) -> bytes:
        if found.location.key in ("000.png", "001.png"):
            together.wait(30)
        return read(self, found)

    monkeypatch.setattr(S3, "read", waiting)
    path = f"/api/projects/{pool.project_id}/export?format={kind}&unlabeled=true"
    content = http.get(path, headers=world.caller().headers).content
    if kind == "parquet":
        rows = parquet.read_table(io.BytesIO(content)).to_pylist()
        found = {row["name"]: row["image"]["bytes"] for row in rows}
    else:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            images = [one for one in archive.namelist() if one.endswith(".png")]
            found = {one.rpartition("/")[2]: archive.read(one) for one in images}
            assert archive.read("MISSING.txt").count(b"\n") == 1
        found["003.png"] = None
    assert found == {**files, "003.png": None}


@pytest.mark.parametrize("kind", ["parquet", "coco"])
def test_an_export_breaks_off_where_the_bucket_cannot_be_reached(
    bucket: Bucket, world: World, pool: Pool, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    bucket.put({"1.png": png(1)})
    pool.bucket(bucket.url)
    headers = world.caller().headers
    out_of_reach(monkeypatch, free_port())
    path = f"/api/projects/{pool.project_id}/export?format={kind}&unlabeled=true"
    app = create_app(settings.Settings())
    with (
        TestClient(app, base_url="http://karat.test") as http,
        pytest.raises(RuntimeError, match="already started") as broken,
    ):
        http.get(path, headers=headers)
    assert isinstance(broken.value.__cause__, DomainError)
    assert broken.value.__cause__.code == "location_unavailable"


def test_is_off_unless_the_operator_allows_it(world: World, pool: Pool, http: TestClient) -> None:
    headers = world.caller(Role.ENGINEER).headers
    assert http.get("/api/import-locations", headers=headers).json() == {"items": []}
    answer = ask(http, pool, world.caller().headers, location="s3://photos")
    assert (answer.status_code, answer.json()["code"]) == (400, "locations_off")


def test_a_table_that_is_sent_names_what_lies_in_the_bucket(
    bucket: Bucket, world: World, pool: Pool, http: TestClient
) -> None:
    bucket.put({"a/1.png": png(1)})
    headers = world.caller().headers
    path = f"/api/projects/{pool.project_id}/imports"
    query = {"filename": "keys.jsonl", "location": f"{bucket.url}/a"}
    answer = http.post(path, params=query, content=b'{"key": "1.png"}\n', headers=headers)
    assert answer.status_code == 202, answer.text
    pool.run(world.session.get_one(Job, answer.json()["id"]))
    assert [one.location for one in pool.examples()] == [f"{bucket.url}/a/1.png"]
    query["location"] = "s3://not-allowed"
    answer = http.post(path, params=query, content=b"{}", headers=headers)
    assert answer.json()["code"] == "location_not_allowed"


def test_a_report_whose_file_is_lost_is_said_to_be_lost(
    world: World, pool: Pool, http: TestClient
) -> None:
    job = pool.add(b"no image", "1.png")
    artifact = world.session.scalars(select(Artifact)).one()
    pool.storage.artifact(artifact.storage_key).unlink()
    for path in (
        f"/api/projects/{pool.project_id}/imports/{job.id}/report.csv",
        f"/api/artifacts/{artifact.id}/content",
    ):
        answer = http.get(path, headers=world.caller().headers)
        assert (answer.status_code, answer.json()["code"]) == (409, "artifact_missing")


def test_a_link_opens_for_whoever_has_it_until_it_expires(
    world: World, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = world.project(images=2)
    pool = Pool(world.session, world.storage, project)
    one, other = pool.examples()
    engineer = world.caller(Role.ENGINEER, project)
    made = http.get(f"/api/examples/{one.id}/link?seconds=60", headers=engineer.headers).json()
    content = world.storage.image(one.content_hash).read_bytes()
    http.cookies.clear()
    seen = http.get(made["url"])
    assert (seen.status_code, seen.content) == (200, content)
    assert seen.headers["cross-origin-resource-policy"] == "cross-origin"
    assert http.get(f"{made['url']}&size=64").headers["content-type"] == "image/webp"
    wrong = made["url"].replace(f"/{one.id}?", f"/{other.id}?")
    later = made["url"].replace("expires=", "expires=9")
    for url in (wrong, later, f"{made['url']}x"):
        assert http.get(url).json()["code"] == "link_invalid"
    assert world.session.scalars(select(Audit.verb)).all() == ["link"]
    now = time.time()
    monkeypatch.setattr("api.pools.links.time.time", lambda: now + 61)
    assert http.get(made["url"]).json()["code"] == "link_expired"


def test_a_link_is_good_for_a_minute_to_a_week(world: World, http: TestClient) -> None:
    project = world.project(images=1)
    (one,) = Pool(world.session, world.storage, project).examples()
    headers, week = world.caller().headers, 7 * 24 * 3600
    asked = {
        seconds: http.get(f"/api/examples/{one.id}/link?seconds={seconds}", headers=headers)
        for seconds in (59, 60, week, week + 1)
    }
    assert [one.status_code for one in asked.values()] == [422, 200, 200, 422]


def test_without_its_key_no_link_opens(world: World, http: TestClient) -> None:
    project = world.project(images=1)
    (one,) = Pool(world.session, world.storage, project).examples()
    headers = world.caller().headers
    made = http.get(f"/api/examples/{one.id}/link", headers=headers).json()
    world.session.delete(world.session.scalars(select(SigningKey)).one())
    world.session.commit()
    assert http.get(made["url"]).json()["code"] == "link_invalid"
