"""Keeps a `PoolView` in a folder between the scoring and the selection of a round."""

import shutil
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from models.errors import ModelError
from models.files.arrays import write_array
from models.files.atomic import write_atomically
from models.protocols import OOD, Float32Array, LinearHead, OpenSetLabels, PoolView

_ARRAYS = tuple(
    field.name
    for field in fields(PoolView)
    if field.name
    not in {
        "labels",
        "classes",
        "seed",
        "head",
        "model",
        "embeddings",
        "logits",
        "detections",
        "maps",
    }
)


def save(view: PoolView, folder: Path, *, embeddings: bool) -> None:
    """Write the arrays of a view, each atomically; logits and detections are kept with the scores.

    Args:
        view: what to keep; its `model` is not kept.
        folder: where to; made when missing.
        embeddings: whether the (N, D) embeddings go in too, or are at hand elsewhere.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {name: getattr(view, name) for name in _ARRAYS}
    arrays["labels"], arrays["is_ood"] = view.labels.classes, view.labels.is_ood
    if embeddings:
        arrays["embeddings"] = view.embeddings
    if view.head is not None:
        arrays["head_weight"], arrays["head_bias"] = view.head.weight, view.head.bias
    arrays["scalars"] = np.array([view.classes, view.seed], dtype=np.int64)
    for name, array in arrays.items():
        path = folder / f"{name}.npy"
        if array is None:
            path.unlink(missing_ok=True)
            continue
        write_array(path, array)


def join(parts: Sequence[Path], folder: Path) -> None:
    """Put the views of parts of a pool together, a part in memory at a time.

    Args:
        parts: folders that `save` wrote, in order of their candidates; at least one.
        folder: where the view of the whole goes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in parts[0].glob("*.npy"):
        if path.stem not in PoolView.PER_CANDIDATE:
            write_atomically(folder / path.name, partial(shutil.copyfile, path))
        else:
            same = [part / path.name for part in parts]
            write_atomically(folder / path.name, partial(_concatenate, same))


def _concatenate(paths: Sequence[Path], out: Path) -> None:
    rows = [np.load(path, mmap_mode="r") for path in paths]
    total = sum(len(one) for one in rows)
    joined: NDArray[Any] = open_memmap(
        out, mode="w+", dtype=rows[0].dtype, shape=(total, *rows[0].shape[1:])
    )
    start = 0
    for one in rows:
        joined[start : start + len(one)] = one
        start += len(one)


def load(
    folder: Path,
    *,
    logits: Float32Array,
    embeddings: Float32Array | None = None,
    detections: Float32Array | None = None,
) -> PoolView:
    """Read what `save` wrote; embeddings are mapped, not read, when they were saved.

    Args:
        folder: where they are.
        logits: (N, C) float32 of the candidates.
        embeddings: (N, D), when `save` left them out; without any, D = 0.
        detections: (N, K, 6) of the candidates, if a detector has scored.

    Raises:
        ModelError: no such view.
    """
    try:
        # An earlier version had a third.
        classes, seed = np.load(folder / "scalars.npy")[:2].tolist()
    except OSError as error:
        raise ModelError(f"{folder} holds no pool view ({error}).") from error
    arrays = {
        path.stem: np.load(path, mmap_mode="r" if path.stem == "embeddings" else None)
        for path in folder.glob("*.npy")
    }
    arrays.pop("scalars")
    labels, is_ood = arrays.pop("labels"), arrays.pop("is_ood", None)
    if is_ood is None:
        # An earlier version had OOD among the classes.
        is_ood = labels == OOD
    weight, bias = arrays.pop("head_weight", None), arrays.pop("head_bias", None)
    if embeddings is None:
        embeddings = arrays.pop("embeddings", np.empty((len(logits), 0), dtype=np.float32))
    return PoolView(
        logits=logits,
        embeddings=embeddings,
        detections=detections,
        labels=OpenSetLabels.of(labels, is_ood),
        classes=classes,
        seed=seed,
        head=None if weight is None else LinearHead(weight, bias),
        **arrays,
    )
