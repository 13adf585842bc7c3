"""ReAct: the energy after activations that are unusually high have been cut off.

Source: Y. Sun, C. Guo, Y. Li, "ReAct: Out-of-distribution Detection With Rectified Activations",
NeurIPS 2021, section 3.
"""

import numpy as np
import torch
from pytorch_ood.detector import EnergyBased, ReAct

from models.catalog.params.scores import ReactParams
from models.errors import NotReady
from models.protocols import Float32Array, PoolView
from models.purity.blocks import by_blocks

_THRESHOLD_ROWS = 20_000


def score(view: PoolView, params: ReactParams) -> Float32Array:
    """Return T log sum_c exp(logit_c(min(embedding, c)) / T).

    The threshold c is a percentile of all activations of the labeled in-distribution examples, or
    of the pool; of an even sample of `_THRESHOLD_ROWS` examples where there are more.

    Returns:
        (N,) float32, higher = more in-distribution.

    Raises:
        NotReady: the last layer is unknown, or there is no labeled in-distribution example.
    """
    if view.head is None:
        raise NotReady(
            "Purity react needs the last layer of the model and this model has none; choose a "
            "model that ends in a linear layer."
        )
    measured = view.embeddings
    if params.threshold_from == "labeled":
        measured = view.labeled_embeddings[~view.is_ood]
        if len(measured) == 0:
            raise NotReady(
                "Purity react measures activations of labeled in-distribution examples and there "
                "are none; label some examples with a class, or set threshold_from to pool."
            )
    if len(measured) == 0:
        return np.empty(0, dtype=np.float32)
    weight, bias = torch.from_numpy(view.head.weight), torch.from_numpy(view.head.bias)
    detector = ReAct(
        backbone=lambda images: images,
        head=lambda embeddings: embeddings @ weight + bias,
        percentile=params.percentile / 100,
        detector=lambda logits: EnergyBased.score(logits.double(), params.temperature),
    )
    stride = -(-len(measured) // _THRESHOLD_ROWS)
    sample = torch.from_numpy(np.array(measured[::stride], dtype=np.float32))
    detector.fit_feature_maps(sample, torch.zeros(len(sample), dtype=torch.int64))
    return by_blocks(lambda block: -detector.predict_feature_maps(block), view.embeddings)
