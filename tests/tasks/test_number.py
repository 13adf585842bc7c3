"""A task type that is defined here alone goes the whole way, and nothing else knows it."""

import csv
import io
import json
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import select

from core.states import ArtifactKind, JobState, Split
from core.storage import Storage
from core.tables import Annotation, Artifact, Job, Project, Round
from core.tasks import registry
from tests.tasks.number import NUMBER
from tests.workers.import_files import Pool, encoded, zipped
from tests.workers.loop import run
from tests.world import Caller, World

SIZE = 8
POOL, EVALUATION = 48, 12


@pytest.fixture(autouse=True)
def number() -> Iterator[None]:
    with registry.registered(NUMBER):
        yield


def grey(seed: int) -> tuple[bytes, float]:
    """An image, and how light it is in percent."""
    rng = np.random.default_rng(seed)
    light = float(rng.uniform(10, 90))
    noise = rng.integers(-8, 9, (SIZE, SIZE, 3))
    pixels = np.clip(light * 2.55 + noise, 0, 255).astype(np.uint8)
    return encoded(Image.fromarray(pixels)), round(light, 1)


def is_none(seed: int) -> bool:
    """Whether an image is of something that has no number: stripes."""
    return seed % 6 == 5


def image(seed: int) -> tuple[bytes, float | None]:
    if not is_none(seed):
        return grey(seed)
    rng = np.random.default_rng(seed)
    stripes = (np.indices((SIZE, SIZE))[1] % 2)[..., None] * 200
    pixels = (stripes + rng.integers(0, 50, (SIZE, SIZE, 3))).astype(np.uint8)
    return encoded(Image.fromarray(pixels)), None


def created(http: TestClient, admin: Caller, **body: Any) -> Any:
    given = {
        "name": "How light", "task": "number", "classes": [],
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
        {"file_name": name, "light": "" if value is None or seed >= 8 else value}
        for seed, (name, (_, value)) in enumerate(files)
    ]
    table = io.StringIO()
    writer = csv.DictWriter(table, ["file_name", "light"])
    writer.writeheader()
    writer.writerows([*rows, {"file_name": "0.png", "light": "101"}])
    archive = [("metadata.csv", table.getvalue().encode())]
    archive += [(name, content) for name, (content, _) in files]
    job = pool.add(zipped(archive), annotations=["light"])
    assert job.state is JobState.SUCCEEDED, job.error
    judged = [grey(1000 + seed) for seed in range(EVALUATION)]
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
        said = {"verdict": "ood"} if value is None else {"verdict": "class", "label": label}
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
    assert [one.label for one in known if one.verdict == "class"] == [
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
    # Of images whose lightness is all that differs: a mean would have 0.
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
    shown = http.get(f"/api/examples/{known[0].example_id}", headers=admin.headers).json()
    assert shown["annotations"][0]["label"]["type"] == "number"
