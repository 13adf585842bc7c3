"""How probable an image's detections are, and how open it is whether they are right."""

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.detection import BoxEntropyParams, BoxQueryParams
from models.protocols import Float32Array

Probabilities = NDArray[np.float64]
_SCORE = 4


def there(detections: Float32Array, least: float = 0.0) -> NDArray[np.bool_]:
    """Return (N, K), which places hold a detection that says something.

    Args:
        detections: (N, K, 6) float32 as in `Outputs.detections`; what is not a number is seen to
            later.
        least: scores below say nothing.
    """
    score = detections[:, :, _SCORE]
    holds: NDArray[np.bool_] = ~((score <= 0) | (score < least))
    return holds


def right(detections: Float32Array) -> Probabilities:
    """Return (N, K) float64 in 0..1, how probable each detection is to be right.

    The score of FCOS is the root of the probability of the class times how central the place is.
    The root is good for orders only: of scores about 0.1, of which every image has dozens, one in
    a hundred is right. Squared it is near what annotators keep.
    """
    probabilities: Probabilities = detections[:, :, _SCORE].astype(np.float64) ** 2
    return probabilities


def binary_entropy(probabilities: Probabilities) -> NDArray[np.float64]:
    """Return -p log p - (1 - p) log(1 - p) in nats, 0 at 0 and at 1."""
    inside = np.clip(probabilities, 1e-12, 1 - 1e-12)
    entropy: NDArray[np.float64] = -inside * np.log(inside) - (1 - inside) * np.log1p(-inside)
    return entropy


def aggregated(
    probabilities: Probabilities,
    holds: NDArray[np.bool_],
    params: BoxEntropyParams | BoxQueryParams,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return (N,) float64 >= 0 from what is said of each detection; 0 without any.

    Args:
        probabilities: (N, K) of being right.
        holds: (N, K) which places hold a detection.
        params: `aggregate`, `counted`, and for `per_second` what looking and drawing take; as many
            boxes are expected as the probabilities sum to.
        weights: (N, K) of each detection; default: 1.
    """
    entropy = np.where(holds, binary_entropy(probabilities), 0.0)
    if weights is not None:
        entropy = entropy * weights
    result: NDArray[np.float64]
    if params.aggregate in ("sum", "mean"):
        result = entropy.sum(axis=1)
        return result / np.maximum(1, holds.sum(axis=1)) if params.aggregate == "mean" else result
    counted = 1 if params.aggregate == "max" else params.counted
    # A number that is none is sorted to the end, and so seen.
    result = np.sort(entropy, axis=1)[:, -counted:].sum(axis=1)
    if isinstance(params, BoxQueryParams) and params.aggregate == "per_second":
        result /= params.look_seconds + params.box_seconds * expected(probabilities, holds)
    return result


def expected(probabilities: Probabilities, holds: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return (N,) how many boxes are expected."""
    boxes: NDArray[np.float64] = np.where(holds, probabilities, 0.0).sum(axis=1)
    return boxes
