# ruff: noqa: ARG002  methods have the parameters of the protocol, used or not
"""A task type of a third party: a number from 0 to 100 for each image, learned by ridge."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from safetensors.numpy import load_file, save_file
from sklearn.linear_model import RidgeCV

from core.tasks.spec import Label, TaskType
from models.errors import ModelError
from models.media.base import Store
from models.protocols import Float32Array, Indices, LinearHead, OpenSetLabels, Outputs, Progress
from models.tasks.base import Metrics, Training


class NumberLabel(Label):
    """How much there is of something, in percent."""

    type: Literal["number"]
    value: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class Number(TaskType[NumberLabel]):
    """A number from 0 to 100; two people mean the same who are five apart at most."""

    name = "number"
    label = NumberLabel
    media = frozenset({"image", "text"})
    fewest_classes = 0
    noun = "a number from 0 to 100"
    alike = 0.05
    learner = "tests.tasks.number:LEARNER"

    def check(self, label: NumberLabel, classes: Collection[int]) -> None:
        """Its model has looked at all there is."""

    def distance(self, one: NumberLabel, other: NumberLabel) -> float:
        return abs(one.value - other.value) / 100

    def agree(self, labels: Sequence[NumberLabel]) -> NumberLabel:
        return NumberLabel(type="number", value=median(label.value for label in labels))

    def class_of(self, label: NumberLabel) -> None:
        return None

    def read(self, text: str, classes: Mapping[str, int]) -> NumberLabel | None:
        try:
            return NumberLabel(type="number", value=float(text))
        except ValueError:
            return None

    def write(self, label: NumberLabel, classes: Mapping[int, str]) -> str:
        return f"{label.value:g}"


NUMBER = Number()


@dataclass(frozen=True)
class Numbers:
    """(L,) float64 in 0..100: targets, and predictions too."""

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    def take(self, positions: Indices) -> "Numbers":
        return Numbers(self.values[positions])

    def outputs(self) -> OpenSetLabels:
        return OpenSetLabels.of(np.zeros(len(self), dtype=np.int64))

    def present(self) -> Indices:
        return np.zeros(min(1, len(self)), dtype=np.int64)

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return {"values": self.values}

    def columns(self) -> Mapping[str, NDArray[Any]]:
        return {"number": self.values}


class RidgeModel:
    """A ridge regression on the frozen embeddings of a pool."""

    classes = 1
    notes = ()

    def __init__(self, weight: Float32Array, bias: float, rows: Float32Array) -> None:
        self.weight, self.bias, self.rows = weight, bias, rows

    def infer(self, indices: Indices, *, progress: Progress | None = None) -> Outputs:
        embeddings = np.asarray(self.rows[indices], dtype=np.float32)
        values = embeddings @ self.weight + self.bias
        return Outputs(values[:, None].astype(np.float32), embeddings)

    def linear_head(self) -> LinearHead:
        return LinearHead(self.weight[:, None], np.array([self.bias], dtype=np.float32))

    def perturbed_logits(
        self, indices: Indices, *, temperature: float, epsilon: float
    ) -> Float32Array:
        raise ModelError("A number has no class to move towards; choose another purity.")

    def pixels(self, indices: Indices) -> NDArray[np.uint8]:
        raise ModelError("A ridge regression sees embeddings only; choose another purity.")

    def save(self, path: Path) -> None:
        tensors = {"weight": self.weight, "bias": np.array([self.bias], dtype=np.float32)}
        save_file(tensors, path)


class RidgeLearner:
    """Learns numbers, and is judged by R²."""

    def targets(
        self,
        labels: Sequence[Mapping[str, Any] | None],
        class_ids: Sequence[int],
        sizes: Indices,
    ) -> Numbers:
        return Numbers(np.array([0.0 if one is None else one["value"] for one in labels]))

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> Numbers:
        return Numbers(arrays["values"])

    def train(self, training: Training) -> RidgeModel:
        if training.embeddings is None:
            raise ModelError("Numbers are learned on frozen features; choose such a model.")
        rows = np.asarray(training.embeddings[training.indices], dtype=np.float64)
        scale = float(np.asarray(training.embeddings).std())
        ridge = RidgeCV(alphas=np.logspace(-2, 3, 11)).fit(rows / scale, training.targets.values)
        weight = (ridge.coef_ / scale).astype(np.float32)
        return RidgeModel(weight, float(ridge.intercept_), training.embeddings)

    def restore(
        self, path: Path, store: Store, *, embeddings: NDArray[np.float32] | None = None
    ) -> RidgeModel:
        assert embeddings is not None
        tensors = load_file(path)
        return RidgeModel(tensors["weight"], float(tensors["bias"][0]), embeddings)

    def predict(self, logits: Float32Array) -> Numbers:
        return Numbers(logits[:, 0].astype(np.float64))

    def losses(self, outputs: Outputs, targets: Numbers) -> NDArray[np.float64]:
        return np.abs(outputs.logits[:, 0] - targets.values) / 100

    def metrics(self, outputs: Outputs, targets: Numbers, class_ids: Sequence[int]) -> Metrics:
        wrong = np.square(outputs.logits[:, 0] - targets.values).sum()
        spread = np.square(targets.values - targets.values.mean()).sum()
        return Metrics("r2", float(1 - wrong / spread) if spread else None)


LEARNER = RidgeLearner()
