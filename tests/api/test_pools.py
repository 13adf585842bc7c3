"""Uploads and images: what arrives is stored and queued, and served to members only."""

import csv
import hashlib
import io
import os
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import func, select

from api.main import create_app
from api.schemas.pictures import image_url
from core.jobs import queue
from core.jobs.messages import RunJob
from core.settings import Settings
from core.states import JobKind, ProjectState, Role, Split
from core.tables import Artifact, Example, Job, Project
from tests.api.test_labeling import lease, running, send, verdict
from tests.world import Caller, World, png
from workers.execution.runner import run_job
from workers.imports import handler


def upload(
    http: TestClient,
    project: Project,
    caller: Caller,
    content: bytes | Iterator[bytes],
    **query: str,
) -> Any:
    parameters = {"filename": "pool.zip", **query}
    path = f"/api/projects/{project.id}/imports"
    return http.post(path, params=parameters, content=content, headers=caller.headers)


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("cat/1.png", png(1))
        zipped.writestr("cat/broken.png", b"no image")
    return file.getvalue()


def test_upload_is_stored_whole_and_its_import_queued(http: TestClient, world: World) -> None:
    project = world.project()
    engineer, content = world.caller(Role.ENGINEER, project), archive()
    response = upload(
        http,
        project,
        engineer,
        content,
        filename="C:\\photos\\../pool.ZIP",
        split="evaluation",
        label_column="kind",
    )
    assert response.status_code == 202, response.text
    shown = response.json()
    assert (shown["kind"], shown["state"], shown["project_id"]) == (
        "import_pool",
        "queued",
        project.id,
    )
    job = world.session.scalars(select(Job)).one()
    assert job.created_by == engineer.user.id
    stored = job.params.pop("upload")
    assert job.params == {
        "filename": "pool.ZIP",
        "split": Split.EVALUATION,
        "columns": {"label": "kind"},
        "annotations": [],
    }
    assert world.storage.upload(stored).read_bytes() == content
    assert queue.waiting("cpu") == 1
    listed = http.get(f"/api/projects/{project.id}/imports", headers=engineer.headers).json()
    (item,) = listed["items"]
    # No worker runs here; the list says so once the job has waited longer than one takes to start.
    assert item["message"] is None
    assert item == shown


@pytest.mark.parametrize(
    "name", ["pool.tar", "pool.TGZ", "labels.csv.gz", "a.jpg.xz", "a.json.bz2"]
)
def test_tars_and_compressed_files_are_taken(http: TestClient, world: World, name: str) -> None:
    response = upload(
        http, world.project(), world.caller(), b"what is in it is seen later", filename=name
    )
    assert response.status_code == 202, response.text
    assert response.json()["params"]["filename"] == name


def test_large_upload_is_streamed_without_limit(http: TestClient, world: World) -> None:
    project, digest, block = world.project(), hashlib.sha256(), os.urandom(1 << 20)

    def blocks() -> Iterator[bytes]:
        for number in range(30):
            part = number.to_bytes(4, "big") + block
            digest.update(part)
            yield part

    response = upload(http, project, world.caller(), blocks(), filename="pool.parquet")
    assert response.status_code == 202, response.text
    stored = world.storage.upload(response.json()["params"]["upload"])
    assert hashlib.sha256(stored.read_bytes()).digest() == digest.digest()


@pytest.mark.parametrize(
    ("query", "content", "status", "code"),
    [
        ({"filename": "pool.exe"}, b"MZ", 400, "invalid_upload"),
        ({"filename": "zip"}, b"PK", 400, "invalid_upload"),
        ({"filename": "pool.7z"}, b"7z", 400, "invalid_upload"),
        ({"filename": "pool.exe.gz"}, b"MZ", 400, "invalid_upload"),
        ({"filename": "pool.zip"}, b"", 400, "empty_upload"),
        ({"filename": "pool.zip", "split": "train"}, b"PK", 422, "malformed"),
    ],
)
def test_useless_upload_is_refused_and_leaves_nothing(
    http: TestClient, world: World, query: dict[str, str], content: bytes, status: int, code: str
) -> None:
    response = upload(http, world.project(), world.caller(), content, **query)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert_nothing_stored(world)


def assert_nothing_stored(world: World) -> None:
    assert world.session.scalar(select(func.count()).select_from(Job)) == 0
    assert list(world.storage.root.glob("uploads/*")) == []


