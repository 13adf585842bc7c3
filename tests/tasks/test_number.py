"""A task type that is defined here alone goes the whole way, and nothing else knows it."""

import csv
import io
import json
import uuid
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import select

from core.files.storage import Storage
from core.states import ArtifactKind, JobState, ProjectState, Source, Split, Verdict
from core.tables import Annotation, Artifact, Example, Job, Project, Round
from core.tasks import registry
from core.verdicts.consensus import Vote, is_disputed, outcome
from tests.tasks.number import NUMBER, NumberLabel
from tests.workers.import_files import Pool, encoded, zipped
from tests.workers.loop import run
from tests.world import Caller, World

SIZE = 16
POOL, EVALUATION = 48, 12


@pytest.fixture(autouse=True)
def number() -> Iterator[None]:
    with registry.registered(NUMBER):
        yield


def striped(seed: int, axis: int = 1) -> tuple[bytes, float]:
    """An image of stripes from the left to somewhere, and how many percent of it they cover."""
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(0, SIZE + 1))
    place = np.indices((SIZE, SIZE))
    stripes = np.where(place[1] < columns, place[axis] % 2 * 150, 75)[..., None]
    pixels = (stripes + rng.integers(0, 40, (SIZE, SIZE, 3))).astype(np.uint8)
    return encoded(Image.fromarray(pixels)), 100 * columns / SIZE


def is_none(seed: int) -> bool:
    """Whether an image is of something that has no number: stripes that lie down."""
    return seed % 6 == 5


def image(seed: int) -> tuple[bytes, float | None]:
    if is_none(seed):
        return striped(seed, axis=0)[0], None
    return striped(seed)


def created(http: TestClient, admin: Caller, **body: Any) -> Any:
    given = {
        "name": "How striped", "task": "number", "classes": [],
        "settings": {
            "input_size": SIZE, "budget": 12, "model": {"name": "patch_kmeans"},
            "strategy": {"name": "mqnet"}, "purity": {"name": "knn"},
        },
        **body,
    }  # fmt: skip
    return http.post("/api/projects", json=given, headers=admin.headers)


def imported(world: World, project: Project) -> dict[int, float | None]:
    """Import a pool, eight labels among it, and an evaluation split; the truth by pool index."""
    pool = Pool(world.session, Storage(world.storage.root), project)
    files = [(f"{seed}.png", image(seed)) for seed in range(POOL)]
    rows = [
        {"file_name": name, "striped": "" if value is None or seed >= 8 else value}
        for seed, (name, (_, value)) in enumerate(files)
    ]
    table = io.StringIO()
    writer = csv.DictWriter(table, ["file_name", "striped"])
    writer.writeheader()
    writer.writerows([*rows, {"file_name": "0.png", "striped": "101"}])
    archive = [("metadata.csv", table.getvalue().encode())]
    archive += [(name, content) for name, (content, _) in files]
    job = pool.add(zipped(archive), annotations=["striped"])
    assert job.state is JobState.SUCCEEDED, job.error
    judged = [striped(1000 + seed) for seed in range(EVALUATION)]
    lines = ["file_name,label", *(f"e{n}.png,{value}" for n, (_, value) in enumerate(judged))]
    archive = [("metadata.csv", "\n".join(lines).encode())]
    archive += [(f"e{n}.png", content) for n, (content, _) in enumerate(judged)]
    job = pool.add(zipped(archive), split=Split.EVALUATION)
    assert job.state is JobState.SUCCEEDED, job.error
    by_name = {name: value for name, (_, value) in files}
    return {one.pool_index: by_name.get(one.name) for one in pool.examples()}


