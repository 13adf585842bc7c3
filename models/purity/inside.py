"""Which unlabeled images may be learned from as if they were of the classes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from models.catalog.params.scores import ProbeParams
from models.errors import NotReady
from models.features.chosen import chosen_features, embed_rows
from models.media.base import Store
from models.protocols import Indices, OpenSetLabels, PoolView, Progress
from models.purity import probe

FEATURES: Final = "auto"


@dataclass(frozen=True)
class Believed:
    """Unlabeled images that are believed to be in-distribution.

    Attributes:
        rows: (k,) pool indices, ascending.
        left_out: how many others there are.
        told: whether enough is known of OOD to tell.
    """

    rows: Indices
    left_out: int
    told: bool = True


def embed_verdicts(
    store: Store,
    inside: Indices,
    ood: Indices,
    unlabeled: Indices,
    *,
    flip: bool,
    seed: int,
    out: Path,
    progress: Progress | None = None,
) -> None:
    """Write the features that `believed_inside` looks at; a call that was cut off goes on.

    Args:
        store: the pool.
        inside: (n,) pool indices with a class.
        ood: (m,) pool indices that are known to be OOD.
        unlabeled: (u,) pool indices of which nothing is known.
        flip: whether features take an image and its mirror image for the same.
        seed: decides what is fitted.
        out: a .npy file.
        progress: counts images; may raise `Cancelled`.
    """
    rows = np.concatenate([inside, ood, unlabeled])
    embed_rows(store, rows, FEATURES, {"flip": flip}, seed=seed, out=out, progress=progress)


def believed_inside(
    features: Path,
    labels: Indices,
    ood: int,
    unlabeled: Indices,
    *,
    classes: int,
    least: float,
    image_size: int | None,
    seed: int,
) -> Believed:
    """Leave out what is probably OOD, by a probe on frozen features of all that is known.

    Args:
        features: what `embed_verdicts` wrote.
        labels: (n,) int64 in 0..C-1 of the first rows.
        ood: how many rows follow that are OOD.
        unlabeled: (u,) pool indices of the rows behind them.
        classes: C.
        least: probability of being in-distribution that is enough, 0..1.
        image_size: side of the images, in pixels.
        seed: of what is drawn.
    """
    said = OpenSetLabels.of(
        np.concatenate([labels, np.zeros(ood, dtype=np.int64)]),
        np.arange(len(labels) + ood) >= len(labels),
    )
    rows = chosen_features(
        np.load(features, mmap_mode="r"), said.outputs(classes), FEATURES,
        classes=classes + 1, image_size=image_size, seed=seed,
    ).embeddings  # fmt: skip
    none = np.empty((0, classes), dtype=np.float32)
    view = PoolView(none, rows[len(said) :], none, rows[: len(said)], said, classes, seed)
    try:
        purity = probe.score(view, ProbeParams())
    except NotReady:
        return Believed(unlabeled, 0, told=False)
    kept = unlabeled[purity >= least]
    return Believed(kept, len(unlabeled) - len(kept))