def test_too_large_upload_is_refused_and_leaves_nothing(
    installation: Settings, world: World
) -> None:
    small = installation.model_copy(update={"max_upload_bytes": 1000})
    project, admin = world.project(), world.caller()
    with TestClient(create_app(small)) as client:
        response = upload(client, project, admin, bytes(1001))
        assert (response.status_code, response.json()["code"]) == (413, "too_large")
        assert_nothing_stored(world)
        assert upload(client, project, admin, bytes(1000)).status_code == 202


def test_upload_to_a_project_that_was_deleted_meanwhile_leaves_nothing(
    http: TestClient, world: World
) -> None:
    project, admin = world.project(), world.caller()

    def content() -> Iterator[bytes]:
        yield b"PK"
        world.session.delete(project)
        world.session.commit()

    assert upload(http, project, admin, content()).status_code == 404
    assert_nothing_stored(world)


def test_examples_are_listed_in_pages_and_by_what_is_known(http: TestClient, world: World) -> None:
    project, admin = running(world, images=7, queries=4, evaluation=2), world.caller()
    cat, dog = world.classes(project)
    ids = [item["query_id"] for item in lease(http, admin, project, 3)["items"]]
    first = verdict(ids[0], "label", class_id=cat.id)
    send(http, admin, project, first, verdict(ids[1]), verdict(ids[2], "skip"))
    send(
        http,
        admin,
        project,
        verdict(ids[0], "label", class_id=dog.id, supersedes=first["key"]),
    )
    path = f"/api/projects/{project.id}/examples"

    def listed(**query: Any) -> tuple[list[dict[str, Any]], Any]:
        page = http.get(path, params={"split": "all"} | query, headers=admin.headers).json()
        return page["items"], page["next_cursor"]

    everything, cursor = listed()
    assert [item["pool_index"] for item in everything] == list(range(9))
    assert cursor is None
    assert [item["state"] for item in everything[:4]] == ["labeled", "ood", "unlabeled", "queried"]
    assert [item["label"] for item in everything[:4]] == ["dog", None, None, None]
    # What is known of the evaluation split came with it.
    assert [item["label"] for item in everything[7:]] == ["dog", "cat"]
    pages: list[dict[str, Any]] = []
    cursor = 0
    while cursor is not None:
        items, cursor = listed(limit=4, **({"cursor": cursor} if pages else {}))
        pages += items
    assert pages == everything
    assert [item["pool_index"] for item in listed(state="unlabeled", split="pool")[0]] == [
        2,
        4,
        5,
        6,
    ]
    assert [item["pool_index"] for item in listed(split="evaluation")[0]] == [7, 8]


