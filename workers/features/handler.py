"""The ``learn_features`` job: note what there is, learn from it, embed it."""

import shutil
from typing import Any, Final

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.project_settings import ProjectSettings
from core.states import Split
from core.storage import write_atomically
from core.tables import Example, Job, Project
from models.contrastive import learn_encoder
from models.data import PixelStore
from models.params.contrastive import ContrastiveParams
from workers.features.stored import LearnedFeatures, latest
from workers.manners import Manners
from workers.runner import JobContext

PHASES: Final = ("gather", "learn", "embed")


def run(context: JobContext) -> dict[str, Any]:
    """Learn features of the pool as it is now; later imports are embedded by the rounds."""
    context.plan(PHASES)
    if not context.done("gather"):
        with context.phase("gather"):
            _gather(context)
    features = LearnedFeatures.of(context.storage, context.project_id, context.job_id)
    known = context.checkpoint["known"]
    pixels = context.storage.pixels(context.project_id)
    store = PixelStore.open(pixels, known["input_size"], known["images"])
    manners = Manners(context)
    if not context.done("learn"):
        with context.phase("learn"):
            learn_encoder(
                store,
                np.load(context.work / "pool.npy"),
                ContrastiveParams.model_validate(context.params),
                seed=known["seed"],
                out=features.encoder,
                checkpoint=context.work / "learning.safetensors",
                progress=manners.progress,
            )
    if not context.done("embed"):
        with context.phase("embed"):
            features.complete(store, manners.progress)
    with context.sessions() as session:
        features.remove_others(keep=latest(session, context.project_id))
    shutil.rmtree(context.work, ignore_errors=True)
    return {"images": known["images"], "dimension": int(features.rows().shape[1])}


def failed(session: Session, job: Job) -> None:
    """Nothing to put right: earlier features stay in use, and a retry goes on where this ended."""


def _gather(context: JobContext) -> None:
    """Note what is learned from, so that a resumed job learns the same."""
    with context.sessions() as session:
        statement = (
            select(Example.pool_index, Example.split)
            .where(Example.project_id == context.project_id)
            .order_by(Example.pool_index)
        )
        examples = session.execute(statement).all()
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
    # Evaluation images must teach nothing, and images known to be OOD are no part of the pool.
    pool = np.array([index for index, split in examples if split is Split.POOL], dtype=np.int64)

    def write(part: Any) -> None:
        with part.open("wb") as file:
            np.save(file, pool)

    write_atomically(context.work / "pool.npy", write)
    context.save(
        {
            "known": {
                "images": len(examples),
                "input_size": settings.input_size,
                "seed": settings.seed,
            }
        }
    )
