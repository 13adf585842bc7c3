"""A classifier of the classes and OOD, for whoever asks, with or without a k+1 target model."""

import numpy as np

from models.heads.head import Scaling, fit_head
from models.protocols import Float32Array, PoolView

_BLOCK = 16_384


def class_and_ood_logits(view: PoolView, l2: float) -> tuple[Float32Array, Float32Array | None]:
    """Return the (N, C) logits of the classes and the (N,) logits of OOD, on one scale.

    They are those of the target model, if it has an output for OOD; else those of a logistic
    regression with such an output, on the embeddings of every verdict so far. Without any OOD
    verdict they are the logits of the target model and None.

    Args:
        view: the candidates and the verdicts.
        l2: penalty of the regression, > 0.
    """
    if view.ood_logits is not None or not view.is_ood.any():
        return view.logits, view.ood_logits
    rows = view.embeddings
    detector = fit_head(
        view.labeled_embeddings,
        view.labels.outputs(view.classes),
        classes=view.classes,
        l2=l2,
        # Of verdicts, so that no score hangs on what is scored beside it.
        scaling=Scaling.of_pool(view.labeled_embeddings),
    )
    logits = np.empty((len(rows), view.classes), dtype=np.float32)
    ood = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        logits[block] = detector.logits(rows[block])
        ood[block] = detector.ood_logits(rows[block])
    return logits, ood
