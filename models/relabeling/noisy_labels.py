"""What a learner gets, what it returns, and what all of them do alike."""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from models.catalog import parse, validate
from models.catalog.params.networks import TrainingParams
from models.catalog.params.relabel import LearnerParams
from models.media.images.networks.build import build_network
from models.media.images.store import PixelStore
from models.protocols import Indices
from models.target.trained import NetworkModel


@dataclass(frozen=True)
class NoisyLabels:
    """Images with labels to learn from.

    Attributes:
        store: the pool.
        indices: (n,) rows of the store.
        labels: (n,) int64 in 0..classes-1, some of them wrong.
        classes: C.
        seed: of weights, batches and augmentation.
        work: directory for checkpoints.
    """

    store: PixelStore
    indices: Indices
    labels: Indices
    classes: int
    seed: int
    work: Path

    @property
    def images(self) -> PixelStore:
        """Return the n images as a store of their own."""
        return self.store.take(self.indices)

    @property
    def checkpoint(self) -> Path:
        """Return where the state of the training is kept."""
        return self.work / "training.safetensors"

    def per_epoch(self, params: LearnerParams) -> int:
        """Return how many batches make an epoch."""
        return math.ceil(len(self.indices) / params.batch_size)

    def model(self, params: LearnerParams, *, steps: int, seed: int) -> NetworkModel:
        """Build the network with fresh weights."""
        given = params.network_params(
            steps=steps, **params.model_dump(include={"learning_rate", "momentum", "weight_decay"})
        )
        network = build_network(
            params.network,
            parse("model", params.network, given),
            classes=self.classes,
            store=self.store,
            seed=seed,
        )
        stored = validate("model", params.network, given)
        return NetworkModel(network, self.store, params.network, stored)

    def fingerprint(self, params: LearnerParams) -> str:
        """Identify a run, so that a checkpoint of another one is not resumed by mistake."""
        facts = f"{params.model_dump_json()} {self.seed} {self.classes}".encode()
        arrays = self.indices.tobytes() + self.labels.tobytes()
        return hashlib.sha256(facts + arrays).hexdigest()


@dataclass(frozen=True)
class Learned:
    """What was learned.

    Attributes:
        models: whose probabilities are averaged.
        extras: single numbers for the report.
    """

    models: tuple[NetworkModel, ...]
    extras: Mapping[str, float] = field(default_factory=dict)


def training_params(model: NetworkModel) -> TrainingParams:
    """Return the parameters of a model of `NoisyLabels.model`."""
    params = parse("model", model.name, model.params)
    assert isinstance(params, TrainingParams)
    return params


def decay(params: LearnerParams) -> Callable[[int, int], float]:
    """Return the factor of the learning rate by the step and their number.

    It changes from epoch to epoch: (1 + cos(pi e / E)) / 2 in epoch e of E, counted from 0, or a
    tenth from the middle on.
    """
    epochs = params.epochs

    def factor(step: int, steps: int) -> float:
        epoch = step * epochs // steps
        if params.schedule == "step":
            return 0.1 if 2 * epoch >= epochs else 1.0
        return (1 + math.cos(math.pi * epoch / epochs)) / 2

    return factor
