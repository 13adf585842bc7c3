"""Certificates of pools that have changed since the newest model looked at them."""

import numpy as np
from fastapi.testclient import TestClient
from safetensors.numpy import save_file
from sqlalchemy import func, select

from core.artifacts.certificates import NO_CLASS, Members, members_file
from core.lifecycle import new_job
from core.states import ExampleState, JobKind, JobState, Source, Verdict
from core.tables import Annotation, Example, Job
from tests.workers.starting import done_job
from tests.workers.test_certify import KINDS, Pool
from tests.world import World
from workers.features.stored import LearnedFeatures

FROZEN = {"name": "patch_kmeans", "params": {"features": 16, "iterations": 2, "ood_class": False}}


def estimated(http: TestClient, pool: Pool) -> Job:
    """What it would take, with so few answers that no lot can pass."""
    params = {"target": 0.01, "at_most": 2}
    return done_job(http, pool.world, pool.project, "certify", params, dry_run=True)


def label_back(pool: Pool) -> int:
    """An OOD label that was imported is taken back; returns the pool index."""
    said = select(Annotation).where(
        Annotation.source == Source.IMPORT, Annotation.verdict == Verdict.OOD
    )
    annotation = pool.session.scalars(said.limit(1)).one()
    example = pool.session.get_one(Example, annotation.example_id)
    example.state = ExampleState.UNLABELED
    pool.session.delete(annotation)
    pool.session.commit()
    return example.pool_index


def labels_come(pool: Pool) -> None:
    """Images come with their labels, which no model has looked at."""
    pool.world.add_images(pool.project, 3)
    new = select(Example).where(Example.project_id == pool.project.id)
    pool.know(pool.session.scalars(new.order_by(Example.pool_index.desc()).limit(3)).all())


def learned(pool: Pool, rows: int) -> None:
    """Features were learned of the first images of the pool, and the purity looks at them."""
    round_ = pool.rounds()[-1]
    round_.settings = {**round_.settings, "purity": {"name": "csi", "params": {}}}
    job = new_job(JobKind.LEARN_FEATURES, project_id=pool.project.id, params={})
    job.state, job.finished_at = JobState.SUCCEEDED, func.now()
    pool.session.add(job)
    pool.session.commit()
    features = LearnedFeatures.of(pool.world.storage, pool.project.id, job.id)
    np.save(features.file, np.ones((rows, 4), dtype=np.float32))
    save_file({"weight": np.zeros(1)}, features.encoder)


def test_labels_that_came_since_are_not_looked_at(http: TestClient, world: World) -> None:
    pool = Pool(world, images=150, model=FROZEN, purity={"name": "knn"})
    pool.learn()
    labels_come(pool)
    found = estimated(http, pool)
    assert found.result is not None, found.error
    # What is to be labeled has to be there, of all that the purity looks at.
    learned(pool, rows=1)
    refused = estimated(http, pool)
    assert refused.error is not None
    assert refused.error["detail"].startswith("Some images came after the newest model")


def test_what_was_not_scored_is_read_like_the_rest(http: TestClient, world: World) -> None:
    pool = Pool(
        world, images=230, max_rounds=None, zero_wait=False, budget=24, audit_share=0.5,
        purity={"name": "knn"},
    )  # fmt: skip
    pool.learn()
    pool.say(pool.rounds()[1])
    assert pool.finish(1).state is JobState.SUCCEEDED
    # Random checks judge the labels that a guarantee would give.
    judged = pool.rounds()[1].metrics["audit"]["ood"]
    assert (judged["n"] > 0, judged["share"] > 0.5) == (True, True)
    back = label_back(pool)
    estimate = estimated(http, pool)
    assert estimate.result is not None, estimate.error
    # The answers of the round tell which purity is OOD, and so there are lots of these.
    ids = [one.id for one in pool.classes]
    assert set(estimate.result["estimate"]["left"]) == {None, *ids}
    file = pool.session.scalars(members_file(pool.certify(http)["id"])).one()
    members = Members.load(world.storage.artifact(file.storage_key))
    truth = np.array([*ids, NO_CLASS])[members.pool_index % KINDS]
    assert (members.class_id == truth).mean() > 0.8
    assert members.class_id[np.searchsorted(members.pool_index, back)] == NO_CLASS
