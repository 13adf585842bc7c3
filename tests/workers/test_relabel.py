"""Relabeling: started through the API, run by a worker, suggesting other labels."""

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.artifacts.subsets import UNKNOWN
from core.files.storage import sha256
from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import ArtifactKind, ExampleState, JobState, Source, Split, Verdict
from core.tables import Annotation, Artifact, Example, Job, Project, Suggestion
from core.tasks.classification import stored_class
from models.catalog import specs
from models.protocols import OOD
from tests.api.test_subsets import add_subset
from tests.processes import eventually, worker
from tests.workers.killing import kill_in_every_phase, named, state
from tests.workers.starting import done_job, run_here, start_job, watch_progress
from tests.world import World
from workers.relabel.handler import PHASES
from workers.relabel.report import Findings, result_of

QUICK: dict[str, Any] = {
    "network": "cnn_tiny", "width": 8, "epochs": 10, "batch_size": 8, "flip": False,
    "warm_up_epochs": 4,
}  # fmt: skip
LEARNERS = [spec.name for spec in specs() if spec.kind == "learner"]
LABELED = 40
WRONG = {0, 7, 12, 21}


def labeled(world: World, count: int = LABELED, **options: Any) -> Project:
    """A project with imported labels: dark cats and light dogs, and some that are exchanged.

    All images but the last two came with the name of their true class as well.
    """
    project = world.project(images=count + 4, evaluation=12, **options)
    classes = world.classes(project)
    statement = select(Example).where(Example.project_id == project.id).order_by(Example.pool_index)
    for example in world.session.scalars(statement.limit(count)).all():
        index = example.pool_index
        given = classes[(index + (index in WRONG)) % len(classes)]
        name = "bird" if index >= count - 2 else classes[index % len(classes)].name
        example.meta = {"label": name}
        example.state, example.label = ExampleState.LABELED, stored_class(given.id)
        world.session.add(
            Annotation(
                project_id=project.id, example_id=example.id, source=Source.IMPORT,
                source_name="label", client_key=func.gen_random_uuid(), verdict=Verdict.LABEL,
                label=stored_class(given.id), seconds=0.0, cost=0.0, counted=True,
            )
        )  # fmt: skip
    world.session.commit()
    return project


def start(http: TestClient, world: World, project: Project, **params: Any) -> Job:
    return start_job(http, world, project, "relabel", QUICK | params)


def relabeled(http: TestClient, world: World, project: Project, **params: Any) -> Job:
    """A job that was started and run in this process."""
    return run_here(world, start(http, world, project, **params))


def table_of(world: World, job: Job) -> pa.Table:
    assert job.result is not None
    artifact = world.session.get_one(Artifact, job.result["relabels_id"])
    assert (artifact.kind, artifact.job_id) == (ArtifactKind.RELABELS, job.id)
    path = world.storage.artifact(artifact.storage_key)
    assert artifact.sha256 == sha256(path)
    return pq.read_table(path)


def suggestions_of(world: World, job: Job) -> list[Suggestion]:
    statement = select(Suggestion).where(Suggestion.job_id == job.id).order_by(Suggestion.rank)
    return list(world.session.scalars(statement))


def nothing_published(world: World, job: Job) -> bool:
    kept = select(Artifact.id).where(Artifact.job_id == job.id)
    return world.session.scalar(kept) is None and suggestions_of(world, job) == []


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_suggests_what_it_would_rather_have(
    http: TestClient, world: World, learner: str
) -> None:
    project = labeled(world)
    cat, dog = (one.id for one in world.classes(project))
    job = relabeled(http, world, project, learner=learner)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    assert (job.result["learner"], job.result["subset"]) == (learner, None)
    assert (job.result["labeled"], job.result["trained"]) == (LABELED, LABELED)
    assert job.result["test_accuracy"] > 0.8
    rows = table_of(world, job).to_pylist()
    assert [row["pool_index"] for row in rows] == list(range(LABELED))
    assert all(row["trained_on"] for row in rows)
    for row in rows:
        assert world.session.get_one(Example, row["example_id"]).pool_index == row["pool_index"]
        assert row["class_id"] == (cat, dog)[(row["pool_index"] + (row["pool_index"] in WRONG)) % 2]
        assert 0.5 <= row["confidence"] <= 1
        assert 0 <= row["quality"] <= 1
    doubted = [row for row in rows if row["corrected_class_id"] != row["class_id"]]
    assert job.result["disagreements"] == len(doubted)
    doubted.sort(key=lambda row: -row["confidence"])
    found = suggestions_of(world, job)
    assert [one.rank for one in found] == list(range(len(doubted)))
    for one, row in zip(found, doubted, strict=True):
        assert one.project_id == project.id
        assert one.example_id == row["example_id"]
        assert one.given_class_id == row["class_id"]
        assert one.suggested_class_id == row["corrected_class_id"]
        assert (one.confidence, one.quality) == pytest.approx((row["confidence"], row["quality"]))
        assert (one.decision, one.annotation_id, one.lease_holder) == (None, None, None)
    # Nothing but suggestions: the labels are what they were.
    count = select(func.count()).where(Annotation.project_id == project.id)
    assert world.session.scalar(count) == LABELED
    assert not world.storage.work(job.id).exists()


