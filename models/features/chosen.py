"""Frozen features of some examples, and which of them their labels prefer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.catalog import parse
from models.features.embed import embed_pool
from models.heads.feature_choice import choose_features, sides_of
from models.media.base import Store
from models.protocols import Float32Array, Indices, Progress


@dataclass(frozen=True)
class Features:
    """Embeddings of some examples.

    Attributes:
        embeddings: (n, D) float32.
        columns: which they are of what was embedded: from, and to before.
        notes: how they were chosen, where there was a choice.
    """

    embeddings: Float32Array
    columns: tuple[int, int]
    notes: tuple[str, ...] = ()


def embed_rows(
    store: Store,
    rows: Indices,
    name: str,
    params: Mapping[str, Any],
    *,
    seed: int,
    out: Path,
    progress: Progress | None = None,
) -> None:
    """Write the features of rows of a store to `out`, (n, D) float32 .npy; no label shapes them.

    Args:
        store: the pool.
        rows: (n,) int64.
        name: a frozen model of the catalog.
        params: its parameters.
        seed: decides what is fitted.
        out: where they go; a call that was cut off goes on there.
        progress: counts examples; may raise `Cancelled`.

    Raises:
        ModelError: weights that cannot be had, a model for another medium, or images too small.
    """
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
        return Features(np.asarray(embeddings), (0, embeddings.shape[1]))
    rows = np.arange(len(labels))
    chosen = choose_features(embeddings, rows, labels, classes=classes, sides=sides, seed=seed)
    taken = np.asarray(embeddings[:, slice(*chosen.columns)])
    return Features(taken, chosen.columns, (chosen.note,))
