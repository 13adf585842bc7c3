"""A short training on noisy labels, and what it shows about each example.

Source: thesis, section 5.3.1 (a constant learning rate, which a cosine hardly changes in the first
epochs); the records that the methods need are described in `models.pruning.view`.
"""

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.catalog import parse, validate
from models.catalog.params.networks import TrainingParams
from models.catalog.params.warm_up import WarmUpParams
from models.files.arrays import write_array
from models.media.images.networks.build import build_network
from models.media.images.store import PixelStore
from models.media.images.strong_view import StrongView
from models.media.images.training.train import train
from models.numerics.probability import log_softmax
from models.protocols import Float32Array, Indices, Progress
from models.pruning.course import label_margins, label_probabilities
from models.pruning.grand import last_layer_norms
from models.pruning.progress import share_of
from models.pruning.view import PruningView
from models.target.train import load_target
from models.target.trained import NetworkModel


@dataclass(frozen=True)
class WarmUp:
    """One or more trainings on all examples, and what pruning methods look at afterwards.

    `train` and `look` may be called by different processes, one after the other.

    Attributes:
        store: the pool.
        indices: (N,) rows of the store, ascending.
        labels: (N,) int64 in 0..classes-1, some of them wrong.
        classes: C.
        params: network, epochs, and how many models.
        seed: of the first model; the others count on from it.
        work: directory for checkpoints and models, from which a call that was interrupted goes on.
            The caller removes it in the end.
    """

    store: PixelStore
    indices: Indices
    labels: Indices
    classes: int
    params: WarmUpParams
    seed: int
    work: Path

    def train(self, progress: Progress | None = None) -> None:
        """Train all models, and leave them in `work`.

        Args:
            progress: counts steps of all models; may raise `Cancelled`.

        Raises:
            ModelError: labels out of range, or training diverged.
        """
        for number in range(self.params.models):
            self._model(number).train(share_of(progress, number, self.params.models))

    def look(self, progress: Progress | None = None) -> PruningView:
        """Record what the trained models say of each example.

        Args:
            progress: counts images, each once for every model and once for the strong view; may
                raise `Cancelled`.

        Returns:
            All but `self_supervised`: embeddings and logits on one strongly augmented view and on
            the images as they are, losses and correctness on the latter, a row of gradient norms
            for each model.
        """
        looks = self.params.models + 1
        strong = self._model(0).strong().infer(self.indices, progress=share_of(progress, 0, looks))
        first = self._model(0).seen(share_of(progress, 1, looks))
        norms = [first.gradient_norms(self.labels)]
        for number in range(1, self.params.models):
            seen = self._model(number).seen(share_of(progress, number + 1, looks))
            norms.append(seen.gradient_norms(self.labels))
        return PruningView(
            labels=self.labels,
            classes=self.classes,
            seed=self.seed,
            embeddings=strong.embeddings,
            logits=strong.logits,
            plain_embeddings=first.embeddings,
            plain_logits=first.logits,
            losses=first.losses(self.labels),
            correct=self._model(0).recorded("correct"),
            label_probabilities=self._model(0).recorded("probability"),
            margins=self._model(0).recorded("margin"),
            gradient_norms=np.stack(norms),
        )

    def train_steps(self, steps: int) -> tuple[NetworkModel, NetworkModel]:
        """Train for so many steps only, to measure what they take.

        Returns:
            The model over the images as they are, and over their strongly augmented view.
        """
        model = self._model(0)
        built, settings = model.built(steps)
        train(
            built.network,
            self.store.take(self.indices),
            self.labels,
            params=settings,
            seed=self.seed,
            schedule=_constant,
        )
        return built, model.over_strong_view(built)

    def _model(self, number: int) -> "_Model":
        return _Model(self, self.seed + number, self.work / str(number))


