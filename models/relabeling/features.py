"""Frozen features of the examples whose labels are judged."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.catalog import parse
from models.features.choice import choose_features, sides_of
from models.features.embed import embed_pool
from models.media.base import Store
from models.protocols import Float32Array, Indices, Progress


@dataclass(frozen=True)
class Features:
    """Embeddings of some examples.

    Attributes:
        embeddings: (n, D) float32.
        notes: how they were chosen, where there was a choice.
    """

    embeddings: Float32Array
    notes: tuple[str, ...] = ()


def frozen_params(name: str, *, flip: bool) -> dict[str, Any]:
    """Return the parameters of a frozen model of the catalog for features of labeled examples."""
    return {"flip": flip} if name in ("auto", "patch_kmeans") else {}


def embed_rows(
    store: Store,
    rows: Indices,
    name: str,
    *,
    flip: bool,
    seed: int,
    out: Path,
    progress: Progress | None = None,
) -> None:
    """Write the features of rows of a store to `out`, (n, D) float32 .npy; no label shapes them.

    Args:
        store: the pool.
        rows: (n,) int64.
        name: a frozen model of the catalog.
        flip: whether features take an image and its mirror image for the same.
        seed: decides what is fitted.
        out: where they go; a call that was cut off goes on there.
        progress: counts examples; may raise `Cancelled`.

    Raises:
        ModelError: weights that are not installed, a model for another medium, or images too small.
    """
    params = frozen_params(name, flip=flip)
    embed_pool(store.take(rows), name, params, out=out, seed=seed, progress=progress)


def chosen_features(
    embeddings: NDArray[np.float32],
    labels: Indices,
    name: str,
    *,
    classes: int,
    image_size: int | None,
    seed: int,
) -> Features:
    """Take the columns of (n, D) embeddings that the labels of the first (N,) rows prefer.

    Args:
        embeddings: as `embed_rows` wrote them, perhaps mapped.
        labels: (N,) int64 in 0..classes-1, N <= n.
        name: a frozen model of the catalog; only "auto" and "auto_text" leave a choice.
        classes: C.
        image_size: side of images, in pixels; None of texts.
        seed: decides the labels that are compared by.
    """
    sides = sides_of(parse("model", name, {}), image_size)
    if sides is None:
        return Features(np.asarray(embeddings))
    rows = np.arange(len(labels))
    chosen = choose_features(embeddings, rows, labels, classes=classes, sides=sides, seed=seed)
    return Features(np.asarray(embeddings[:, slice(*chosen.columns)]), (chosen.note,))
