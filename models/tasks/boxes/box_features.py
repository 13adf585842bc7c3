"""What detections look like, from maps that are cached, and how alike two images are by that.

Source: C. Yang, L. Huang, E. J. Crowley, "Plug and Play Active Learning for Object Detection", CVPR
2024: images are alike where each box has a like one of its class in the other.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices
from models.tasks.boxes.matching import CLASS
from models.tasks.boxes.sides import POOLED, maps_width, shapes

_LEVEL: Final = 1
"""Stride 16: finer maps tell edges, and of the coarser one a small box is one place."""
_BLOCK: Final = 256


def box_features(rows: NDArray[Any], indices: Indices, detections: Float32Array) -> Float32Array:
    """Return the mean of a map over each box: (n, K, 112) float32.

    Args:
        rows: (N, D) of the whole pool, as `FcosMaps` makes them.
        indices: (n,) rows of the images.
        detections: (n, K, 6) float32 as in `Outputs.detections`.
    """
    side = round(math.sqrt((rows.shape[1] - POOLED) / (maps_width(32) / 32**2)))
    sizes = shapes(side)
    start = POOLED + sum(math.prod(one) for one in sizes[:_LEVEL])
    channels, height, width = sizes[_LEVEL]
    shape = np.array([width, height] * 2)
    features = np.empty((*detections.shape[:2], channels), dtype=np.float32)
    for first in range(0, len(indices), _BLOCK):
        block = np.asarray(indices[first : first + _BLOCK])
        maps = np.array(rows[block, start : start + channels * height * width], dtype=np.float32)
        for place, one in enumerate(maps.reshape(-1, channels, height, width), first):
            corners = detections[place, :, :4] * shape
            low = np.clip(np.floor(corners[:, :2]), 0, shape[:2] - 1).astype(np.int64)
            high = np.maximum(low + 1, np.ceil(corners[:, 2:]).astype(np.int64))
            for number, ((x, y), (right, bottom)) in enumerate(zip(low, high, strict=True)):
                features[place, number] = one[:, y:bottom, x:right].mean(axis=(1, 2))
    return features


class Likeness:
    """How alike images are by their detections, 0..1: matched within classes, both ways."""

    def __init__(
        self,
        detections: Float32Array,
        weights: NDArray[np.float64],
        features: Float32Array | None = None,
    ) -> None:
        """Take the detections of n images.

        Args:
            detections: (n, K, 6) float32 as in `Outputs.detections`.
            weights: (n, K) >= 0 of each; 0 of what is none.
            features: (n, K, E) of each; default: all of a class are alike.
        """
        count, places = weights.shape
        self._classes = detections[:, :, CLASS].astype(np.int64)
        self._weights = weights
        self._total = np.maximum(weights.sum(axis=1), 1e-12)
        flat = np.ones((count * places, 1), dtype=np.float32)
        if features is not None:
            flat = features.reshape(count * places, features.shape[2])
            known = weights.reshape(-1) > 0
            # Centring first: features after a ReLU all point into one corner.
            flat = flat - flat[known].mean(axis=0) if known.any() else flat
        self._features = unit_rows(flat).reshape(count, places, flat.shape[1])

    def to(self, one: int) -> NDArray[np.float64]:
        """Return how alike each image is to one of them, (n,)."""
        alike = np.maximum(0.0, self._features @ self._features[one].T)  # (n, K, K)
        alike = np.where(self._classes[:, :, None] == self._classes[one], alike, 0.0)
        alike = alike * ((self._weights > 0)[:, :, None] & (self._weights[one] > 0))
        there = (alike.max(axis=2) * self._weights).sum(axis=1) / self._total
        back = (alike.max(axis=1) * self._weights[one]).sum(axis=1) / self._total[one]
        result: NDArray[np.float64] = (there + back) / 2
        return result
