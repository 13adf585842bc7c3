"""Predicted loss.

Source: D. Yoo, I. S. Kweon, "Learning Loss for Active Learning", CVPR 2019, section 3.
"""

import numpy as np

from models.catalog.params import NoParams
from models.errors import NotReady
from models.protocols import Float32Array, PoolView


def score(view: PoolView, params: NoParams) -> Float32Array:
    """Return the loss that the model's loss-prediction module expects: (N,) float32.

    Higher = ask sooner. Only the order counts: the module learns to rank losses.

    Raises:
        NotReady: the model has no such module.
    """
    del params
    if view.predicted_losses is None:
        raise NotReady(
            "Informativeness ll needs a model that predicts its loss and this one does not; set "
            "the model's parameter loss_prediction."
        )
    return np.array(view.predicted_losses, dtype=np.float32)
