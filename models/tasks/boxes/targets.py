"""Boxes as targets and as predictions. Torch-free."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.protocols import Float32Array, Indices, OpenSetLabels


@dataclass(frozen=True)
class BoxTargets:
    """The boxes of L examples, one after another.

    Attributes:
        corners: (B, 4) float64, left, top, right, bottom in pixels of the upright image.
        classes: (B,) int64 in 0..C-1.
        crowd: (B,) bool: many things in one box, neither to be found nor wrong to find.
        difficult: (B,) bool: learned, but not counted where a model is judged.
        offsets: (L + 1,) int64: the boxes of example i are those from offsets[i] on.
        sizes: (L, 2) int64, width and height of the upright images in pixels.
    """

    corners: NDArray[np.float64]
    classes: Indices
    crowd: NDArray[np.bool_]
    difficult: NDArray[np.bool_]
    offsets: Indices
    sizes: Indices

    def __len__(self) -> int:
        """Return L."""
        return len(self.offsets) - 1

    @classmethod
    def of(
        cls,
        labels: Sequence[Mapping[str, Any] | None],
        class_ids: Sequence[int],
        sizes: Indices,
    ) -> "BoxTargets":
        """Read labels as `core.tasks` stores them; of None there are no boxes."""
        output = {class_id: number for number, class_id in enumerate(class_ids)}
        # One label after the other: as objects all of them may not fit memory.
        found = [_numbers(label, output) for label in labels]
        rows = np.concatenate([np.zeros((0, 7)), *found])
        return cls(
            np.ascontiguousarray(rows[:, :4]),
            rows[:, 4].astype(np.int64),
            rows[:, 5] == 1,
            rows[:, 6] == 1,
            np.concatenate([[0], np.cumsum([len(one) for one in found])]).astype(np.int64),
            np.asarray(sizes, dtype=np.int64).reshape(-1, 2),
        )

    @property
    def counts(self) -> Indices:
        """(L,) int64, how many boxes each example has."""
        return np.diff(self.offsets)

    def take(self, positions: Indices) -> "BoxTargets":
        """Return the rows at (n,) positions."""
        starts = self.offsets[positions]
        counts = self.offsets[positions + 1] - starts
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)
        rows = np.repeat(starts, counts) + within
        return BoxTargets(
            self.corners[rows],
            self.classes[rows],
            self.crowd[rows],
            self.difficult[rows],
            offsets,
            self.sizes[positions],
        )

    def outputs(self) -> OpenSetLabels:
        """Return the class that most boxes of each example are of; OOD where there is no box.

        Of several that are equally many it is the first.
        """
        rows = np.repeat(np.arange(len(self)), self.counts)
        classes = int(self.classes.max(initial=0)) + 1
        table = np.zeros((len(self), classes), dtype=np.int64)
        np.add.at(table, (rows, self.classes), 1)
        return OpenSetLabels.of(table.argmax(axis=1), self.counts == 0)

    def present(self) -> Indices:
        """Return the classes that any box is of."""
        return np.unique(self.classes)

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return everything by name."""
        return dict(self.__dict__)


def _numbers(label: Mapping[str, Any] | None, output: Mapping[int, int]) -> NDArray[np.float64]:
    """Return (B, 7): corners, class, crowd and difficult of the boxes of one label."""
    boxes = [
        (
            *(one["x"], one["y"], one["x"] + one["w"], one["y"] + one["h"]),
            *(output[one["class_id"]], bool(one.get("crowd")), bool(one.get("difficult"))),
        )
        for one in (() if label is None else label["boxes"])
        # A class can be taken away while boxes of it are on their way.
        if one["class_id"] in output
    ]
    return np.array(boxes, dtype=np.float64).reshape(-1, 7)


@dataclass(frozen=True)
class BoxPredictions:
    """What a model has found surest in each example.

    Attributes:
        predicted: (N,) int16 in 0..C-1, the class of the surest detection.
        confidence: (N,) float32 in 0..1, how sure that is; near 0 where nothing was found.
    """

    predicted: NDArray[np.int16]
    confidence: Float32Array

    def __len__(self) -> int:
        """Return N."""
        return len(self.predicted)

    def take(self, positions: Indices) -> "BoxPredictions":
        """Return the rows at (n,) positions."""
        return BoxPredictions(self.predicted[positions], self.confidence[positions])

    def columns(self) -> Mapping[str, NDArray[Any]]:
        """Return both by name."""
        return {"predicted": self.predicted, "confidence": self.confidence}