def test_the_report_counts_what_was_found(http: TestClient, world: World) -> None:
    project = labeled(world)
    job = relabeled(http, world, project, epochs=20)
    rows = table_of(world, job).to_pylist()
    result = job.result
    assert result is not None
    ids = [one.id for one in world.classes(project)]
    assert result["class_ids"] == ids
    changes = [(ids.index(row["class_id"]), ids.index(row["corrected_class_id"])) for row in rows]
    assert result["transitions"] == [[changes.count((a, b)) for b in (0, 1)] for a in (0, 1)]
    flagged = {row["pool_index"] for row in rows if row["issue"]}
    doubted = {row["pool_index"] for row in rows if row["class_id"] != row["corrected_class_id"]}
    assert result["cleanlab"] == {
        "flagged": len(flagged),
        "both": len(flagged & doubted),
        "ours_only": len(doubted - flagged),
        "theirs_only": len(flagged - doubted),
    }
    # The last two came with a label that is no class.
    known = [row for row in rows if row["pool_index"] < LABELED - 2]
    right = [ids.index(row["corrected_class_id"]) == row["pool_index"] % 2 for row in known]
    mended = [ok for row, ok in zip(known, right, strict=True) if row["pool_index"] in WRONG]
    assert result["truth"] == {
        "known": LABELED - 2,
        "noise_before": pytest.approx(len(WRONG) / (LABELED - 2)),
        "noise_after": pytest.approx(1 - sum(right) / (LABELED - 2)),
        "corrected": pytest.approx(sum(mended) / len(WRONG)),
        "trained_wrong": len(WRONG),
        "trained_corrected": pytest.approx(sum(mended) / len(WRONG)),
    }
    assert result["truth"]["corrected"] > 0.7
    # One vote an image: there is nobody to compare with.
    assert result["votes"] is None
    assert {row["consensus_class_id"] for row in rows} == {None}
    assert {row["consensus_quality"] for row in rows} == {None}
    assert flagged | doubted >= WRONG


def test_labels_of_a_class_are_counted_whatever_is_suggested_for_them() -> None:
    # Of 200, 20 should be of the other class and 100 OOD; a reviewer has settled ten of the first.
    labels = np.repeat([0, 1], [200, 50])
    corrected = np.repeat([0, 1, OOD, 1], [80, 20, 100, 50])
    reviewed = np.zeros(250, dtype=np.bool_)
    reviewed[90:100] = True
    result = result_of(
        Findings(
            indices=np.arange(250),
            labels=labels,
            class_ids=np.array([7, 8]),
            true_ids=np.full(250, UNKNOWN),
            trained=np.ones(250, dtype=np.bool_),
            reviewed=reviewed,
            corrected=corrected,
            confidence=np.ones(250, dtype=np.float32),
            named=corrected,
            quality=None,
            issue=None,
            consensus=None,
            consensus_quality=None,
        )
    )
    assert (result["labels_of"], result["outside"], result["settled"]) == ([200, 50], 100, 10)
    assert result["transitions"] == [[90, 10], [0, 50]]
    assert result["disagreements"] == 110


