"""What is said of images that somebody sent to the queue: the newest prediction of each."""

import json
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from core.states import ArtifactKind, ExampleState, ProjectState, RoundState
from core.tables import Artifact, Example, Project, Query, Round
from models.ranking.pool_scores import PoolScores
from tests.api.test_grid import grouped
from tests.api.test_labeling import lease, send, verdict
from tests.api.test_pool_actions import act, ids_of
from tests.world import World


def open_round(
    world: World, project: Project, number: int, scored: range, output: int, inside: float | None
) -> Round:
    """A round of two images by a model that takes what it scored for one class, 4 to 1."""
    round_ = world.open_round(project, 2, number)
    logits = np.zeros((len(scored), 2), dtype=np.float32)
    logits[:, output] = np.log(4)
    zeros = np.zeros(len(scored), dtype=np.float32)
    key = f"projects/{project.id}/rounds/{number}/scores.parquet"
    known = None if inside is None else zeros + np.float32(inside)
    path = world.storage.artifact(key)
    PoolScores(np.array(scored), logits, zeros, zeros, zeros, known).to_parquet(path)
    file = Artifact(
        project_id=project.id,
        round_id=round_.id,
        kind=ArtifactKind.SCORES,
        storage_key=key,
        sha256=key,
        bytes=path.stat().st_size,
        meta={"class_ids": [one.id for one in world.classes(project)]},
    )
    world.session.add(file)
    asked = update(Query).where(Query.round_id == round_.id)
    class_id = world.classes(project)[output].id
    world.session.execute(
        asked.values(predicted_class_id=class_id, probability=0.8, in_probability=inside)
    )
    world.session.commit()
    return round_


@pytest.fixture
def project(world: World) -> Project:
    """Twelve images: round 0 scored the first eight of them, round 1 the sixth to the ninth."""
    project = world.project(images=12, evaluation=1, state=ProjectState.RUNNING)
    before = open_round(world, project, 0, range(8), output=0, inside=None)
    before.state = RoundState.CLOSED
    world.session.query(Query).update({Query.done: True})
    open_round(world, project, 1, range(5, 9), output=1, inside=0.25)
    return project


def test_of_each_image_by_the_latest_scores(
    http: TestClient, world: World, project: Project
) -> None:
    admin, ids = world.caller(), ids_of(world, project)
    _, dog = (one.id for one in world.classes(project))
    sent = [ids[10], ids[6]]
    assert act(http, project, admin, "queue", ids=[*sent, ids[12]])["example_ids"] == sent
    items = {item["example_id"]: item for item in lease(http, admin, project, 8)["items"]}
    said = {
        id_: tuple(items[id_][name] for name in ("predicted_class_id", "in_probability"))
        for id_ in sent
    }
    assert said == {ids[6]: (dog, 0.25), ids[10]: (None, None)}
    assert items[ids[6]]["probability"] == pytest.approx(0.8)
    assert items[ids[10]]["probability"] is None


def test_the_grid_puts_them_with_what_is_alike(
    http: TestClient, world: World, project: Project
) -> None:
    admin, ids = world.caller(), ids_of(world, project)
    act(http, project, admin, "queue", ids=[ids[6], ids[10], ids[7]])
    handed = [item["example_id"] for item in grouped(http, admin, project, 2)]
    # Likely OOD, both of them; what was sent between them comes after.
    assert handed == [ids[6], ids[7]]


def test_what_is_asked_again_has_the_prediction_of_before_its_answer(
    http: TestClient, world: World, project: Project
) -> None:
    admin, ids = world.caller(), ids_of(world, project)
    item = lease(http, admin, project, 1)["items"][0]
    assert item["example_id"] == ids[2]
    send(http, admin, project, verdict(item["query_id"]))
    assert act(http, project, admin, "queue", ids=[ids[2]])["again"] == 1
    again = lease(http, admin, project, 1)["items"][0]
    _, dog = world.classes(project)
    assert (again["example_id"], again["predicted_class_id"]) == (ids[2], dog.id)


def test_of_a_new_class_no_model_says_anything(
    http: TestClient, world: World, project: Project
) -> None:
    admin, ids = world.caller(), ids_of(world, project)
    ood = select(Example).where(Example.id.in_(ids[6:8]))
    for example in world.session.scalars(ood):
        example.state = ExampleState.OOD
    world.session.commit()
    act(http, project, admin, "promote", 201, ids=ids[6:8], name="bird")
    items = lease(http, admin, project, 2)["items"]
    assert [item["example_id"] for item in items] == ids[6:8]
    assert {item["predicted_class_id"] for item in items} == {None}


def test_scores_that_are_gone_keep_nothing_from_the_queue(
    http: TestClient, world: World, project: Project
) -> None:
    admin, ids = world.caller(), ids_of(world, project)
    world.storage.artifact(f"projects/{project.id}/rounds/1/scores.parquet").unlink()
    assert act(http, project, admin, "queue", ids=[ids[6]])["example_ids"] == [ids[6]]
    item = lease(http, admin, project, 1)["items"][0]
    assert (item["example_id"], item["predicted_class_id"]) == (ids[6], None)


def test_nobody_who_answers_waits_while_the_scores_are_read(
    http: TestClient, world: World, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, free = pq.ParquetFile, []
    rounds = select(Round.number).where(Round.project_id == project.id, Round.number == 1)

    def meanwhile(*given: Any, **how: Any) -> pq.ParquetFile:
        # Answers begin so.
        free.append(world.session.scalar(rounds.with_for_update(nowait=True, key_share=True)))
        world.session.rollback()
        return read(*given, **how)

    admin = world.caller()
    monkeypatch.setattr(pq, "ParquetFile", meanwhile)
    drawn = http.post(f"/api/projects/{project.id}/audit", json={"n": 2}, headers=admin.headers)
    assert (drawn.status_code, drawn.json().get("asked"), free) == (202, 2, [1])


def test_exports_tell_of_a_model_only_what_it_was_asked_about(
    http: TestClient, world: World, project: Project
) -> None:
    admin, ids = world.caller(), ids_of(world, project)
    chosen = world.session.scalars(select(Query).where(~Query.done).order_by(Query.rank)).first()
    assert chosen is not None
    act(http, project, admin, "queue", ids=[ids[6], chosen.example_id])
    params: dict[str, str | bool] = {"format": "label_studio", "images": False, "unlabeled": True}
    path = f"/api/projects/{project.id}/export"
    tasks = json.loads(http.get(path, params=params, headers=admin.headers).text)
    predictions = {task["id"]: task["predictions"] for task in tasks}
    # Nobody asked about it because of what a model says.
    assert predictions[ids[6]] == []
    (told,) = predictions[chosen.example_id]
    assert (told["model_version"], told["score"]) == ("round-0", 0.8)
