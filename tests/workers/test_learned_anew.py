"""Features that are learned anew of a pool that has grown: nothing mixes them with those before."""

import numpy as np
from fastapi.testclient import TestClient
from numpy.testing import assert_allclose
from sqlalchemy import select

from core.states import ArtifactKind, JobState
from core.tables import Artifact
from models.frame import Frame
from models.ranking.pool_scores import PoolScores
from models.target.train import load_target
from tests.api.test_pool_actions import ids_of
from tests.workers.loop import Loop
from tests.workers.starting import run_here, start_job
from tests.workers.test_certify import Pool
from tests.workers.test_certify_unseen import FROZEN, estimated
from tests.workers.test_embedding_map import make, stored
from tests.workers.test_learn_features import cut_off, retry
from tests.workers.test_look_at import looked_at
from tests.workers.test_look_up import looked_up, original
from tests.world import World
from workers.jobs.stores import open_store

ANEW = "The features of this pool were learned anew, from more images"


def learn_anew(http: TestClient, loop: Loop) -> None:
    """The pool doubles, and a map of it learns features of all."""
    loop.world.add_images(loop.project, 80)
    loop.session.commit()
    make(http, loop.world, loop.project)


def test_what_worked_with_those_before_says_so(http: TestClient, world: World) -> None:
    pool = Pool(world, images=80, model=FROZEN, purity={"name": "knn"})
    pool.learn()
    admin, ids = world.caller(), ids_of(world, pool.project)
    file = looked_up(http, world, pool.project, original(world, pool.project, 17))
    job = start_job(http, world, pool.project, "compare", {})
    cut_off(world, job, "workers.compare.handler.nearest_rows")
    learn_anew(http, pool)
    # The last model looked at the features of then, and has not scored the pool.
    refused = estimated(http, pool)
    assert refused.error is not None
    assert refused.error["detail"].startswith(ANEW)
    seen = looked_at(http, world, pool, ids[0])
    assert seen.error is not None
    assert seen.error["detail"].startswith(ANEW)
    url = f"/api/projects/{pool.project.id}/examples"
    stale = http.get(url, params={"similar_file": file.id}, headers=admin.headers)
    assert (stale.status_code, stale.json()["code"]) == (409, "features_changed")
    retry(world, job)
    assert job.checkpoint["known"]["images"] == 160


def test_a_round_that_goes_on_after_that_begins_with_them(http: TestClient, world: World) -> None:
    loop = Loop(world, model=FROZEN)
    loop.answer(0, 8)
    job = loop.close(0)
    world.session.commit()
    cut_off(world, job, "workers.advance.selecting.select_queries")
    learn_anew(http, loop)
    url = f"/api/projects/{loop.project.id}/rounds/0/retry"
    assert http.post(url, headers=world.caller().headers).json()["state"] == "closing"
    run_here(world, job)
    world.session.expire_all()
    assert job.state is JobState.SUCCEEDED, job.error
    kept = select(Artifact).where(Artifact.project_id == loop.project.id)
    files = {one.kind: one for one in world.session.scalars(kept)}
    path = world.storage.artifact(files[ArtifactKind.SCORES].storage_key)
    scores = PoolScores.from_parquet(path)
    store = open_store(world.storage, loop.project.id, Frame(8), 152)
    checkpoint = world.storage.artifact(files[ArtifactKind.CHECKPOINT].storage_key)
    model = load_target(checkpoint, store, embeddings=np.load(stored(world, loop.project)))
    assert_allclose(model.infer(scores.indices).logits, scores.logits, rtol=1e-4, atol=1e-4)