def test_without_truth_and_second_opinion_the_report_says_so(
    http: TestClient, world: World
) -> None:
    project = labeled(world)
    for example in world.session.scalars(select(Example).where(Example.project_id == project.id)):
        example.meta = {}
    world.session.commit()
    job = relabeled(http, world, project, second_opinion=False, learner="ce")
    assert job.result is not None
    assert (job.result["cleanlab"], job.result["truth"]) == (None, None)
    assert job.result["votes"] is None
    table = table_of(world, job)
    assert table["quality"].null_count == table["issue"].null_count == LABELED
    assert table["consensus_class_id"].null_count == LABELED
    assert all(one.quality is None for one in suggestions_of(world, job))


def test_votes_of_several_columns_are_weighed(http: TestClient, world: World) -> None:
    project = labeled(world)
    cat, dog = (one.id for one in world.classes(project))
    statement = select(Example).where(Example.project_id == project.id).order_by(Example.pool_index)
    others = world.session.scalars(statement.limit(LABELED)).all()
    # The second column is always right, and the third in half of the cases.
    for name, right in (("second", lambda _: True), ("third", lambda index: index % 4 < 2)):
        for example in others[:30]:
            index = example.pool_index
            world.session.add(
                Annotation(
                    project_id=project.id, example_id=example.id, source=Source.IMPORT,
                    source_name=name, client_key=func.gen_random_uuid(), verdict=Verdict.LABEL,
                    label=stored_class((cat, dog)[(index + (not right(index))) % 2]),
                    seconds=0.0, cost=0.0,
                    counted=True,
                )
            )  # fmt: skip
    world.session.commit()
    job = relabeled(http, world, project, learner="ce")
    assert job.result is not None, job.error
    votes = job.result["votes"]
    assert votes["examples"] == 30
    rows = table_of(world, job).to_pylist()
    for row in rows[30:]:
        assert row["consensus_class_id"] is row["consensus_quality"] is None
    agreed = [row["consensus_class_id"] == (cat, dog)[row["pool_index"] % 2] for row in rows[:30]]
    assert sum(agreed) >= 28
    assert all(0 < row["consensus_quality"] <= 1 for row in rows[:30])
    # Where the better two contradict each other, less is certain.
    quality = {row["pool_index"]: row["consensus_quality"] for row in rows[:30]}
    assert np.mean([quality.pop(index) for index in WRONG]) < np.mean([*quality.values()])
    other = [row for row in rows[:30] if row["consensus_class_id"] != row["class_id"]]
    assert votes["other_consensus"] == len(other) > 0
    found = {one["source_name"]: one for one in votes["annotators"]}
    assert {name: one["labels"] for name, one in found.items()} == {
        "label": LABELED, "second": 30, "third": 30,
    }  # fmt: skip
    assert all(one["user_id"] is None for one in found.values())
    assert [one["source_name"] for one in votes["annotators"]][-1] == "third"
    assert found["second"]["quality"] > 0.8 > found["third"]["quality"]


