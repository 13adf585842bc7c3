"""Images with thousands of boxes, as answers and in exports."""

import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching
from sqlalchemy import select

from api.exports import portions
from core.states import ExampleState, Role
from core.tables import Example
from core.tasks.box_geometry import Corners, iou, matched
from core.tasks.boxes import MOST_BOXES
from tests.api.test_boxes import SIZE, box, boxed, result, said
from tests.api.test_labeling import lease, send
from tests.workers.box_files import BoxPool
from tests.world import World


def piled(seed: int, count: int, spread: float, side: float) -> Corners:
    """(count, 4) corners of boxes that lie on each other."""
    draw = np.random.default_rng(seed)
    begin, sides = draw.random((count, 2)) * spread, side * (1 + draw.random((count, 2)) / 3)
    return np.hstack([begin, begin + sides])


def boxes_of(corners: Corners, class_id: int) -> list[dict[str, Any]]:
    rows = np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]]).tolist()
    return [box(class_id, *sides) for sides in rows]


def test_crowds_of_boxes_are_matched_as_far_as_they_can_be() -> None:
    one, other = piled(0, 1500, 20, 20), piled(1, 700, 20, 20)
    rows, columns = np.nonzero(iou(one, other) >= 0.8)
    pairs = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(1500, 700))
    most = int((maximum_bipartite_matching(pairs) >= 0).sum())
    assert len(matched(one, other, at_least=0.8)) == most > 500


def test_two_people_draw_as_many_boxes_as_fit(http: TestClient, world: World) -> None:
    project = boxed(world, images=1, overlap=2)
    cat, _ = (one.id for one in world.classes(project))
    for seed in range(2):
        caller = world.caller(Role.ANNOTATOR, project)
        (item,) = lease(http, caller, project)["items"]
        drawn = boxes_of(piled(seed, MOST_BOXES, SIZE - 1, 0.2), cat)
        sent = send(http, caller, project, said(item["query_id"], *drawn, threshold=0.3))
        assert result(sent) == ("accepted", None)
        (again,) = http.get(
            f"/api/projects/{project.id}/labeling/recent", headers=caller.headers
        ).json()["items"]
        assert len(again["label"]["boxes"]) == MOST_BOXES
    world.session.expire_all()
    (example,) = world.session.scalars(select(Example))
    assert example.state is ExampleState.LABELED
    assert example.label is not None
    assert len(example.label["boxes"]) >= MOST_BOXES / 2


def test_exports_hold_a_part_of_many_boxes_at_a_time(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = boxed(world, images=5)
    cat, _ = (one.id for one in world.classes(project))
    caller = world.caller(Role.ANNOTATOR, project)
    items = lease(http, caller, project, n=5)["items"]
    counts = [900, 1, 200, 0, 900]
    drawn = [boxes_of(piled(seed, count, SIZE - 1, 0.2), cat) for seed, count in enumerate(counts)]
    answers = [said(item["query_id"], *one) for item, one in zip(items, drawn, strict=True)]
    send(http, caller, project, *answers)
    # Less than one of the large ones takes: each of them comes alone.
    monkeypatch.setattr(portions, "MOST_BYTES", 4_000)
    url, headers = f"/api/projects/{project.id}/export", world.caller().headers
    rows = http.get(f"{url}?format=jsonl", headers=headers).text.splitlines()
    assert [len(json.loads(json.loads(row)["class"])) for row in rows] == counts
    effective = http.get(f"{url}?format=jsonl&effective=true", headers=headers).text.splitlines()
    assert effective == [row.replace('"effective": false', '"effective": true') for row in rows]
    table = http.get(f"{url}?format=parquet", headers=headers).content
    again = BoxPool(world.session, world.storage, world)
    taken = again.result(again.add(table, "boxes.parquet"))
    assert (taken["added"], taken["annotations"]) == (5, 5), taken["refused_examples"]
    assert sorted(len(label.boxes) for label in again.labels().values()) == sorted(counts)
    coco = http.get(f"{url}?format=coco&images=false", headers=headers).json()
    held = [
        sum(one["image_id"] == image["id"] for one in coco["annotations"])
        for image in coco["images"]
    ]
    assert held == counts
