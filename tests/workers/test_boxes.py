"""Rounds that learn to find boxes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sqlalchemy import func, select

from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import JobState, RoundState, Verdict
from core.tables import Annotation
from models.ranking.pool_scores import PoolScores
from models.tasks.boxes.matching import iou
from models.tasks.boxes.targets import BoxTargets
from tests.processes import eventually, worker
from tests.workers.box_loop import BoxLoop
from tests.workers.killing import kill_in_every_phase, named, state
from tests.world import World
from workers.advance import handler
from workers.advance.advance import Advance
from workers.advance.answers import answered_then
from workers.advance.reads import seconds_of_boxes
from workers.advance.selecting import select as select_queries
from workers.labels.snapshot import take

CACHED = {"name": "fcos", "params": {"steps": 120, "batch_size": 4, "input_size": 64}}
PROBE = {"name": "probe", "params": {"least_ood": 1}}


def headline(loop: BoxLoop, number: int) -> float:
    metrics = loop.rounds()[number].metrics
    assert metrics["headline"]["name"] == "mAP"
    value: float = metrics["headline"]["value"]
    return value


def test_two_rounds_find_more(world: World) -> None:
    loop = BoxLoop(world, model=CACHED, strategy={"name": "mqnet"}, purity=PROBE)
    loop.advance(0, n=3)
    loop.advance(1, n=12)
    first, second, third = loop.rounds()
    assert (first.state, second.state, third.state) == (
        RoundState.CLOSED, RoundState.CLOSED, RoundState.OPEN,
    )  # fmt: skip
    assert headline(loop, 1) > headline(loop, 0)
    assert 0 < second.metrics["map50"] <= 1
    assert set(second.metrics["per_class"]) == {str(one.id) for one in loop.classes}
    assert all(score is not None for _, _, score in loop.queue(2))


def test_queues_come_with_what_the_detector_has_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pal = {"name": "pal", "params": {"fewest": 2}}
    loop = BoxLoop(world, model=CACHED, evaluation=0, strategy=pal, purity=PROBE)
    loop.advance(0, n=12)
    (rows, first) = loop.proposals(1), loop.proposals(0)
    # 3 and 11 are OOD, and in 7 is nothing: what is found has boxes.
    assert loop.rounds()[0].metrics["ood_left"]["found"] == 9
    assert {one for _, one in first} == {None}
    assert all(rows)
    known = {one.id for one in loop.classes}
    for index, found in rows:
        assert found is not None
        assert len(found) <= 100
        assert [one["score"] for one in found] == sorted(
            (one["score"] for one in found), reverse=True
        )
        for one in found:
            assert one["class_id"] in known
            assert 0 <= one["x"] < one["x"] + one["w"] <= 64 + 0.01
            assert 0 <= one["y"] < one["y"] + one["h"] <= 64 + 0.01
        assert index < 48
    found_right = [
        best_overlap(loop.truth(index)["boxes"], found[0])
        for index, found in rows
        if found and loop.truth(index)["boxes"]
    ]
    assert np.median(found_right) > 0.5
    path = f"projects/{loop.project.id}/rounds/1/scores.parquet"
    scored = PoolScores.from_parquet(world.storage.artifact(path))
    assert scored.detections is not None
    assert scored.detections.shape == (36, 100, 6)
    assert (scored.informativeness >= 0).all()
    # What became of them is what the next queue learns from, by the classes of then.
    known_then: list[tuple[NDArray[Any], NDArray[Any]]] = []

    def look_on(advance: Advance) -> None:
        first, *others = advance.previous_class_ids
        for class_ids in ([first, *others], [-first, *others]):
            answered = answered_then(replace(advance, previous_class_ids=class_ids))
            assert answered is not None
            then, _ = answered
            assert scored.detections is not None
            assert then.detections is not None
            before = scored.detections[np.isin(scored.indices, then.indices)]
            known_then.append((before, then.detections))
        select_queries(advance)

    phases = [replace(one, run=look_on) if one.name == "select" else one for one in handler.PHASES]
    monkeypatch.setattr(handler, "PHASES", phases)
    square, disc = loop.classes
    square.position, disc.position = 1, 0
    loop.session.commit()
    loop.advance(1, n=12)
    assert not any("Too few proposed boxes" in note for note in loop.rounds()[2].notes)
    (before, turned), (whole, without_first) = known_then
    is_there = before[:, :, 4] > 0
    assert (before[is_there][:, 5] == 0).any()
    assert_array_equal(turned[is_there][:, 5], 1 - before[is_there][:, 5])
    assert_array_equal(without_first[:, :, 4] > 0, (whole[:, :, 4] > 0) & (whole[:, :, 5] == 1))


def best_overlap(boxes: list[dict[str, Any]], one: dict[str, Any]) -> float:
    def corners(box: dict[str, Any]) -> list[float]:
        return [box["x"], box["y"], box["x"] + box["w"], box["y"] + box["h"]]

    return float(iou(np.array([corners(one)]), np.array([corners(box) for box in boxes])).max())


def test_nothing_and_ood_are_two_things(world: World) -> None:
    loop = BoxLoop(world, model=CACHED, evaluation=0, strategy={"name": "mqnet"}, purity=PROBE)
    loop.answer(0, 12)
    snapshot = take(loop.session, loop.project.id, 0)
    positions = {index: place for place, index in enumerate(snapshot.labeled.tolist())}
    is_ood = [bool(snapshot.labels.is_ood[positions[index]]) for index in range(12)]
    # 3 and 11 are OOD, 7 holds nothing; none of them is what purity looks for.
    assert [index for index, one in enumerate(is_ood) if one] == [3, 7, 11]
    assert snapshot.ood.tolist() == [3, 11]
    trained, targets = snapshot.trained()
    assert 7 in trained.tolist()
    assert isinstance(targets, BoxTargets)
    assert targets.counts[trained.tolist().index(7)] == 0


def test_without_a_box_no_model_is_trained(world: World) -> None:
    loop = BoxLoop(world, model=CACHED, evaluation=0)
    loop.advance(0, n=4, verdict=Verdict.OOD)
    assert "No label to learn from yet, so no model was trained." in loop.rounds()[0].notes
    assert loop.proposals(1)[0][1] is None


def test_what_a_look_and_a_box_take_is_read_from_answers(world: World) -> None:
    loop = BoxLoop(world, images=12, evaluation=0)
    loop.answer(0, 12)
    assert seconds_of_boxes(loop.session, loop.project.id) is None
    answers = loop.session.scalars(select(Annotation)).all()
    empty = [one for one in answers if one.label is None or not one.label["boxes"]]
    assert 0 < len(empty) < len(answers)
    for number in range(20 * len(answers)):
        one = answers[number % len(answers)]
        boxes = len(one.label["boxes"]) if one.label else 0
        # Now and then somebody goes for a coffee.
        seconds = 2.0 + 4.0 * boxes + (600 if number % 9 == 0 else 0)
        loop.session.add(
            Annotation(
                project_id=loop.project.id, example_id=one.example_id, query_id=one.query_id,
                round_id=one.round_id, annotator_id=one.annotator_id,
                client_key=func.gen_random_uuid(), verdict=one.verdict, label=one.label,
                seconds=seconds, cost=1.0, counted=True,
            )
        )  # fmt: skip
    loop.session.commit()
    found = seconds_of_boxes(loop.session, loop.project.id)
    assert found is not None
    assert found == (2.0, 4.0)


# Several workers start one after the other, each for some seconds.
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_worker_killed_in_every_phase_proposes_the_same(world: World, tmp_path: Path) -> None:
    scratch = {"name": "fcos_scratch", "params": {"steps": 12, "batch_size": 4}}
    loops = [
        BoxLoop(
            world, images=24, evaluation=8, model=scratch, purity=PROBE, strategy={"name": "mqnet"}
        )
        for _ in range(2)
    ]
    jobs = []
    for loop in loops:
        loop.answer(0, 12)
        jobs.append(loop.close(0))
    unharmed, victim = jobs
    log, message = tmp_path / "worker.log", RunJob.of(victim)
    with worker("gpu", log):
        queue.send(RunJob.of(unharmed))
        world.session.rollback()
        eventually(lambda: state(world, unharmed) is JobState.SUCCEEDED, "the job is run")
    phases = [one for one in named(handler.PHASES) if one in unharmed.checkpoint["seconds"]]
    assert {"train", "evaluate", "score", "select", "publish"} <= set(phases)
    kill_in_every_phase(world, victim, message, phases, log)
    with worker("gpu", log):
        queue.send(message)
        eventually(lambda: state(world, victim) is JobState.SUCCEEDED, "the job resumes")
    assert victim.attempt == len(phases) + 1
    one, other = (loop.proposals(1) for loop in loops)
    assert [index for index, _ in one] == [index for index, _ in other]
    for (_, mine), (_, theirs) in zip(one, other, strict=True):
        assert [{**box, "class_id": 0} for box in mine or []] == [
            {**box, "class_id": 0} for box in theirs or []
        ]
    assert headline(loops[0], 0) == headline(loops[1], 0)
