"""A project of boxes made of one of classes begins with boxes where that one's model looks."""

import io
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import select

from core.jobs import queue
from core.jobs.messages import QUEUE_OF, RunJob
from core.states import ExampleState, JobState, ProjectState, Role, Split
from core.tables import Example, Job, Project, Query, Round
from models.media.images.store import PixelStore
from models.tasks.boxes.matching import iou
from tests.api.test_labeling import lease, send, verdict
from tests.processes import eventually, worker
from tests.shapes import Scene, scene
from tests.workers.import_files import Pool
from tests.workers.killing import state
from tests.workers.loop import Loop, run
from tests.world import World
from workers.advance import first_boxes, handler
from workers.advance.advance import Advance

SIDE, IMAGES = 64, 48


class ShapeLoop(Loop):
    """A project of classes whose pictures show a square or a disc; every third has stripes."""

    def __init__(self, world: World, **settings: Any) -> None:
        self.world, self.session = world, world.session
        self.annotator = world.caller(Role.ANNOTATOR).user
        model = {"name": "cnn_tiny", "params": {"steps": 150, "augment": False, "width": 8}}
        self.project = world.project(
            classes=("square", "disc"), state=ProjectState.RUNNING,
            **{"input_size": SIDE, "model": model, "budget": 24, **settings},
        )  # fmt: skip
        self.classes = world.classes(self.project)
        seeds = count()
        self.scenes = [self._scene(index, seeds) for index in range(IMAGES)]
        path = world.storage.pixels(self.project.id, SIDE, "crop")
        with PixelStore.writer(path, SIDE) as writer:
            for index, one in enumerate(self.scenes):
                writer.write(index, one.pixels[None])
                self.session.add(self._example(index, one))
        self.session.commit()
        world.open_round(self.project, 30)

    def _scene(self, index: int, seeds: "count[int]") -> Scene:
        if index % 3 == 0:
            return scene(next(seeds), side=SIDE, shapes=0)
        found = (scene(seed, side=SIDE, shapes=1) for seed in seeds)
        return next(one for one in found if one.boxes[0][0] == index % 2)

    def _example(self, index: int, one: Scene) -> Example:
        file = io.BytesIO()
        Image.fromarray(one.pixels).save(file, "PNG")
        digest = sha256(file.getvalue()).digest()
        self.world.storage.put_image(digest, file.getvalue())
        return Example(
            project_id=self.project.id, pool_index=index, content_hash=digest,
            media_type="image/png", bytes=len(file.getvalue()), width=SIDE, height=SIDE,
            split=Split.POOL, state=ExampleState.UNLABELED, name=f"{index}.png", meta={},
        )  # fmt: skip


def done(world: World, job: Job, log: Path) -> Job:
    """The job, when a worker has done it."""
    with worker(f"housekeeping,{QUEUE_OF[job.kind]}", log, "both"):
        queue.send(RunJob.of(job))
        world.session.commit()
        eventually(
            lambda: state(world, job) not in (JobState.QUEUED, JobState.RUNNING), job.kind.value
        )
    assert job.state is JobState.SUCCEEDED, job.error
    return job


def made_of(
    http: TestClient, world: World, source: Project, do: Callable[[Job], object], name: str
) -> Job:
    """The job that begins the first round of a project of boxes with the pool of ``source``."""
    headers = world.caller().headers
    settings = {"model": {"name": "fcos_scratch", "params": {}}, "first_queue": "random"}
    body = {"name": name, "task": "boxes", "classes": [], "from_project": source.id}
    made = http.post("/api/projects", json={**body, "settings": settings}, headers=headers)
    assert made.status_code == 201, made.text
    number = made.json()["id"]
    newest = select(Job).where(Job.project_id == number).order_by(Job.id.desc()).limit(1)
    do(world.session.scalars(newest).one())
    started = http.post(f"/api/projects/{number}/start", headers=headers)
    assert started.status_code == 200, started.text
    return world.session.scalars(newest).one()


def proposed(world: World, project_id: int) -> dict[str, list[dict[str, Any]] | None]:
    """Proposals by name of the image, in order of the queue."""
    world.session.expire_all()
    statement = select(Example.name, Query.proposals).join(Query, Query.example_id == Example.id)
    rows = world.session.execute(statement.where(Query.project_id == project_id))
    return dict(rows.all())


