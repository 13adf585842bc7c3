"""Entropy of an image's detections.

Source: S. Roy et al., "Deep Active Learning for Object Detection", BMVC 2018, section 3.2; the sum
goes over the few that are most open, since every image has dozens of detections of nothing.
"""

import numpy as np

from models.catalog.params.detection import BoxEntropyParams, BoxQueryParams
from models.errors import NotReady
from models.protocols import Float32Array, PoolView
from models.tasks.boxes.entropy import aggregated, right, there


def score(view: PoolView, params: BoxEntropyParams | BoxQueryParams) -> Float32Array:
    """Return the entropy of right against wrong over an image's detections.

    Returns:
        (N,) float32 >= 0, higher = ask sooner.

    Raises:
        NotReady: the model has no detections.
    """
    if view.detections is None:
        raise NotReady("Informativeness box_entropy needs a detector, as fcos is.")
    holds = there(view.detections, params.least_score)
    return aggregated(right(view.detections), holds, params).astype(np.float32)
