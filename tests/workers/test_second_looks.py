"""Answers that are most probably wrong are asked for once more, within the budget."""

from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from core.states import Role, Verdict
from core.tables import Annotation, Example, Query
from core.tasks.classification import stored_class
from models.media.images.store import PixelStore
from models.relabeling.second_looks import FEWEST, doubtful
from tests.workers.loop import Loop
from tests.world import World
from workers.advance import second_looks

FROZEN: dict[str, Any] = {
    "model": {"name": "patch_kmeans", "params": {"features": 16, "iterations": 2}},
    "strategy": {"name": "random"},
    "purity": {"name": "knn"},
    "images": 130,
    "budget": 40,
}


def answered(loop: Loop, number: int) -> list[tuple[Annotation, Example]]:
    statement = (
        select(Annotation, Example)
        .join(Example, Example.id == Annotation.example_id)
        .where(Annotation.round_id == loop.rounds()[number].id)
        .order_by(Annotation.id)
    )
    return [(one, example) for one, example in loop.session.execute(statement)]


def mislabel(loop: Loop, number: int, count: int) -> set[int]:
    """Say of the first answers of a round the other class; returns the ids of their examples."""
    wrong = answered(loop, number)[:count]
    for annotation, example in wrong:
        other = next(one.id for one in loop.classes if one.id != annotation.class_id)
        annotation.label = example.label = stored_class(other)
    loop.session.commit()
    return {example.id for _, example in wrong}


def asked_again(loop: Loop, number: int) -> list[Query]:
    statement = (
        select(Query)
        .where(Query.round_id == loop.rounds()[number].id, Query.again_after.is_not(None))
        .order_by(Query.rank)
    )
    return list(loop.session.scalars(statement))


def striped(world: World, **settings: Any) -> Loop:
    """A project whose classes are told apart by features: stripes along, and stripes across."""
    loop = Loop(world, **FROZEN | settings)
    count = loop.session.scalar(select(func.count()).select_from(Example)) or 0
    noise = np.random.default_rng(0).normal(128, 8, size=(count, 8, 8, 3))
    stripes = np.tile(np.where(np.arange(8) % 2, 60, -60), (8, 1))
    images = noise + np.stack([stripes, stripes.T])[np.arange(count) % 2][..., None]
    with PixelStore.writer(world.storage.pixels(loop.project.id, 8, "crop"), 8) as pixels:
        pixels.write(0, images.clip(0, 255).astype(np.uint8))
    return loop


def looked_at(loop: Loop) -> set[int]:
    """Two rounds, two answers of the second one wrong, and a third round that is open."""
    loop.advance(0, 12, Verdict.LABEL)
    loop.answer(1, 40, Verdict.LABEL)
    wrong = mislabel(loop, 1, 2)
    job = loop.finish(1)
    assert job.error is None
    return wrong


def test_wrong_answers_begin_the_next_queue_and_what_became_of_them_is_told(world: World) -> None:
    loop = striped(world, second_looks=0.05)
    wrong = looked_at(loop)
    again = asked_again(loop, 2)
    assert {query.example_id for query in again} == wrong
    first = select(Query.id).where(Query.round_id == loop.rounds()[2].id).order_by(Query.rank)
    assert set(loop.session.scalars(first.limit(2))) == {query.id for query in again}
    assert all(query.requested and query.predicted_class_id is None for query in again)
    assert loop.rounds()[2].notes[0] == (
        "Its queue begins with 2 answers that are most probably wrong, for a second look."
    )

    before = {one.example_id: one for one, _ in answered(loop, 1) if one.example_id in wrong}
    # One is put right, and one is said again.
    loop.answer(2, 2, Verdict.LABEL)
    for number, (annotation, example) in enumerate(answered(loop, 2)):
        annotation.supersedes_id = before[example.id].id
        if number:
            annotation.label = before[example.id].label
    loop.session.commit()
    loop.answer(2, 30, Verdict.LABEL)
    assert loop.finish(2).error is None
    closed = loop.rounds()[2]
    assert closed.metrics["second_looks"] == {"answered": 2, "changed": 1}
    assert "Second looks: 1 of 2 gave another answer." in closed.notes
    # Nor is that lost where the round closes once more, so that a finished project goes on.
    assert second_looks.outcome(loop.session, closed) == {"answered": 2, "changed": 1}
    # Nobody is asked for the same answer a third time.
    assert wrong.isdisjoint({query.example_id for query in asked_again(loop, 3)})