def test_image_is_served_once_and_for_good(http: TestClient, world: World) -> None:
    project = world.project(images=1)
    member = world.caller(Role.ANNOTATOR, project)
    example = world.session.scalars(select(Example)).one()
    path = image_url(example.id)
    image = http.get(path, headers=member.headers)
    assert image.content == world.storage.image(example.content_hash).read_bytes()
    assert image.headers["content-type"] == "image/png"
    assert image.headers["x-content-type-options"] == "nosniff"
    assert "immutable" in image.headers["cache-control"]
    assert "private" in image.headers["cache-control"]
    tag = image.headers["etag"]
    again = http.get(path, headers={**member.headers, "If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    # A thumbnail is another thing than the image.
    other = http.get(f"{path}&size=64", headers={**member.headers, "If-None-Match": tag})
    assert other.status_code == 200


@pytest.mark.parametrize(("size", "expected"), [(64, 64), (256, 100)])
def test_thumbnails_are_small_and_never_larger_than_the_image(
    http: TestClient, world: World, size: int, expected: int
) -> None:
    world.project(images=1, input_size=100)
    admin = world.caller()
    example = world.session.scalars(select(Example)).one()
    for _ in range(2):
        response = http.get(f"/api/examples/{example.id}/image?size={size}", headers=admin.headers)
        assert response.headers["content-type"] == "image/webp"
        with Image.open(io.BytesIO(response.content)) as thumbnail:
            assert thumbnail.size == (expected, expected)


def test_thumbnails_come_in_few_sizes(http: TestClient, world: World) -> None:
    world.project(images=1)
    example = world.session.scalar(select(Example.id))
    path = f"/api/examples/{example}/image?size=1000000"
    assert http.get(path, headers=world.caller().headers).status_code == 422


def test_images_are_for_members_only(http: TestClient, world: World) -> None:
    world.project(images=1)
    other = world.project()
    stranger = world.caller(Role.ENGINEER, other)
    path = f"/api/examples/{world.session.scalar(select(Example.id))}/image"
    for suffix in ("", "?size=64"):
        response = http.get(path + suffix, headers=stranger.headers)
        assert (response.status_code, response.json()["code"]) == (404, "not_found")
        assert http.get(path + suffix).status_code == 401


def test_import_report_belongs_to_its_project(http: TestClient, world: World) -> None:
    project, other = world.project(), world.project()
    engineer = world.caller(Role.ENGINEER, project, other)
    job_id = upload(http, project, engineer, archive()).json()["id"]
    path = f"/api/projects/{project.id}/imports/{job_id}/report.csv"
    assert http.get(path, headers=engineer.headers).status_code == 404
    run_job(RunJob(job_id=job_id, kind=JobKind.IMPORT_POOL), handler)
    job = http.get(f"/api/jobs/{job_id}", headers=engineer.headers).json()
    assert (job["state"], job["result"]["added"], job["result"]["refused"]) == ("succeeded", 1, 1)
    response = http.get(path, headers=engineer.headers)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/csv")
    heading, line = csv.reader(io.StringIO(response.text))
    assert heading == ["name", "outcome", "reason"]
    assert line[:2] == ["cat/broken.png", "refused"]
    assert_artifact(http, project, engineer, response.content)
    stranger = world.caller(Role.ENGINEER, other)
    artifact = world.session.scalar(select(Artifact.id))
    hidden = http.get(f"/api/artifacts/{artifact}/content", headers=stranger.headers)
    assert (hidden.status_code, hidden.json()["code"]) == (404, "not_found")
    foreign = path.replace(f"/{project.id}/", f"/{other.id}/", 1)
    assert http.get(foreign, headers=engineer.headers).status_code == 404
    unknown = path.replace(f"/{job_id}/", "/999999/")
    assert http.get(unknown, headers=engineer.headers).status_code == 404


def assert_artifact(http: TestClient, project: Project, caller: Caller, content: bytes) -> None:
    """The project's only artifact has this content and says so."""
    path = f"/api/projects/{project.id}/artifacts"
    (artifact,) = http.get(path, headers=caller.headers).json()["items"]
    of_job = {"job_id": artifact["job_id"]}
    assert http.get(path, params=of_job, headers=caller.headers).json()["items"] == [artifact]
    of_job["job_id"] += 1
    assert http.get(path, params=of_job, headers=caller.headers).json()["items"] == []
    assert (artifact["kind"], artifact["bytes"]) == ("import_report", len(content))
    assert artifact["sha256"] == hashlib.sha256(content).hexdigest()
    found = http.get(f"/api/artifacts/{artifact['id']}/content", headers=caller.headers)
    assert found.content == content


def test_annotators_see_names_without_folders(http: TestClient, world: World) -> None:
    project = world.project()
    engineer = world.caller(Role.ENGINEER, project)
    job_id = upload(http, project, engineer, archive()).json()["id"]
    run_job(RunJob(job_id=job_id, kind=JobKind.IMPORT_POOL), handler)
    listed = http.get(f"/api/projects/{project.id}/examples", headers=engineer.headers).json()
    assert [item["name"] for item in listed["items"]] == ["cat/1.png"]
    project.state = ProjectState.RUNNING
    world.open_round(project, 1)
    annotator = world.caller(Role.ANNOTATOR, project)
    # In an ImageFolder the folder is the answer.
    assert [item["name"] for item in lease(http, annotator, project)["items"]] == ["1.png"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("filename=tasks.json&annotation_column=label", "invalid_annotation_column"),
        ("filename=a.png&annotation_column=label", "invalid_annotation_column"),
        ("filename=a.zip&split=evaluation&annotation_column=label", "invalid_annotation_column"),
    ],
)
def test_columns_of_labels_are_refused_where_there_can_be_none(
    http: TestClient, world: World, query: str, code: str
) -> None:
    project = world.project(images=1)
    caller = world.caller(Role.ENGINEER, project)
    response = http.post(
        f"/api/projects/{project.id}/imports?{query}", content=b"x", headers=caller.headers
    )
    assert response.status_code == 400
    assert response.json()["code"] == code
    assert response.json()["field"] == "annotation_column"
    assert world.session.scalars(select(Job)).all() == []


def test_columns_of_labels_are_handed_to_the_job_once_each(http: TestClient, world: World) -> None:
    project = world.project(images=1)
    caller = world.caller(Role.ENGINEER, project)
    query = "filename=labels.csv&annotation_column=a&annotation_column=b&annotation_column=a"
    response = http.post(
        f"/api/projects/{project.id}/imports?{query}&key_column=k",
        content=b"k,a,b\n",
        headers=caller.headers,
    )
    assert response.status_code == 202, response.text
    assert response.json()["params"]["annotations"] == ["a", "b"]
    assert response.json()["params"]["columns"] == {"key": "k"}
