"""How probable it is that an image holds any of the wanted things, by what a detector finds.

Ours. With p the probability of a detection to be right, an image holds something with probability
1 - prod(1 - p), were detections independent. They are not, and those of nothing add up: so this is
a score, which the last answers calibrate where a strategy needs a probability.
"""

import numpy as np

from models.catalog.params.scores import ObjectsParams
from models.errors import NotReady
from models.protocols import Float32Array, PoolView
from models.tasks.boxes.entropy import right, there

_LEAST = 1e-6


def score(view: PoolView, params: ObjectsParams) -> Float32Array:
    """Return log(-log prod(1 - p)): (N,) float32, higher = more probably something is in it.

    Raises:
        NotReady: the model has no detections.
    """
    if view.detections is None:
        raise NotReady("Purity objects needs a detector, as fcos is.")
    holds = there(view.detections, params.least_score)
    probabilities = np.where(holds, right(view.detections), 0.0)
    none = -np.log1p(-np.minimum(probabilities, 1 - _LEAST)).sum(axis=1)
    evidence: Float32Array = np.log(none + _LEAST).astype(np.float32)
    return evidence
