"""How open it is of an image's detections whether they are right."""

import numpy as np
from numpy.typing import NDArray

from models.params.detection import BoxEntropyParams
from models.protocols import Float32Array

Probabilities = NDArray[np.float64]
_SCORE = 4


def there(detections: Float32Array) -> NDArray[np.bool_]:
    """Return (N, K), which places hold a detection; what is not a number is seen to later."""
    holds: NDArray[np.bool_] = ~(detections[:, :, _SCORE] <= 0)
    return holds


def binary_entropy(probabilities: Probabilities) -> NDArray[np.float64]:
    """Return -p log p - (1 - p) log(1 - p) in nats, 0 at 0 and at 1."""
    inside = np.clip(probabilities, 1e-12, 1 - 1e-12)
    entropy: NDArray[np.float64] = -inside * np.log(inside) - (1 - inside) * np.log1p(-inside)
    return entropy


def aggregated(
    probabilities: Probabilities, holds: NDArray[np.bool_], params: BoxEntropyParams
) -> NDArray[np.float64]:
    """Return (N,) float64 >= 0 from what is said of each detection; 0 without any.

    Args:
        probabilities: (N, K) of being right.
        holds: (N, K) which places hold a detection.
        params: `aggregate`, and for `per_second` what looking and drawing take; as many boxes are
            expected as the probabilities sum to.
    """
    entropy = np.where(holds, binary_entropy(probabilities), 0.0)
    total: NDArray[np.float64] = entropy.sum(axis=1)
    if params.aggregate == "mean":
        return total / np.maximum(1, holds.sum(axis=1))
    if params.aggregate == "max":
        largest: NDArray[np.float64] = entropy.max(axis=1, initial=0.0)
        return largest
    if params.aggregate == "per_second":
        boxes = np.where(holds, probabilities, 0.0).sum(axis=1)
        return total / (params.look_seconds + params.box_seconds * boxes)
    return total
