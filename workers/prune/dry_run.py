"""What pruning would take."""

import shutil
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Final

import numpy as np

from models.catalog.params.prune import PruneParams
from models.dry_run import affine_seconds, extended_seconds, step_seconds, timed
from models.media.images.store import images_of
from models.protocols import Indices
from models.pruning.frozen_warm_up import FrozenWarmUp
from models.pruning.premise import relabeled_by_head
from models.pruning.run import prune
from models.pruning.trial import try_heads
from models.pruning.view import Pruned, PruningView
from models.pruning.warm_up import WarmUp
from models.target.trained import NetworkModel
from workers.dry_run import Cost, DryRun, class_notes
from workers.jobs.context import JobContext
from workers.labels.job_inputs import JobInputs
from workers.prune.gather import gather, learned_features, warm_up_of
from workers.prune.warmed import EVALUATION, WarmedUp, said_of
from workers.weights import located

_SECONDS: Final = 5.0
_LEAST: Final = 64
_MOST: Final = 4096
_MOST_EMBEDDED: Final = 256


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    params = located(context, PruneParams.of(context))
    known = gather(context, params)
    timing = _Timing(context, known, params)
    notes = class_notes(context, known.snapshot)
    return DryRun(
        images=len(timing.indices),
        phases={"warm_up": timing.warm_up, "embed": timing.embed, "prune": timing.prune},
        notes=notes if timing.found is None else (*notes, said_of(timing.found[1])),
    )


class _Timing:
    """The labels of one project."""

    def __init__(self, context: JobContext, known: JobInputs, params: PruneParams) -> None:
        self.context, self.known, self.seed = context, known, known.seed
        self.params = params
        self.classes = known.snapshot.classes
        self.indices, self.labels = known.snapshot.inside()
        self.found = WarmedUp(context, known, params).find()
        self._size, self._look_seconds, self._dimension = 0, 0.0, 0

    def warm_up(self) -> Cost:
        """Time steps, and inference over both views of a sample."""
        params, count = self.params, len(self.indices)
        if self.found is not None:
            self._size = min(count, _MOST)
            return Cost(0.0)
        if params.frozen:
            return self._features()
        models: list[NetworkModel] = []
        warm_up = warm_up_of(self.context, self.known, params)
        assert isinstance(warm_up, WarmUp)

        def train(steps: int) -> None:
            self.context.check()
            models[:] = warm_up.train_steps(steps)

        step = step_seconds(train)
        # The sample is learned from twice, and looked at four times.
        self._size = min(count, _MOST, max(_LEAST, int(_SECONDS * params.batch_size / (4 * step))))
        plain, strong = (
            extended_seconds(partial(self._infer, one), self._size, count) for one in models
        )
        self._look_seconds = params.models * plain + strong
        self._dimension = models[0].network.dimension
        steps = params.epochs * ceil(count / params.batch_size)
        return Cost(params.models * (steps * step + params.epochs * plain))

    def _features(self) -> Cost:
        """Time the features of a sample, and the heads that are warmed up on them."""
        count = len(self.indices)
        self._size = min(count, _MOST_EMBEDDED)
        sample = self._sample()

        def embed(size: int) -> None:
            self.context.check()
            self._frozen(sample[:size]).train()

        # What judges is embedded in one view.
        views = 2 if self._frozen(sample).augments else 1
        judging = len(self.known.snapshot.evaluation) // views
        seconds = affine_seconds(embed, len(sample), count + judging)
        task = self._frozen(sample)
        task.train()

        def look(_: int) -> None:
            self._dimension = task.look().given("embeddings").shape[1]

        self._look_seconds = timed(look, len(sample)) * count / len(sample)
        return Cost(seconds)

    def _frozen(self, sample: Indices) -> FrozenWarmUp:
        """The warm-up of (n,) positions, with nothing done yet."""
        work = self.context.work / "dry_run"
        shutil.rmtree(work, ignore_errors=True)
        return FrozenWarmUp(
            self.known.store,
            self.indices[sample],
            self.labels[sample],
            classes=self.classes,
            params=self.params,
            seed=self.seed,
            work=work,
        )

    def embed(self) -> Cost:
        """Tell what was measured beside the training."""
        # Of frozen features both views are held twice: as they are, and scaled for the heads.
        held = 4 if self.params.frozen else 3
        return Cost(self._look_seconds, held * self._bytes(self._dimension))

    def prune(self) -> Cost:
        """Time the choice among the sample and among a part of it, and extend that."""
        params = self.params
        sample = self._sample()
        view = self._seen(sample)
        if params.method == "ssp" and not params.frozen:
            learned = learned_features(self.context, self.indices[sample])
            view = replace(view, self_supervised=learned)
        share = params.keep_of(len(self.indices)) / len(self.indices)
        method_params = params.method_params()
        if self.found is None and "tau" in method_params:
            # A given threshold suits features that were learned; before that all look alike.
            method_params["tau"] = None
        mixed = np.random.default_rng(self.seed).permutation(len(sample))

        def choose(size: int) -> None:
            self.context.check()
            part = view.part(np.sort(mixed[:size]))
            pruned = prune(params.method, part, max(1, round(share * size)), method_params)
            if params.frozen:
                self._try(part, pruned)

        seconds = extended_seconds(choose, len(sample), len(self.indices), highest_power=2)
        return Cost(seconds, 5 * self._bytes(view.given("embeddings").shape[1]))

    def _try(self, part: PruningView, pruned: Pruned) -> None:
        """Do what is done with a choice by frozen features."""
        features, kept = part.given("plain_embeddings"), pruned.order
        if "neighbourhood" in pruned.reasons:
            relabeled_by_head(features, part.labels, kept, part.classes)
        if len(self.known.snapshot.evaluation):
            # What judges takes next to no time beside what is learned from.
            judging, answers = features[:1], part.labels[:1]
            try_heads(
                features, part.labels, kept, judging, answers, classes=part.classes, seed=self.seed
            )

    def _seen(self, sample: Indices) -> PruningView:
        """Return what a warm-up shows of a sample: that of an earlier job, or a short one."""
        params = self.params
        if self.found is not None:
            arrays = {name: one for name, one in self.found[0].items() if name != EVALUATION}
            return PruningView(self.labels, self.classes, self.seed, **arrays).part(sample)
        if params.frozen:
            heads = self._frozen(sample)
            heads.train(lambda *_: self.context.check())
            return heads.look(lambda *_: self.context.check())
        # What is forgotten between epochs shows in the second at the earliest.
        epochs = min(2, params.epochs)
        warm_up = WarmUp(
            images_of(self.known.store),
            self.indices[sample],
            self.labels[sample],
            classes=self.classes,
            params=params.model_copy(update={"epochs": epochs, "models": 1}),
            seed=self.seed,
            work=self.context.work / "dry_run",
        )
        warm_up.train(lambda *_: self.context.check())
        return warm_up.look(lambda *_: self.context.check())

    def _infer(self, model: NetworkModel, size: int) -> None:
        self.context.check()
        model.infer(self.indices[:size])

    def _sample(self) -> Indices:
        """Positions of a random sample that has every class, ascending."""
        mixed = np.random.default_rng(self.seed).permutation(len(self.indices))
        _, first = np.unique(self.labels[mixed], return_index=True)
        order = np.concatenate([mixed[first], np.delete(mixed, first)])
        return np.sort(order[: max(self._size, len(first))])

    def _bytes(self, dimension: int) -> int:
        """Size of the embeddings of all images on one view."""
        return 4 * len(self.indices) * dimension