def test_one_annotator_is_asked_nothing_again_unless_that_is_chosen(world: World) -> None:
    alone = striped(world)
    looked_at(alone)
    assert asked_again(alone, 2) == []


def test_where_several_label_the_doubtful_answers_are_asked_for_again(world: World) -> None:
    several = striped(world)
    other = world.caller(Role.ANNOTATOR).user
    several.advance(0, 12, Verdict.LABEL)
    several.answer(1, 40, Verdict.LABEL)
    wrong = mislabel(several, 1, 2)
    for annotation, _ in answered(several, 0):
        annotation.annotator_id = other.id
    several.session.commit()
    assert several.finish(1).error is None
    assert {query.example_id for query in asked_again(several, 2)} == wrong


def test_what_several_have_answered_is_left_to_their_votes(world: World) -> None:
    loop = Loop(world, second_looks=0.05, overlap=2, **FROZEN)
    loop.advance(0, 12, Verdict.LABEL)
    (annotation, example), (_, other) = answered(loop, 0)[:2]
    annotation.example_id = other.id
    annotation.annotator_id = world.caller(Role.ANNOTATOR).user.id
    loop.session.commit()
    indices = [example.pool_index, other.pool_index]
    assert second_looks.queries(loop.session, loop.project.id, indices) == []
    loop.session.commit()


def test_what_a_reviewer_settled_meanwhile_is_left_out(world: World) -> None:
    loop = striped(world, second_looks=0.05)
    loop.advance(0, 12, Verdict.LABEL)
    (annotation, example), (_, other) = answered(loop, 0)[:2]
    loop.session.add(
        Annotation(
            project_id=loop.project.id,
            example_id=example.id,
            source="review",
            annotator_id=loop.annotator.id,
            client_key=func.gen_random_uuid(),
            verdict=Verdict.OOD,
            seconds=1.0,
            cost=0.0,
            counted=True,
            supersedes_id=annotation.id,
        )
    )
    loop.session.commit()
    indices = [example.pool_index, other.pool_index]
    rows = second_looks.queries(loop.session, loop.project.id, indices)
    assert [row["example_id"] for row in rows] == [other.id]
    loop.session.commit()


@pytest.mark.parametrize("count", [FEWEST - 1, 60])
def test_few_answers_are_not_doubted_and_no_more_than_asked(count: int) -> None:
    generator = np.random.default_rng(0)
    labels = np.arange(count, dtype=np.int64) % 2
    embeddings = generator.normal(size=(count, 8)).astype(np.float32)
    embeddings[:, 0] += 12 * labels
    wrong = np.array([4, 9, 14, 19])
    given = labels.copy()
    given[wrong] = 1 - given[wrong]
    found = doubtful(embeddings, given, classes=3, most=3, seed=0)
    assert len(found) == (0 if count < FEWEST else 3)
    assert set(found.tolist()) <= set(wrong.tolist())


def test_a_class_of_few_and_what_is_settled_are_not_doubted() -> None:
    generator = np.random.default_rng(1)
    labels = np.repeat(np.array([0, 1, 2]), [30, 30, 4]).astype(np.int64)
    embeddings = generator.normal(size=(64, 8)).astype(np.float32)
    embeddings[:, 0] += 12 * (labels == 1)
    given = labels.copy()
    given[[3, 40]] = [1, 0]
    settled = np.arange(64) == 3
    found = doubtful(embeddings, given, classes=3, most=9, seed=0, settled=settled)
    assert found.tolist() == [40]
