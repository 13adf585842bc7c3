"""Relabeling by frozen features: what is suggested, how sure, and what stops it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import ExampleState, JobState, Source, Verdict
from core.tables import Annotation, Example, Job, Project
from core.tasks.classification import stored_class
from models.catalog.params.relabel import RelabelParams
from models.files.arrays import read_arrays, write_arrays
from tests.processes import eventually, worker
from tests.workers.killing import kill_in_every_phase, named, state
from tests.workers.starting import done_job, run_here, start_job
from tests.workers.test_relabel import (
    LABELED,
    LEARNERS,
    WRONG,
    labeled,
    nothing_published,
    suggestions_of,
    table_of,
)
from tests.world import World
from workers.jobs.context import JobContext
from workers.relabel import handler
from workers.relabel.gather import Gathered, gather
from workers.relabel.handler import FROZEN_PHASES

FROZEN: dict[str, Any] = {"network": "efficientnet_lite0"}


def pool(world: World, **options: Any) -> Project:
    """As `labeled`, of images large enough for a network to tell dark from light."""
    return labeled(world, input_size=32, **options)


def judged(http: TestClient, world: World, project: Project, **params: Any) -> Job:
    """A job by frozen features that was started and run in this process."""
    job = done_job(http, world, project, "relabel", FROZEN | params)
    assert job.state is JobState.SUCCEEDED, job.error
    return job


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_is_a_head_on_features(http: TestClient, world: World, learner: str) -> None:
    project = pool(world)
    cat, dog = (one.id for one in world.classes(project))
    job = judged(http, world, project, learner=learner)
    result = job.result
    assert result is not None
    assert (result["learner"], result["network"]) == (learner, "efficientnet_lite0")
    assert result["test_accuracy"] > 0.8
    assert result["warnings"] == []
    assert not result["knows_ood"]
    rows = {row["pool_index"]: row for row in table_of(world, job).to_pylist()}
    found = suggestions_of(world, job)
    doubted = {world.session.get_one(Example, one.example_id).pool_index for one in found}
    assert doubted == WRONG
    assert result["disagreements"] == len(WRONG)
    assert [one.rank for one in found] == list(range(len(WRONG)))
    for one in found:
        row = rows[world.session.get_one(Example, one.example_id).pool_index]
        assert one.wrong == pytest.approx(row["wrong_probability"])
    # Alike are cats that are called dogs, or the other way round.
    groups = {(one.alike, one.given_class_id) for one in found if one.alike is not None}
    assert len(groups) == len({group for group, _ in groups}) > 0
    for index, row in rows.items():
        assert (row["wrong_probability"] >= 0.5) == (index in WRONG)
        assert row["corrected_class_id"] == (cat, dog)[index % 2]
        assert row["other_class_id"] == (dog, cat)[(index + (index in WRONG)) % 2]
        assert row["other_probability"] == pytest.approx(row["wrong_probability"], abs=1e-5)
        sure = row["wrong_probability"] if index in WRONG else 1 - row["wrong_probability"]
        assert row["confidence"] == pytest.approx(sure, abs=1e-5)
        assert 0 <= row["quality"] <= 1
    noise, expected = result["noise"], result["expected"]
    assert noise["low"] <= len(WRONG) / LABELED <= noise["high"]
    assert noise["rate"] == pytest.approx(
        np.mean([row["wrong_probability"] for row in rows.values()]), abs=1e-5
    )
    assert expected["wrong"] == pytest.approx(
        np.mean([rows[index]["wrong_probability"] for index in WRONG]), abs=1e-5
    )
    # Each has one other class to be.
    assert expected["right"] == pytest.approx(expected["wrong"], abs=1e-5)
    assert result["truth"]["corrected"] == 1.0
    assert not world.storage.work(job.id).exists()


def test_features_are_chosen_by_default(http: TestClient, world: World) -> None:
    project = pool(world)
    job = start_job(http, world, project, "relabel", {})
    assert job.params["network"] == "auto"
    run_here(world, job)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    assert job.result["disagreements"] == len(WRONG)


def test_a_higher_share_suggests_less(http: TestClient, world: World) -> None:
    project = pool(world)
    counts = []
    for share in (0.05, 0.5, 0.99):
        job = judged(http, world, project, share=share, second_opinion=False)
        assert job.result is not None
        assert job.result["share"] == share
        assert job.result["cleanlab"] is None
        rows = table_of(world, job).to_pylist()
        wanted = [row for row in rows if row["wrong_probability"] >= share]
        assert job.result["disagreements"] == len(wanted) == len(suggestions_of(world, job))
        counts.append(len(wanted))
    assert counts == sorted(counts, reverse=True)


def test_labels_that_are_right_are_left_alone(http: TestClient, world: World) -> None:
    project = pool(world)
    classes = world.classes(project)
    for annotation, index in world.session.execute(
        select(Annotation, Example.pool_index).join(Example).where(
            Annotation.project_id == project.id
        )
    ).all():  # fmt: skip
        annotation.label = stored_class(classes[index % 2].id)
    for example in world.session.scalars(
        select(Example).where(Example.project_id == project.id, Example.label_class_id.is_not(None))
    ):
        example.label = stored_class(classes[example.pool_index % 2].id)
    world.session.commit()
    job = judged(http, world, project)
    assert job.result is not None
    assert job.result["disagreements"] == 0
    assert job.result["noise"]["rate"] < 0.1
    assert job.result["expected"] == {"wrong": None, "right": None}


def test_what_belongs_to_no_class_is_suggested_as_ood(http: TestClient, world: World) -> None:
    # Dark cats and light dogs; of the dark ones some are said to be OOD, and a class is empty.
    project = pool(world, classes=("cat", "dog", "cow"))
    classes = {one.name: one.id for one in world.classes(project)}
    statement = (
        select(Annotation, Example)
        .join(Example)
        .where(Annotation.project_id == project.id)
        .order_by(Example.pool_index)
    )
    for number, (annotation, example) in enumerate(world.session.execute(statement).all()):
        kind = ("cat", "dog", None)[number % 3]
        wrong = number in (2, 14)
        named = "cat" if wrong else kind
        class_id = None if named is None else classes[named]
        annotation.verdict = Verdict.LABEL if class_id else Verdict.OOD
        annotation.label = example.label = stored_class(class_id)
        example.state = ExampleState.LABELED if class_id else ExampleState.OOD
    world.session.commit()
    job = judged(http, world, project)
    assert job.result is not None
    assert job.result["knows_ood"]
    found = {
        world.session.get_one(Example, one.example_id).pool_index: one.suggested_class_id
        for one in suggestions_of(world, job)
    }
    assert found.get(2, 0) is None
    assert found.get(14, 0) is None
    assert job.result["outside"] == sum(one is None for one in found.values())
    rows = {row["pool_index"]: row for row in table_of(world, job).to_pylist()}
    assert rows[2]["corrected_class_id"] is None
    # Whoever accepts says that it is out of distribution.
    first = next(one for one in suggestions_of(world, job) if one.suggested_class_id is None)
    answer = http.post(
        f"/api/projects/{project.id}/reviews/{job.id}/decisions",
        json={
            "decisions": [
                {
                    "key": "6f0d4c1c-7f0e-4d6f-9a3e-0d5a3a1f5b11",
                    "suggestion_id": first.id,
                    "decision": "accept",
                }
            ]
        },
        headers=world.caller().headers,
    )
    assert answer.json()["results"][0]["status"] == "accepted", answer.text
    world.session.expire_all()
    assert world.session.get_one(Example, first.example_id).state is ExampleState.OOD


def test_what_a_reviewer_settled_is_not_asked_again(http: TestClient, world: World) -> None:
    project = pool(world)
    job = judged(http, world, project)
    kept, *others = suggestions_of(world, job)
    http.post(
        f"/api/projects/{project.id}/reviews/{job.id}/decisions",
        json={
            "decisions": [
                {
                    "key": "6f0d4c1c-7f0e-4d6f-9a3e-0d5a3a1f5b12",
                    "suggestion_id": kept.id,
                    "decision": "keep",
                }
            ]
        },
        headers=world.caller().headers,
    )
    again = judged(http, world, project)
    assert again.result is not None
    assert again.result["settled"] == 1
    assert {one.example_id for one in suggestions_of(world, again)} == {
        one.example_id for one in others
    }


def test_a_job_that_began_before_an_upgrade_ends_after_it(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gather_as_before(context: JobContext, params: RelabelParams) -> Gathered:
        found, path = gather(context, params), context.work / "gathered.npz"
        arrays = read_arrays(path)
        del arrays["before_ids"]
        write_arrays(path, arrays)
        return found

    monkeypatch.setattr(handler, "gather", gather_as_before)
    project = pool(world)
    job = judged(http, world, project)
    doubted = {one.example_id for one in suggestions_of(world, job)}
    assert {world.session.get_one(Example, one).pool_index for one in doubted} == WRONG


def test_votes_are_weighed_by_the_same_opinions(http: TestClient, world: World) -> None:
    project = pool(world)
    cat, dog = (one.id for one in world.classes(project))
    statement = select(Example).where(Example.project_id == project.id).order_by(Example.pool_index)
    for example in world.session.scalars(statement.limit(30)).all():
        world.session.add(
            Annotation(
                project_id=project.id, example_id=example.id, source=Source.IMPORT,
                source_name="second", client_key=func.gen_random_uuid(), verdict=Verdict.LABEL,
                label=stored_class((cat, dog)[example.pool_index % 2]),
                seconds=0.0, cost=0.0, counted=True,
            )
        )  # fmt: skip
    world.session.commit()
    job = judged(http, world, project)
    assert job.result is not None
    assert job.result["votes"]["examples"] == 30


@pytest.mark.parametrize("network", ["efficientnet_lite0", "auto"])
def test_an_estimate_measures_features_and_judgement(
    http: TestClient, world: World, network: str
) -> None:
    project = pool(world)
    params = FROZEN | {"network": network}
    job = done_job(http, world, project, "relabel", params, dry_run=True)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    phases = job.result["estimate"]["phases"]
    assert set(phases) == set(named(FROZEN_PHASES))
    assert phases["embed"] > 0
    assert phases["judge"] > 0
    assert nothing_published(world, job)
    assert not world.storage.work(job.id).exists()


# A worker for each phase starts one after the other, each for some seconds.
@pytest.mark.timeout(900)
def test_a_worker_killed_in_every_phase_suggests_the_same(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    project, other = pool(world), pool(world)
    victim = start_job(http, world, project, "relabel", FROZEN)
    message = RunJob.of(victim)
    kill_in_every_phase(world, victim, message, named(FROZEN_PHASES), tmp_path / "worker.log")
    assert nothing_published(world, victim)
    unharmed = start_job(http, world, other, "relabel", FROZEN)
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        for job in (victim, unharmed):
            eventually(lambda job=job: state(world, job) is JobState.SUCCEEDED, "the job ends")  # type: ignore[misc]
    found = [
        [(one.rank, one.confidence, one.quality) for one in suggestions_of(world, job)]
        for job in (victim, unharmed)
    ]
    assert found[0] == found[1]
    assert len(found[0]) > 0