def answer(
    http: TestClient, caller: Caller, project: Project, truth: dict[int, float | None], n: int
) -> None:
    """Answer ``n`` queries as the truth says."""
    base = f"/api/projects/{project.id}/labeling"
    lease = http.post(
        f"{base}/lease", json={"n": n, "client": str(uuid.uuid4())}, headers=caller.headers
    ).json()
    answers = []
    for item in lease["items"]:
        value = truth[int(item["name"].removesuffix(".png"))]
        label = {"type": "number", "value": value}
        said = {"verdict": "ood"} if value is None else {"verdict": "label", "label": label}
        answers.append(
            {"key": str(uuid.uuid4()), "query_id": item["query_id"], "seconds": 1.0, **said}
        )
    sent = http.post(f"{base}/answers", json={"answers": answers}, headers=caller.headers)
    assert sent.status_code == 200, sent.text
    assert {one["status"] for one in sent.json()["results"]} == {"accepted"}


def finish(world: World, project: Project) -> Job:
    """Run the round's job that is waiting, in this process."""
    world.session.expire_all()
    statement = (
        select(Job)
        .where(Job.project_id == project.id, Job.state == JobState.QUEUED)
        .order_by(Job.id.desc())
    )
    waiting = world.session.scalars(statement).first()
    assert waiting is not None
    job = run(world.session, waiting)
    assert job.state is JobState.SUCCEEDED, job.error
    return job


