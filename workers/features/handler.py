"""The ``learn_features`` job: note what there is, learn from it, embed it."""

from functools import cached_property
from typing import Any, Final

import numpy as np

from models.catalog.params.contrastive import ContrastiveParams
from models.media.images.contrastive import learn_encoder
from models.media.images.store import PixelStore, images_of
from models.media.images.views import ROTATIONS
from workers.dry_run import dry_run
from workers.features.dry_run import prepare
from workers.features.gather import gather
from workers.features.stored import LearnedFeatures, latest
from workers.jobs.context import JobContext, Phase
from workers.jobs.stores import frame_noted, open_store
from workers.jobs.work import JobWork


def run(context: JobContext) -> dict[str, Any]:
    """Learn features of the pool as it is now; later imports are embedded by the rounds."""
    if context.dry_run:
        return dry_run(context, prepare)
    task = Learning(context, ContrastiveParams.of(context))
    if context.done("learn") and not task.features.encoder.exists():
        # Jobs that have succeeded since have removed it.
        context.start_over("the encoder that it had learned is gone")
    return task.run(PHASES)


class Learning(JobWork[ContrastiveParams]):
    """One job: what it learns from, and what it leaves."""

    @property
    def features(self) -> LearnedFeatures:
        """What it leaves."""
        context = self.context
        return LearnedFeatures.of(context.storage, context.project_id, context.job_id)

    @cached_property
    def pool(self) -> Any:
        """(n,) which images it learns from."""
        return np.load(self.file("pool.npy"))

    @cached_property
    def store(self) -> PixelStore:
        """Pixels of all images."""
        context, known = self.context, self.context.known
        return images_of(
            open_store(context.storage, context.project_id, frame_noted(known), known["images"])
        )

    def effort(self) -> dict[str, float]:
        """What learning and embedding amount to, in images that pass through the network."""
        views = 2 * ROTATIONS if self.params.rotations else 2
        # Learning from an image takes about as long as looking at three.
        learning = 3 * views * self.params.epochs * len(self.pool)
        return {"learn": learning, "embed": self.context.known["images"]}

    def gather(self) -> None:
        """Note what there is."""
        gather(self.context)

    def learn(self) -> None:
        """Learn an encoder."""
        # Rows of one that was learned before, as at another size, are never gone on with.
        self.features.discard()
        learn_encoder(
            self.store,
            self.pool,
            self.params,
            seed=self.context.known["seed"],
            out=self.features.encoder,
            checkpoint=self.file("learning.safetensors"),
            progress=self.progress,
        )

    def embed(self) -> None:
        """Embed all images with it."""
        self.features.complete(self.store, self.progress)

    def publish(self) -> None:
        """Let go of what earlier jobs have left, and note that all is done."""
        context, features = self.context, self.features
        result = {"images": context.known["images"], "dimension": int(features.rows().shape[1])}
        with context.transaction() as (session, job):
            features.remove_others(keep=latest(session, context.project_id))
            context.note(job, {"result": result})


PHASES: Final = (
    Phase("gather", Learning.gather),
    Phase("learn", Learning.learn),
    Phase("embed", Learning.embed),
)
