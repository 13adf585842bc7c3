"""Certificates of pools that have changed since the newest model looked at them."""

import numpy as np
from fastapi.testclient import TestClient
from safetensors.numpy import save_file
from sqlalchemy import func, select

from core.jobs.messages import RunJob
from core.lifecycle import new_job
from core.states import JobKind, JobState
from core.tables import Example, Job
from tests.workers.starting import start_job
from tests.workers.test_certify import Pool
from tests.world import World
from workers.certify import handler
from workers.execution.runner import run_job
from workers.features.stored import LearnedFeatures

FROZEN = {"name": "patch_kmeans", "params": {"features": 16, "iterations": 2, "ood_class": False}}


def estimated(http: TestClient, pool: Pool) -> Job:
    """What it would take, with so few answers that no lot can pass."""
    params = {"target": 0.01, "at_most": 2}
    job = start_job(http, pool.world, pool.project, "certify", params, dry_run=True)
    run_job(RunJob.of(job), handler)
    pool.session.refresh(job)
    return job


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
