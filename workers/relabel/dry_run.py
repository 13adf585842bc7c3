"""What relabeling would take."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from models.catalog import find, parse
from models.catalog.params.relabel import DivideMixParams, LearnerParams, RelabelParams
from models.catalog.resolve import resolve
from models.dry_run import affine_seconds, extended_seconds, step_seconds
from models.features.chosen import embed_rows
from models.features.embed import extractor_path
from models.media.images.store import images_of
from models.protocols import Indices
from models.relabeling.frozen import judge_labels
from models.relabeling.noisy_labels import Learned, NoisyLabels
from models.relabeling.opinions import partition_count, partitions_of
from models.relabeling.second_opinion import out_of_sample, unsupervised_embeddings
from workers.dry_run import Cost, DryRun
from workers.jobs.context import JobContext
from workers.relabel.gather import Gathered, gather
from workers.weights import located

_SAMPLE: Final = 512
# Features of both kinds beside each other, and what is computed for each class.
_WIDTH: Final = 1_800
_TABLES: Final = 12
# Neighbours are looked for among all images, the rest grows with their number.
_NEIGHBOURS_POWER: Final = 1.3


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    params = located(context, RelabelParams.of(context))
    timing = _Timing(context, gather(context, params), params)
    phases: dict[str, Callable[[], Cost]] = {}
    if timing.params.frozen:
        phases |= {"embed": timing.embed, "judge": timing.judge}
    else:
        if timing.params.second_opinion:
            phases["second_opinion"] = timing.second_opinion
        phases["train"] = timing.train
    # To write the file and the rows takes no time beside the rest.
    phases["publish"] = lambda: Cost(0.0)
    return DryRun(images=int(timing.gathered.trained.sum()), phases=phases)


class _Timing:
    """The labels of one project."""

    def __init__(self, context: JobContext, gathered: Gathered, params: RelabelParams) -> None:
        self.context, self.gathered, self.known = context, gathered, gathered.known
        self.params = params
        self.indices, self.labels = self.known.snapshot.inside()
        self.mixed = np.random.default_rng(self.known.seed).permutation(len(self.indices))

    def embed(self) -> Cost:
        """Time the features of a sample."""
        count = len(self.indices) + len(self.known.snapshot.evaluation)

        def run(size: int) -> None:
            self.context.check()
            self._embed(np.resize(self.indices[self.mixed], size))

        return Cost(affine_seconds(run, min(_SAMPLE, count), count), 4 * count * _WIDTH)

    def judge(self) -> Cost:
        """Time the judgement of a sample by its features."""
        count = len(self.indices)
        size = min(_SAMPLE, count)
        some = self.mixed[:size]
        self._embed(self.indices[some])
        rows = np.load(self._features)
        classes, seed = self.known.snapshot.classes, self.known.seed

        def run(size: int) -> None:
            self.context.check()
            labels = self.labels[some[:size]]
            # As many as all labels will have, and not as a sample would.
            partitions = partitions_of(labels, seed)[: partition_count(count)]
            judge_labels(
                rows[:size],
                labels,
                classes=classes,
                seed=seed,
                learner=self.params.learner,
                partitions=partitions,
            )

        seconds = extended_seconds(run, size, count, highest_power=_NEIGHBOURS_POWER)
        return Cost(seconds, 8 * count * classes * _TABLES)

    @property
    def _features(self) -> Path:
        return self.context.work / "dry_run.npy"

    def _embed(self, rows: Indices) -> None:
        # Afresh each time: a file that is there would be gone on with.
        self._features.unlink(missing_ok=True)
        extractor_path(self._features).unlink(missing_ok=True)
        params = self.params
        embed_rows(
            self.known.store, rows, params.network, params.feature_params(),
            seed=self.known.seed, out=self._features,
        )  # fmt: skip

    def train(self) -> Cost:
        """Time steps, and inference over a sample."""
        params: LearnerParams = parse("learner", self.params.learner, self.params.learner_params())
        batches = -(-len(self.gathered.trained_on) // params.batch_size)
        models: list[Any] = []
        seconds = 0.0
        for epochs, change in _kinds_of_epochs(params):
            short = params.model_copy(update={"epochs": 1, **change})
            seconds += epochs * batches * step_seconds(partial(self._learn, short, models))
        looked_at = len(self.indices) + len(self.known.snapshot.evaluation)
        for model in models:
            infer = partial(self._infer, model)
            seconds += extended_seconds(infer, min(_SAMPLE, len(self.indices)), looked_at)
        return Cost(seconds)

    def second_opinion(self) -> Cost:
        """Time the features and the heads of a sample."""
        count = len(self.indices)
        store, classes = images_of(self.known.store), self.known.snapshot.classes

        def judge(size: int) -> None:
            self.context.check()
            part = store.take(np.arange(size))
            embeddings = unsupervised_embeddings(part, np.arange(size), seed=self.known.seed)
            some = self.labels[self.mixed[:size]]
            out_of_sample(embeddings, some, classes=classes, seed=self.known.seed)

        return Cost(affine_seconds(judge, min(_SAMPLE, count), count), 4 * count * 512)

    def _learn(self, params: LearnerParams, models: list[Any], steps: int) -> None:
        """Learn for one epoch of so many batches; images may come more than once."""
        self.context.check()
        positions = np.resize(self.gathered.trained_on, steps * params.batch_size)
        noisy = NoisyLabels(
            images_of(self.known.store),
            self.indices[positions],
            self.labels[positions],
            self.known.snapshot.classes,
            self.known.seed,
            self.context.work / "dry_run",
        )
        learned: Learned = resolve(find("learner", self.params.learner))(noisy, params, None)
        models[:] = learned.models

    def _infer(self, model: Any, size: int) -> None:
        self.context.check()
        model.infer(np.resize(self.indices, size))


def _kinds_of_epochs(params: LearnerParams) -> list[tuple[int, dict[str, int]]]:
    """How many epochs of each kind there are, and what makes a training of only that kind."""
    if not isinstance(params, DivideMixParams):
        return [(params.epochs, {})]
    return [
        (params.warm_up_epochs, {"warm_up_epochs": 1}),
        (params.epochs - params.warm_up_epochs, {"warm_up_epochs": 0, "ramp_epochs": 0}),
    ]