def found_well(loop: ShapeLoop, rows: dict[str, list[dict[str, Any]] | None]) -> float:
    """The median overlap of the first box with what an image shows."""
    overlaps = []
    for name, boxes in rows.items():
        scene_ = loop.scenes[int(name.removesuffix(".png"))]
        if not scene_.boxes or not boxes:
            continue
        _, left, top, width, height = scene_.boxes[0]
        one = boxes[0]
        given = np.array([[one["x"], one["y"], one["x"] + one["w"], one["y"] + one["h"]]])
        true = np.array([[left, top, left + width, top + height]], dtype=np.float64)
        overlaps.append(float(iou(given, true)[0, 0]))
    return float(np.median(overlaps))


def test_the_first_queue_comes_with_where_a_classifier_looks(
    http: TestClient, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, log = ShapeLoop(world), tmp_path / "worker.log"
    loop.advance(0, n=24)
    job = made_of(http, world, loop.project, lambda one: done(world, one, log), "by workers")
    done(world, job, log)
    assert job.project_id is not None
    project = world.session.get_one(Project, job.project_id)
    classes = {one.name: one.id for one in world.classes(project)}
    rows = proposed(world, project.id)
    assert None not in rows.values()
    assert np.mean([bool(boxes) for boxes in rows.values()]) > 0.7
    whole: dict[str, Any] = {"x": 0, "y": 0, "w": SIDE, "h": SIDE}
    assert found_well(loop, rows) > 1.3 * found_well(loop, {name: [whole] for name in rows})
    # What people have said of an image there is what its box is of.
    for name, boxes in rows.items():
        index = int(name.removesuffix(".png"))
        if index < 24 and index % 3 and boxes:
            assert boxes[0]["class_id"] == classes[("square", "disc")[index % 2]]
    annotator = world.caller(Role.ANNOTATOR, project)
    items = lease(http, annotator, project)["items"]
    item = next(one for one in items if one["proposals"])
    (one,) = item["proposals"]
    assert 0 < one["score"] <= 1
    kept = {**{name: one[name] for name in ("class_id", *"xywh")}, "origin": "kept", "proposal": 0}
    label = {"type": "boxes", "boxes": [kept], "threshold": 0.0}
    sent = send(http, annotator, project, verdict(item["query_id"], "label", label=label))
    assert [given["status"] for given in sent["results"]] == ["accepted"]
    url = f"/api/projects/{project.id}/agreement"
    voters = http.get(url, headers=world.caller().headers).json()["voters"]
    (person,) = (one for one in voters if one["user_id"] == annotator.user.id)
    assert person["proposals"]["kept"] == 1

    # Of a long queue the rest follows when it is open, but for what somebody sees already.
    monkeypatch.setattr(first_boxes, "AT_ONCE", 4)
    pool = Pool(world.session, world.storage, project)
    again = made_of(http, world, loop.project, pool.run, "in parts")
    assert again.project_id is not None
    other = world.session.get_one(Project, again.project_id)
    annotator = world.caller(Role.ANNOTATOR, other)
    held: list[Any] = []

    def look_on(advance: Advance) -> None:
        held.extend(lease(http, annotator, other, n=6)["items"])
        first_boxes.propose_more(advance)

    phases = [
        replace(one, run=look_on) if one.name == "propose_more" else one
        for one in handler.FIRST_PHASES
    ]
    monkeypatch.setattr(handler, "FIRST_PHASES", phases)
    assert run(world.session, again).state is JobState.SUCCEEDED, again.error
    assert [one["proposals"] is None for one in held] == [False] * 4 + [True] * 2
    assert list(proposed(world, other.id).values()).count(None) == 2


def test_a_classifier_that_has_no_places_says_so(http: TestClient, world: World) -> None:
    loop = Loop(world, model={"name": "patch_kmeans", "params": {"features": 16}})
    loop.advance(0)
    pool = Pool(world.session, world.storage, loop.project)
    job = made_of(http, world, loop.project, pool.run, "nowhere")
    assert run(world.session, job).state is JobState.SUCCEEDED, job.error
    assert job.project_id is not None
    assert set(proposed(world, job.project_id).values()) == {None}
    (round_,) = world.session.scalars(select(Round).where(Round.project_id == job.project_id))
    (note,) = (one for one in round_.notes if "No boxes are proposed" in one)
    assert "no place on the image" in note
