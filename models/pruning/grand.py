"""Examples first whose loss has the largest gradient: GraNd.

Source: M. Paul, S. Ganguli, G. K. Dziugaite, "Deep Learning on a Data Diet: Finding Important
Examples Early in Training", NeurIPS 2021, definition 2.1; as a baseline in thesis, section 5.3.1.
"""

import numpy as np

from models.catalog.params import NoParams
from models.numerics.probability import softmax
from models.protocols import Float32Array, Indices, Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Pruned, PruningView

_PUBLISHED = 10


def prune(view: PruningView, n: int, params: NoParams, progress: Progress | None = None) -> Pruned:
    """Keep the n largest gradient norms, averaged over warm-up models; the gain is that average.

    Raises:
        NotReady: no gradient norms.
    """
    del params, progress
    norms = view.given("gradient_norms")
    average = norms.mean(axis=0, dtype=np.float64)
    notes = () if len(norms) > 1 else (f"One warm-up only; {_PUBLISHED} were published.",)
    return by_scores(n, average, reasons={"gradient_norm": average}, notes=notes)


def last_layer_norms(
    logits: Float32Array, embeddings: Float32Array, labels: Indices
) -> Float32Array:
    """Return the norm of the gradient of each example's loss by the last layer, weights and biases.

    That is |p - y| sqrt(|h|^2 + 1) for probabilities p, the label y as a vector and the embedding
    h: the whole gradient where only a head is trained.

    Args:
        logits: (N, C).
        embeddings: (N, D), what the last layer gets.
        labels: (N,) int64 in 0..C-1.

    Returns:
        (N,) float32 >= 0, a row of `PruningView.gradient_norms`.
    """
    error = softmax(logits)
    error[np.arange(len(labels)), labels] -= 1
    lengths = np.einsum("ij,ij->i", embeddings, embeddings, dtype=np.float64)
    norms: Float32Array = (np.linalg.norm(error, axis=1) * np.sqrt(lengths + 1)).astype(np.float32)
    return norms
