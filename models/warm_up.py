"""A short training on noisy labels, and what it shows about each example.

Source: thesis, section 5.3.1 (a constant learning rate, which a cosine hardly changes in the first
epochs); the records that the methods need are described in `models.pruning.view`.
"""

from dataclasses import replace
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.catalog import parse, validate
from models.data import PixelStore
from models.embed import build_network
from models.params.networks import TrainingParams
from models.params.warm_up import WarmUpParams
from models.probability import log_softmax
from models.protocols import Indices, Progress
from models.pruning.grand import last_layer_norms
from models.pruning.view import PruningView
from models.strong_view import StrongView
from models.train import train
from models.trained import NetworkModel


def warm_up(
    store: PixelStore,
    indices: Indices,
    labels: Indices,
    *,
    classes: int,
    params: WarmUpParams,
    seed: int,
    work: Path,
    progress: Progress | None = None,
) -> PruningView:
    """Train on all examples and record what pruning methods look at.

    Args:
        store: the pool.
        indices: (N,) rows of the store, ascending.
        labels: (N,) int64 in 0..classes-1, some of them wrong.
        classes: C.
        params: network, epochs, and how many models.
        seed: of the first model; the others count on from it.
        work: directory for checkpoints, from which a call that was interrupted goes on. The caller
            removes it in the end.
        progress: counts steps of all models; may raise `Cancelled`.

    Returns:
        All but `self_supervised`: embeddings and logits on one strongly augmented view, losses and
        correctness on the images as they are, a row of gradient norms for each model.

    Raises:
        ModelError: labels out of range, or training diverged.
    """
    records = []
    for number in range(params.models):
        run = _Run(store, indices, labels, classes, params, seed + number, work / str(number))
        records.append(run.record(_share(progress, number, params.models)))
    norms = np.stack(
        [record.gradient_norms[0] for record in records if record.gradient_norms is not None]
    )
    return replace(records[0], gradient_norms=norms)


def train_steps(
    store: PixelStore,
    indices: Indices,
    labels: Indices,
    *,
    classes: int,
    params: WarmUpParams,
    seed: int,
    steps: int,
) -> tuple[NetworkModel, NetworkModel]:
    """Train for so many steps only, to measure what they take.

    Returns:
        The model over the images as they are, and over their strongly augmented view.
    """
    run = _Run(store, indices, labels, classes, params, seed, Path())
    model, settings = run.built(steps)
    train(
        model.network,
        store[indices],
        labels,
        params=settings,
        seed=seed,
        schedule=_constant,
    )
    return model, run.strong(model)


class _Run:
    """One model."""

    def __init__(
        self,
        store: PixelStore,
        indices: Indices,
        labels: Indices,
        classes: int,
        params: WarmUpParams,
        seed: int,
        work: Path,
    ) -> None:
        self.store, self.indices, self.labels, self.classes = store, indices, labels, classes
        self.params, self.seed, self.work = params, seed, work

    def record(self, progress: Progress | None) -> PruningView:
        """Train, and return what this model shows; of its gradient norms one row."""
        self.work.mkdir(parents=True, exist_ok=True)
        model = self._trained(progress)
        still = _still(progress, self._steps, self._steps)
        plain = model.infer(self.indices, progress=still)
        strong = self.strong(model).infer(self.indices, progress=still)
        own = np.take_along_axis(log_softmax(plain.logits), self.labels[:, None], axis=1)[:, 0]
        norms = last_layer_norms(plain.logits, plain.embeddings, self.labels)
        epochs = [np.load(self._epoch_file(one)) for one in range(1, self.params.epochs + 1)]
        return PruningView(
            labels=self.labels,
            classes=self.classes,
            seed=self.seed,
            embeddings=strong.embeddings,
            logits=strong.logits,
            losses=(-own).astype(np.float32),
            correct=np.stack(epochs),
            gradient_norms=norms[None],
        )

    def strong(self, model: NetworkModel) -> NetworkModel:
        """Return the same model over the strongly augmented view."""
        view = StrongView(self.store, self.seed)
        return NetworkModel(model.network, view, model.name, model.params)

    def built(self, steps: int) -> tuple[NetworkModel, TrainingParams]:
        """Return an untrained model and how it is trained for so many steps."""
        given = self.params.network_params(steps=steps, learning_rate=self.params.learning_rate)
        settings = parse("model", self.params.network, given)
        assert isinstance(settings, TrainingParams)
        network = build_network(
            self.params.network,
            settings,
            classes=self.classes,
            store=self.store,
            seed=self.seed,
            ood_output=False,
            loss_prediction=False,
        )
        stored = validate("model", self.params.network, given)
        return NetworkModel(network, self.store, self.params.network, stored), settings

    def _trained(self, progress: Progress | None) -> NetworkModel:
        per_epoch = self._per_epoch
        model, settings = self.built(self._steps)
        train(
            model.network,
            self.store[self.indices],
            self.labels,
            params=settings,
            seed=self.seed,
            schedule=_constant,
            every=per_epoch,
            observe=lambda step: self._note(
                model, step // per_epoch, _still(progress, step, self._steps)
            ),
            checkpoint=self.work / "training.safetensors",
            progress=progress,
        )
        return model

    def _note(self, model: NetworkModel, epoch: int, progress: Progress | None) -> None:
        """Keep which examples are right after an epoch; to repeat it changes nothing."""
        logits = model.infer(self.indices, progress=progress).logits
        right: NDArray[np.bool_] = logits.argmax(axis=1) == self.labels
        partial = self._epoch_file(epoch).with_suffix(".tmp")
        with partial.open("wb") as file:
            np.save(file, right)
        partial.replace(self._epoch_file(epoch))

    @property
    def _per_epoch(self) -> int:
        return ceil(len(self.indices) / self.params.batch_size)

    @property
    def _steps(self) -> int:
        return self._per_epoch * self.params.epochs

    def _epoch_file(self, epoch: int) -> Path:
        return self.work / f"correct-{epoch}.npy"


def _constant(step: int, steps: int) -> float:
    del step, steps
    return 1.0


def _still(progress: Progress | None, now: int, total: int) -> Progress | None:
    """Say, while all images are looked at, that training is where it was."""
    if progress is None:
        return None

    def report(step: int, steps: int) -> None:
        del step, steps
        progress(now, total)

    return report


def _share(progress: Progress | None, number: int, models: int) -> Progress | None:
    """Report the steps of one model as part of the steps of all."""
    if progress is None:
        return None

    def report(step: int, steps: int) -> None:
        progress(number * steps + step, models * steps)

    return report
