"""Classes as targets and as predictions. Torch-free."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.protocols import Float32Array, Indices, OpenSetLabels


@dataclass(frozen=True)
class ClassTargets:
    """One class for each example.

    Attributes:
        classes: (L,) int64 in 0..C-1.
    """

    classes: Indices

    def __len__(self) -> int:
        """Return L."""
        return len(self.classes)

    def take(self, positions: Indices) -> "ClassTargets":
        """Return the rows at (n,) positions."""
        return ClassTargets(self.classes[positions])

    def outputs(self) -> OpenSetLabels:
        """Return the classes."""
        return OpenSetLabels.of(self.classes)

    def present(self) -> Indices:
        """Return the classes of which there is an example."""
        return np.unique(self.classes)

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return the classes by name."""
        return {"classes": self.classes}


@dataclass(frozen=True)
class ClassPredictions:
    """The class that a model takes each example for, and how sure it is.

    Attributes:
        predicted: (N,) int16 in 0..C-1.
        confidence: (N,) float32 in 1/C..1.
    """

    predicted: NDArray[np.int16]
    confidence: Float32Array

    def __len__(self) -> int:
        """Return N."""
        return len(self.predicted)

    def take(self, positions: Indices) -> "ClassPredictions":
        """Return the rows at (n,) positions."""
        return ClassPredictions(self.predicted[positions], self.confidence[positions])

    def columns(self) -> Mapping[str, NDArray[Any]]:
        """Return both by name."""
        return {"predicted": self.predicted, "confidence": self.confidence}