class _Seen(NamedTuple):
    """What a model makes of the images as they are: (N, C) and (N, D) float32."""

    logits: Float32Array
    embeddings: Float32Array

    def losses(self, labels: Indices) -> Float32Array:
        """Return the (N,) cross-entropies of (N,) labels."""
        own = np.take_along_axis(log_softmax(self.logits), labels[:, None], axis=1)[:, 0]
        return (-own).astype(np.float32)

    def gradient_norms(self, labels: Indices) -> Float32Array:
        """Return (N,) norms of what the last layer would learn of each."""
        return last_layer_norms(self.logits, self.embeddings, labels)


@dataclass(frozen=True)
class _Model:
    """One of the models."""

    warm_up: WarmUp
    seed: int
    work: Path

    def train(self, progress: Progress | None) -> None:
        """Train, unless that is done, and keep the model."""
        if self._file.exists():
            if progress is not None:
                progress(self._steps, self._steps)
            return
        self.work.mkdir(parents=True, exist_ok=True)
        warm_up, per_epoch = self.warm_up, self._per_epoch
        model, settings = self.built(self._steps)
        train(
            model.network,
            warm_up.store.take(warm_up.indices),
            warm_up.labels,
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
        model.save(self._file)

    def seen(self, progress: Progress | None) -> _Seen:
        """Look at the images as they are."""
        plain = self._trained().infer(self.warm_up.indices, progress=progress)
        return _Seen(plain.logits, plain.embeddings)

    def recorded(self, name: str) -> NDArray[Any] | None:
        """Return one of the records of each epoch, (E, N); None where an earlier version began."""
        files = [self._epoch_file(name, one) for one in range(1, self.warm_up.params.epochs + 1)]
        if not all(file.exists() for file in files):
            return None
        return np.stack([np.load(file) for file in files])

    def strong(self) -> NetworkModel:
        """Return the trained model over the strongly augmented view."""
        return self.over_strong_view(self._trained())

    def over_strong_view(self, model: NetworkModel) -> NetworkModel:
        """Return the same model over the strongly augmented view."""
        view = StrongView(self.warm_up.store, self.seed)
        return NetworkModel(model.network, view, model.name, model.params)

    def built(self, steps: int) -> tuple[NetworkModel, TrainingParams]:
        """Return an untrained model and how it is trained for so many steps."""
        warm_up, params = self.warm_up, self.warm_up.params
        given = params.network_params(steps=steps, learning_rate=params.learning_rate)
        settings = parse("model", params.network, given)
        assert isinstance(settings, TrainingParams)
        network = build_network(
            params.network,
            settings,
            classes=warm_up.classes,
            store=warm_up.store,
            seed=self.seed,
            ood_output=False,
            loss_prediction=False,
        )
        stored = validate("model", params.network, given)
        return NetworkModel(network, warm_up.store, params.network, stored), settings

    def _trained(self) -> NetworkModel:
        model = load_target(self._file, self.warm_up.store)
        assert isinstance(model, NetworkModel)
        return model

    def _note(self, model: NetworkModel, epoch: int, progress: Progress | None) -> None:
        """Keep what is said of labels after an epoch; to repeat it changes nothing."""
        logits = model.infer(self.warm_up.indices, progress=progress).logits
        labels = self.warm_up.labels
        records = {
            "correct": logits.argmax(axis=1) == labels,
            "probability": label_probabilities(logits, labels),
            "margin": label_margins(logits, labels),
        }
        for name, values in records.items():
            write_array(self._epoch_file(name, epoch), values)

    @property
    def _per_epoch(self) -> int:
        return ceil(len(self.warm_up.indices) / self.warm_up.params.batch_size)

    @property
    def _steps(self) -> int:
        return self._per_epoch * self.warm_up.params.epochs

    @property
    def _file(self) -> Path:
        return self.work / "model.safetensors"

    def _epoch_file(self, name: str, epoch: int) -> Path:
        return self.work / f"{name}-{epoch}.npy"


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
