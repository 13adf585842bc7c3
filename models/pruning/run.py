"""Pruning by name: the public edge, where everything is checked once."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.catalog import find, parse
from models.catalog.resolve import resolve
from models.errors import ModelError, listed
from models.protocols import Progress
from models.pruning.view import Pruned, PruningView

_CHUNK: Final = 8192
_EXAMPLES_AXIS: Final = {
    "embeddings": 0, "logits": 0, "plain_embeddings": 0, "plain_logits": 0, "losses": 0,
    "self_supervised": 0, "correct": 1, "label_probabilities": 1, "margins": 1, "gradient_norms": 1,
}  # fmt: skip
_DIMENSIONS: Final = {name: 1 if name == "losses" else 2 for name in _EXAMPLES_AXIS}


def prune(
    name: str,
    view: PruningView,
    n: int,
    params: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Pruned:
    """Choose which n of N labeled examples to keep.

    Args:
        name: of an entry of kind "pruning" in the catalog.
        view: what is known of the examples.
        n: 1..N.
        params: of the method; what is left out has its default.
        progress: called during long work; may raise `Cancelled`.

    Raises:
        NotReady: the method needs an array of the view that is None.
        ModelError: unknown method or parameter, n outside 1..N, labels outside the classes, shapes
            that do not match, or numbers that are not finite in an array that the method needs.
    """
    spec = find("pruning", name)
    chosen = parse("pruning", name, params or {})
    _require_labels(view)
    if not 1 <= n <= len(view):
        raise ModelError(f"{n} of {len(view)} examples cannot be kept; choose 1 to {len(view)}.")
    for need in sorted(spec.needs):
        _require_array(need, view)
    if progress is not None:
        progress(0, n)
    result: Pruned = resolve(spec)(view, n, chosen, progress)
    return result


def _require_labels(view: PruningView) -> None:
    labels = view.labels
    if labels.ndim != 1 or not np.issubdtype(labels.dtype, np.integer):
        raise ModelError(f"Labels are (N,) integers, not {labels.dtype} of shape {labels.shape}.")
    outside = np.flatnonzero((labels < 0) | (labels >= view.classes))
    if len(outside):
        raise ModelError(
            f"{len(outside)} of {len(labels)} labels are outside 0..{view.classes - 1} "
            f"(positions {listed(outside, len(outside))}); only examples with a class can be "
            "pruned."
        )


def _require_array(name: str, view: PruningView) -> None:
    array, axis = view.given(name), _EXAMPLES_AXIS[name]
    if array.ndim != _DIMENSIONS[name] or array.shape[axis] != len(view):
        raise ModelError(
            f"{name} of shape {array.shape} do not belong to {len(view)} examples; see PruningView."
        )
    if name in ("logits", "plain_logits") and array.shape[1] != view.classes:
        raise ModelError(f"Logits of {array.shape[1]} classes do not belong to {view.classes}.")
    bad = np.flatnonzero(~finite_rows(array if axis == 0 else array.T))
    if len(bad):
        remedy = "train the warm-up model again"
        if name == "self_supervised":
            remedy = "start the job learn_features again"
        raise ModelError(
            f"{name} are not finite for {len(bad)} of {len(view)} examples "
            f"(positions {listed(bad, len(bad))}); {remedy}."
        )


def finite_rows(rows: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether each of N rows has a finite length, without a copy of all of them."""
    finite = np.empty(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), _CHUNK):
        block = np.asarray(rows[start : start + _CHUNK], dtype=np.float32)
        block = block.reshape(len(block), -1)
        # One pass, and what is too large to have a length in float32 is found as well.
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.einsum("ij,ij->i", block, block)
        finite[start : start + _CHUNK] = np.isfinite(lengths)
    return finite
