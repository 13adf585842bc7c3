"""What learning features would take."""

from typing import Final

import numpy as np

from models.catalog.params.contrastive import ContrastiveParams
from models.dry_run import extended_seconds, step_seconds
from models.media.images.contrastive import embed_with_encoder, learn_encoder
from models.media.images.store import PixelStore, images_of
from workers.dry_run import Cost, DryRun
from workers.features.gather import gather
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_noted, open_store

_SAMPLE: Final = 512


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    gather(context)
    timing = _Timing(context)
    return DryRun(images=len(timing.pool), phases={"learn": timing.learn, "embed": timing.embed})


class _Timing:
    """The pool of one project."""

    def __init__(self, context: JobContext) -> None:
        self.context = context
        self.params = ContrastiveParams.of(context)
        self.known = context.known
        self.pool = np.load(context.work / "pool.npy")
        self.encoder = context.work / "encoder.safetensors"

    def learn(self) -> Cost:
        """Time steps of the learner."""
        params, pool = self.params, self.pool
        store = self._store(self.known["images"])
        batch_size = min(params.batch_size, len(pool))

        def learn(steps: int) -> None:
            self.context.check()
            learn_encoder(
                store,
                # One pass over so many images, some of them again in a small pool.
                np.resize(pool, steps * batch_size),
                params.model_copy(update={"epochs": 1, "batch_size": batch_size}),
                seed=self.known["seed"],
                out=self.encoder,
            )

        steps = max(1, round(params.epochs * len(pool) / batch_size))
        return Cost(steps * step_seconds(learn))

    def embed(self) -> Cost:
        """Time the encoder on the first images."""
        count = self.known["images"]

        def embed(size: int) -> None:
            self.context.check()
            out = self.context.work / "features.npy"
            out.unlink(missing_ok=True)
            embed_with_encoder(self._store(size), self.encoder, out=out)

        return Cost(extended_seconds(embed, min(_SAMPLE, count), count))

    def _store(self, count: int) -> PixelStore:
        context = self.context
        frame = frame_noted(self.known)
        return images_of(open_store(context.storage, context.project_id, frame, count))
