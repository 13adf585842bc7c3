"""How good a subset is to train on: heads that learn it, judged by examples that none has seen."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from models.protocols import Float32Array, Indices
from models.relabeling.opinions import Axes, ce_head, sop_head

HEADS: Final = {"ce": ce_head, "sop_plus": sop_head}


def try_heads(
    features: Float32Array,
    labels: Indices,
    kept: Indices,
    evaluation: Float32Array,
    evaluation_labels: Indices,
    *,
    classes: int,
    seed: int,
) -> Mapping[str, dict[str, float]]:
    """Train heads on what is kept, on as many labels drawn at random, and on all.

    Args:
        features: (N, D) float32 of the labeled examples, made without their labels.
        labels: (N,) int64 in 0..classes-1.
        kept: (n,) int64 positions.
        evaluation: (E, D) float32 of examples that judge, E > 0.
        evaluation_labels: (E,) int64 in 0..classes-1, of them.
        classes: C.
        seed: of the draw.

    Returns:
        For "ce", a head that believes each label, and "sop_plus", one that withstands wrong ones:
        the share of the judging examples that it names rightly, 0..1, after learning "kept",
        "random" and "all".
    """
    axes = Axes.fit(features)
    x, asked = axes.apply(features), axes.apply(evaluation)
    drawn = np.random.default_rng(seed).permutation(len(labels))[: len(kept)]
    parts = {"kept": kept, "random": drawn, "all": np.arange(len(labels))}
    return {
        name: {
            part: float(
                (head(x[rows], labels[rows], asked, classes).argmax(1) == evaluation_labels).mean()
            )
            for part, rows in parts.items()
        }
        for name, head in HEADS.items()
    }