def test_a_number_goes_from_import_to_export(http: TestClient, world: World) -> None:
    admin = world.caller()
    made = created(http, admin)
    assert made.status_code == 201, made.text
    project = world.session.get_one(Project, made.json()["id"])
    world.session.commit()
    truth = imported(world, project)
    known = world.session.scalars(
        select(Annotation).where(Annotation.project_id == project.id).order_by(Annotation.id)
    ).all()
    assert [one.label for one in known if one.verdict == "label"] == [
        {"type": "number", "value": truth[seed]} for seed in range(8) if not is_none(seed)
    ]
    assert {one.class_id for one in known} == {None}

    started = http.post(f"/api/projects/{project.id}/start", headers=admin.headers)
    assert started.status_code == 200, started.text
    finish(world, project)
    for _ in range(2):
        answer(http, admin, project, truth, 12)
        finish(world, project)

    world.session.expire_all()
    rounds = world.session.scalars(
        select(Round).where(Round.project_id == project.id).order_by(Round.number)
    ).all()
    assert [one.metrics["headline"]["name"] for one in rounds[:2]] == ["r2", "r2"]
    # The mean of all labels has 0.
    assert rounds[1].metrics["headline"]["value"] > 0.8
    assert rounds[1].accuracy is None
    kept = world.session.scalars(
        select(Artifact.storage_key).where(
            Artifact.project_id == project.id, Artifact.kind == ArtifactKind.SCORES
        )
    ).all()
    predicted = pq.read_table(world.storage.artifact(kept[-1]))
    off = [
        abs(value - expected)
        for index, value in zip(
            predicted["pool_index"].to_pylist(), predicted["number"].to_pylist(), strict=True
        )
        if (expected := truth[index]) is not None
    ]
    assert np.median(off) < 15

    lines = http.get(f"/api/projects/{project.id}/export?format=jsonl", headers=admin.headers)
    rows = [json.loads(line) for line in lines.text.splitlines()]
    said = {row["pool_index"]: row["class"] for row in rows if row["verdict"] == "class"}
    assert said == {index: f"{truth[index]:g}" for index in said}
    assert len(said) >= 8
    shown = http.get(
        f"/api/projects/{project.id}/examples/{known[0].example_id}", headers=admin.headers
    ).json()
    assert shown["annotations"][0]["label"]["type"] == "number"
    refused = http.get(f"/api/projects/{project.id}/export?format=coco", headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (400, "wrong_task")
    body = {"kind": "relabel", "params": {}}
    refused = http.post(f"/api/projects/{project.id}/jobs", json=body, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_for_task")


def test_labels_of_another_type_are_refused(http: TestClient, world: World) -> None:
    admin = world.caller()
    strange = created(http, admin, name="Strange", task="letter")
    assert (strange.status_code, strange.json()["code"]) == (400, "unknown_task")
    assert "number" in strange.json()["detail"]
    project = world.project(images=4, state=ProjectState.RUNNING)
    world.open_round(project, 4)
    base = f"/api/projects/{project.id}/labeling"
    lease = {"n": 1, "client": str(uuid.uuid4())}
    (item,) = http.post(f"{base}/lease", json=lease, headers=admin.headers).json()["items"]
    for label, status, said in (
        ({"type": "number", "value": 50}, 200, "wrong_label_type"),
        ({"type": "number", "value": 101}, 422, "less than or equal to 100"),
        ({"type": "letter", "value": "a"}, 422, "no task type"),
        ({"type": "classification", "class_id": 10**6}, 200, "unknown_class"),
    ):
        one = {"key": str(uuid.uuid4()), "query_id": item["query_id"], "verdict": "label"}
        body = {"answers": [{**one, "label": label, "seconds": 1}]}
        sent = http.post(f"{base}/answers", json=body, headers=admin.headers)
        assert sent.status_code == status, sent.text
        assert said in sent.text
    cat = world.classes(project)[0].id
    label = {"type": "classification", "class_id": cat}
    one = {"key": str(uuid.uuid4()), "query_id": item["query_id"], "verdict": "label"}
    body = {"answers": [{**one, "label": label, "seconds": 1}]}
    sent = http.post(f"{base}/answers", json=body, headers=admin.headers).json()
    assert sent["results"][0]["status"] == "accepted"
    (recent,) = http.get(f"{base}/recent", headers=admin.headers).json()["items"]
    assert (recent["class_id"], recent["label"]) == (cat, label)


def test_people_who_mean_nearly_the_same_agree(http: TestClient, world: World) -> None:
    project = world.project(images=3)
    project.task = "number"
    examples = world.session.scalars(select(Example).order_by(Example.pool_index)).all()
    said = [(20.0, 22.0, 80.0), (50.0, 50.0, 50.0), (10.0, 60.0, 90.0)]
    for example, values in zip(examples, said, strict=True):
        for who, value in enumerate(values):
            world.session.add(
                Annotation(
                    project_id=project.id, example_id=example.id, source=Source.IMPORT,
                    source_name=f"column {who}", client_key=uuid.uuid4(), verdict=Verdict.LABEL,
                    label={"type": "number", "value": value}, seconds=0.0, cost=0.0, counted=True,
                )
            )  # fmt: skip
    world.session.commit()
    headers = world.caller().headers
    found = http.get(f"/api/projects/{project.id}/agreement", headers=headers).json()["classes"]
    # Of nine pairs four are five apart at most.
    assert (found["pairs"], found["share"]) == (9, pytest.approx(4 / 9))
    every = [one for row in said for one in row]
    observed = np.mean([abs(a - b) for row in said for a, b in combinations(row, 2)])
    by_chance = np.mean([abs(a - b) for a, b in combinations(every, 2)])
    assert found["alpha"] == pytest.approx(1 - observed / by_chance)
    votes = [
        [Vote(Verdict.LABEL, NumberLabel(type="number", value=one)) for one in values]
        for values in said
    ]
    assert [is_disputed(one) for one in votes] == [True, False, True]
    agreed = [outcome(one)[1] for one in votes]
    assert [one.value for one in agreed if isinstance(one, NumberLabel)] == [21.0, 50.0, 10.0]


def test_a_package_brings_a_task_type(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "number"

        def load(self) -> object:
            return NUMBER

    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()] if group else [])
    registry._known.cache_clear()
    try:
        assert [one.name for one in registry.task_types()][-1] == "number"
    finally:
        monkeypatch.undo()
        registry._known.cache_clear()
        # For the fixture to take away again.
        registry.register(NUMBER)


def test_what_is_there_is_shown_without_the_package_that_brings_the_type(
    http: TestClient, world: World
) -> None:
    project = world.project(images=4, state=ProjectState.RUNNING)
    world.open_round(project, 4)
    project.task = "letter"
    world.session.commit()
    headers = world.caller().headers
    for page in ("rounds", "duplicates"):
        assert http.get(f"/api/projects/{project.id}/{page}", headers=headers).status_code == 200
