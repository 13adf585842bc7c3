"""What is known of images with many boxes is read without all of it being there at once."""

import tracemalloc
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sqlalchemy import insert, select, update

from core.states import ProjectState, Source, Verdict
from core.tables import Annotation, Example
from core.tasks.boxes import BOXES
from models.tasks.boxes.targets import BoxTargets
from tests.world import World
from workers.labels.learners import learner_of
from workers.labels.verdicts import read_truths, read_verdicts

IMAGES, MANY = 100, 100
MOST_BYTES = 3500 << 10
"""As objects the boxes of one person take half as much again."""


def boxes(classes: tuple[int, int], below: float = 0.0) -> dict[str, Any]:
    """A label of many boxes, of one class and the other in turn."""
    return {
        "type": "boxes",
        "boxes": [
            {"class_id": classes[place % 2], "x": place / 20, "y": below,
             "w": 2.0, "h": 2.0, "crowd": place == 7}
            for place in range(MANY)
        ],
    }  # fmt: skip


@contextmanager
def within_memory(people: int) -> Iterator[None]:
    learner_of(BOXES.name)  # which brings a library
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < people * MOST_BYTES
    finally:
        tracemalloc.stop()


def test_labels_are_read_one_after_the_other(world: World) -> None:
    project = world.project(images=IMAGES, state=ProjectState.RUNNING)
    project.task = "boxes"
    cat, dog = (one.id for one in world.classes(project))
    people = ["one", "other"]
    examples = world.session.scalars(select(Example).order_by(Example.pool_index)).all()
    rows = [
        {
            "project_id": project.id, "example_id": one.id,
            "source": Source.IMPORT, "source_name": person,
            "client_key": uuid.uuid4(), "seconds": 1.0, "cost": 1.0, "counted": True,
            "verdict": Verdict.OOD if one.pool_index % 10 == 0 else Verdict.LABEL,
            "label": None if one.pool_index % 10 == 0 else boxes((cat, dog), turn / 100),
        }
        # Not in the order of the pool, as people answer.
        for turn, person in enumerate(people) for one in reversed(examples)
    ]  # fmt: skip
    world.session.execute(insert(Annotation), rows)
    world.session.commit()
    del rows
    with within_memory(len(people)):
        found = read_verdicts(world.session, project.id, BOXES, [dog, cat], None)
    np.testing.assert_array_equal(found.indices, np.arange(IMAGES))
    np.testing.assert_array_equal(np.flatnonzero(found.is_ood), np.arange(0, IMAGES, 10))
    targets = found.targets
    assert isinstance(targets, BoxTargets)
    assert set(targets.counts[~found.is_ood]) == {MANY}
    # Two people drew each box, one a little lower.
    np.testing.assert_allclose(
        targets.corners[:2], [[0, 0.005, 2, 2.005], [0.05, 0.005, 2.05, 2.005]]
    )
    assert targets.classes[:4].tolist() == [1, 0, 1, 0]
    assert np.flatnonzero(targets.crowd[:MANY]).tolist() == [7]


def test_truths_are_read_one_after_the_other(world: World) -> None:
    project = world.project(evaluation=IMAGES, state=ProjectState.RUNNING)
    project.task = "boxes"
    cat, dog = (one.id for one in world.classes(project))
    mine = update(Example).where(Example.project_id == project.id)
    world.session.execute(mine.values(label=boxes((cat, dog))))
    world.session.commit()
    with within_memory(1):
        indices, targets = read_truths(world.session, project.id, BOXES, [dog, cat])
    np.testing.assert_array_equal(indices, np.arange(IMAGES))
    assert isinstance(targets, BoxTargets)
    assert set(targets.counts) == {MANY}
    assert targets.corners[1].tolist() == [0.05, 0, 2.05, 2]
    assert targets.classes[:4].tolist() == [1, 0, 1, 0]
