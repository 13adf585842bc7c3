"""The classes against OOD as one more class.

Ours. Where `models.purity.probe` separates two unions of classes, this classifier also knows
which class a verdict named, so that OOD has to differ from each class and not from their mixture.
"""

import numpy as np

from models.catalog.params.scores import KPlusOneParams
from models.errors import NotReady
from models.heads.ood_classifier import class_and_ood_logits
from models.numerics.probability import softmax
from models.protocols import Float32Array, PoolView


def score(view: PoolView, params: KPlusOneParams) -> Float32Array:
    """Return the probability of being of any class, 1 - softmax of the output for OOD.

    By the target model, if it has an output for OOD; else by a logistic regression with such an
    output on the embeddings of every verdict so far.

    Returns:
        (N,) float32 in 0..1, higher = more in-distribution.

    Raises:
        NotReady: the model has no such output, and there are fewer than `params.least_ood` OOD
            verdicts, or no IN verdict.
    """
    if view.ood_logits is None:
        count = int(view.is_ood.sum())
        if count < params.least_ood:
            raise NotReady(
                f"Purity k_plus_1 learns from {params.least_ood} OOD answers or more and has "
                f"{count}; it starts with the next ones."
            )
        if count == len(view.labels):
            raise NotReady(
                "Purity k_plus_1 learns from answers of both kinds and has no class answer; label "
                "some examples with a class."
            )
    logits, ood = class_and_ood_logits(view, params.l2)
    assert ood is not None
    return (1 - softmax(np.column_stack([logits, ood]))[:, -1]).astype(np.float32)