def test_a_subset_is_learned_from_and_the_rest_is_compared(http: TestClient, world: World) -> None:
    project, other = labeled(world), labeled(world)
    some = {"network": "cnn_tiny", "width": 4, "epochs": 1, "batch_size": 8, "method": "uniform"}
    pruning = done_job(http, world, project, "prune", some)
    assert pruning.result is not None
    subset = pruning.result["subset_id"]
    job = relabeled(http, world, project, subset=subset)
    assert job.result is not None
    assert (job.result["subset"], job.result["trained"]) == (subset, LABELED // 2)
    artifact = world.session.get_one(Artifact, subset)
    kept = pq.read_table(world.storage.artifact(artifact.storage_key)).to_pylist()
    table = table_of(world, job).to_pylist()
    assert len(table) == LABELED
    trained = {row["pool_index"] for row in table if row["trained_on"]}
    assert trained == {row["pool_index"] for row in kept if row["rank"] is not None}
    truth = job.result["truth"]
    wrong = [row for row in table if row["pool_index"] in WRONG & trained]
    ids = [one.id for one in world.classes(project)]
    mended = [row for row in wrong if ids.index(row["corrected_class_id"]) == row["pool_index"] % 2]
    assert truth["trained_wrong"] == len(wrong)
    assert truth["trained_corrected"] == (len(mended) / len(wrong) if wrong else None)
    for unknown in (subset, job.result["relabels_id"], 999_999):
        refused = relabeled(http, world, other, subset=unknown)
        assert refused.state is JobState.FAILED
        assert refused.error is not None
        assert f"no subset {unknown}" in refused.error["detail"]


def test_what_a_reviewer_settled_is_learned_from_and_not_asked_again(
    http: TestClient, world: World
) -> None:
    project = labeled(world)
    some = {"network": "cnn_tiny", "width": 4, "epochs": 1, "batch_size": 8, "method": "uniform"}
    pruning = done_job(http, world, project, "prune", some)
    assert pruning.result is not None
    job = relabeled(http, world, project, epochs=20)
    asked = suggestions_of(world, job)
    reviewed = {one.example_id for one in asked}
    assert len(reviewed) >= len(WRONG)
    decisions = [
        {"key": str(uuid4()), "suggestion_id": one.id, "decision": ("accept", "keep")[number % 2]}
        for number, one in enumerate(asked)
    ]
    answer = http.post(
        f"/api/projects/{project.id}/reviews/{job.id}/decisions",
        json={"decisions": decisions},
        headers=world.caller().headers,
    )
    assert {one["status"] for one in answer.json()["results"]} == {"accepted"}, answer.text

    again = relabeled(http, world, project, epochs=20, subset=pruning.result["subset_id"])
    artifact = world.session.get_one(Artifact, pruning.result["subset_id"])
    rows = pq.read_table(world.storage.artifact(artifact.storage_key)).to_pylist()
    kept = {row["example_id"] for row in rows if row["rank"] is not None}
    table = table_of(world, again).to_pylist()
    assert {row["example_id"] for row in table if row["trained_on"]} == kept | reviewed
    assert again.result is not None
    doubted = {row["example_id"] for row in table if row["class_id"] != row["corrected_class_id"]}
    # Half of the decisions kept a wrong label, which is doubted, but has been settled.
    assert again.result["settled"] == len(doubted & reviewed) > 0
    assert {one.example_id for one in suggestions_of(world, again)} == doubted - reviewed
    assert again.result["disagreements"] == len(doubted - reviewed)

    # Where no image came with its class, what reviewers said tells which labels were right.
    for one in world.session.scalars(select(Example).where(Example.project_id == project.id)):
        one.meta = {}
    world.session.commit()
    pruning = done_job(http, world, project, "prune", {**some, "method": "prune4rel"})
    assert pruning.result is not None
    premise = pruning.result["premise"]
    assert (premise["source"], premise["known"]) == ("reviews", len(reviewed))
    right = sum(
        one["labels_right"]["share"] * one["known"] for one in premise["bins"] if one["known"]
    )
    assert round(right) == sum(one["decision"] == "keep" for one in decisions)
    # The warm-up has learned what they said, so that it cannot be judged by that.
    assert {one["relabeled_right"] is None for one in premise["bins"]} == {True}


def test_a_subset_whose_file_is_lost_is_named(http: TestClient, world: World) -> None:
    project = labeled(world)
    subset = add_subset(world, project, [0])
    world.storage.artifact(subset.storage_key).unlink()
    refused = relabeled(http, world, project, subset=subset.id)
    assert refused.error is not None
    assert refused.error["code"] == "subset_file_missing"
    assert f"The file of subset {subset.id}" in refused.error["detail"]


@pytest.mark.parametrize(
    ("kept", "fault"),
    [
        (lambda _: False, "Fewer than two classes"),
        (lambda index: index % 2 == 0 and index not in WRONG, "Fewer than two classes"),
        (lambda index: index % 2 == 0 or index == 1, r"1 of 3 classes .* \(cow\)"),
    ],
)
def test_what_cannot_be_learned_is_refused_at_once(
    http: TestClient, world: World, kept: Any, fault: str
) -> None:
    project = labeled(world, classes=("cat", "dog", "cow"))
    classes = {one.name: one.id for one in world.classes(project)}
    statement = (
        select(Annotation, Example.pool_index)
        .join(Example)
        .where(Annotation.project_id == project.id)
    )
    for annotation, index in world.session.execute(statement).all():
        annotation.label = stored_class(classes["cat" if index % 2 == 0 else "cow"])
        annotation.counted = kept(index)
    world.session.commit()
    job = relabeled(http, world, project)
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert job.error["code"] == "model_error"
    assert re.search(fault, job.error["detail"])
    assert "train" not in job.checkpoint.get("seconds", {})
    assert nothing_published(world, job)


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        ({"learner": "best"}, "learner"),
        ({"learner": "dividemix", "epochs": 4}, "warm_up_epochs"),
        ({"epochs": 0}, "epochs"),
        ({"lambda_c": -1}, "lambda_c"),
        ({"subset": "all"}, "subset"),
    ],
)
def test_bad_parameters_are_refused_at_the_start(
    http: TestClient, world: World, params: dict[str, Any], fault: str
) -> None:
    project = labeled(world, count=4)
    body = {"kind": "relabel", "params": QUICK | params}
    headers = world.caller().headers
    response = http.post(f"/api/projects/{project.id}/jobs", json=body, headers=headers)
    assert response.status_code == 400
    assert response.json()["code"] == "invalid_params"
    assert fault in response.json()["detail"]


