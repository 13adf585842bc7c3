"""The ``learn_features`` job: note what there is, learn from it, embed it."""

import shutil
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from core.tables import Job
from models.features.contrastive import learn_encoder
from models.media.image import images_of
from models.media.views import ROTATIONS
from models.params.contrastive import ContrastiveParams
from workers.context import JobContext
from workers.dry_run import dry_run
from workers.features.dry_run import prepare
from workers.features.gather import gather
from workers.features.stored import LearnedFeatures, latest
from workers.stores import open_store
from workers.yielding import Yielding

PHASES: Final = ("gather", "learn", "embed")


def run(context: JobContext) -> dict[str, Any]:
    """Learn features of the pool as it is now; later imports are embedded by the rounds."""
    if context.dry_run:
        return dry_run(context, prepare)
    context.plan(PHASES)
    if not context.done("gather"):
        with context.phase("gather"):
            gather(context)
    features = LearnedFeatures.of(context.storage, context.project_id, context.job_id)
    known = context.checkpoint["known"]
    store = images_of(
        open_store(context.storage, context.project_id, known["input_size"], known["images"])
    )
    yielding = Yielding(context)
    if not context.done("learn"):
        pool = np.load(context.work / "pool.npy")
        params = ContrastiveParams.model_validate(context.params)
        context.plan(PHASES, work=_effort(params, len(pool), known["images"]))
        with context.phase("learn"):
            learn_encoder(
                store,
                pool,
                params,
                seed=known["seed"],
                out=features.encoder,
                checkpoint=context.work / "learning.safetensors",
                progress=yielding.progress,
            )
    if not context.done("embed"):
        with context.phase("embed"):
            features.complete(store, yielding.progress)
    with context.sessions() as session:
        features.remove_others(keep=latest(session, context.project_id))
    shutil.rmtree(context.work, ignore_errors=True)
    return {"images": known["images"], "dimension": int(features.rows().shape[1])}


def _effort(params: ContrastiveParams, learned_from: int, images: int) -> dict[str, float]:
    """What learning and embedding amount to, in images that pass through the network."""
    views = 2 * ROTATIONS if params.rotations else 2
    # Learning from an image takes about as long as looking at three.
    return {"learn": 3 * views * params.epochs * learned_from, "embed": images}


def failed(session: Session, job: Job) -> None:
    """Nothing to put right: earlier features stay in use, and a retry goes on where this ended."""