@pytest.mark.parametrize("evaluation", [0, 60])
def test_a_learner_that_has_learned_nothing_is_warned_of(
    http: TestClient, world: World, evaluation: int
) -> None:
    project = labeled(world)
    world.add_images(project, evaluation, Split.EVALUATION)
    quick = {"learner": "ce", "second_opinion": False}
    blind = relabeled(http, world, project, learning_rate=1e-9, epochs=1, **quick)
    assert blind.result is not None
    (warning,) = blind.result["warnings"]
    # A dozen evaluation images are too few to tell.
    assert ("of 72 evaluation images" in warning) == (evaluation > 0)
    assert ("of the 40 images that it learned from" in warning) == (evaluation == 0)
    assert "its suggestions mean little" in warning
    assert blind.result["notes"] == [warning]
    assert warning in world.storage.job_log(project.id, blind.id).read_text()
    taught = relabeled(http, world, project, epochs=20, **quick)
    assert taught.result is not None
    assert taught.result["warnings"] == taught.result["notes"] == []


def test_the_time_left_is_told_in_every_phase_that_takes_long(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watch_progress(monkeypatch)
    job = relabeled(http, world, labeled(world), learner="ce")
    assert job.state is JobState.SUCCEEDED, job.error
    known = {one["phase"]: one["eta_seconds"] is not None for one in seen if one["step"] > 0}
    assert known == {"second_opinion": True, "train": True}


@pytest.mark.parametrize("learner", LEARNERS)
def test_an_estimate_measures_every_phase(http: TestClient, world: World, learner: str) -> None:
    project = labeled(world)
    job = done_job(http, world, project, "relabel", QUICK | {"learner": learner}, dry_run=True)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    phases = job.result["estimate"]["phases"]
    assert set(phases) == set(named(PHASES))
    assert phases["train"] > 0
    assert phases["second_opinion"] > 0
    assert nothing_published(world, job)
    assert not world.storage.work(job.id).exists()


def test_what_an_earlier_version_has_learned_is_learned_anew(
    http: TestClient, world: World
) -> None:
    project = labeled(world)
    job = start(http, world, project, second_opinion=False)
    job.attempt, job.checkpoint = 1, {"seconds": {"gather": 1.0, "train": 1.0}}
    world.session.commit()
    run_here(world, job)
    assert job.state is JobState.SUCCEEDED, job.error
    assert "an earlier version" in world.storage.job_log(project.id, job.id).read_text()


# A dozen workers start one after the other, each for some seconds.
@pytest.mark.timeout(900)
def test_a_worker_killed_in_every_phase_suggests_the_same(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    project, other = labeled(world), labeled(world)
    victim = start(http, world, project)
    message = RunJob.of(victim)
    kill_in_every_phase(world, victim, message, named(PHASES), tmp_path / "worker.log")
    assert nothing_published(world, victim)
    unharmed = start(http, world, other)
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        for job in (victim, unharmed):
            eventually(lambda job=job: state(world, job) is JobState.SUCCEEDED, "the job ends")  # type: ignore[misc]
    tables = [
        table_of(world, job).drop_columns(["example_id", "class_id", "corrected_class_id"])
        for job in (victim, unharmed)
    ]
    assert tables[0].equals(tables[1])
    found = [
        [(one.rank, one.confidence, one.quality) for one in suggestions_of(world, job)]
        for job in (victim, unharmed)
    ]
    assert found[0] == found[1]
    assert len(found[0]) > 0
