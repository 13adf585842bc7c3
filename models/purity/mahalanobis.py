"""Mahalanobis distance to the nearest class.

Source: K. Lee et al., "A Simple Unified Framework for Detecting Out-of-Distribution Samples and
Adversarial Attacks", NeurIPS 2018, section 2.1, on the penultimate layer and without its input
preprocessing; the covariance is shrunk after Y. Chen et al., "Shrinkage Algorithms for MMSE
Covariance Estimation", IEEE Transactions on Signal Processing 58(10), 2010, because labels are
fewer than features for most of a project's life. (Ledoit and Wolf's estimate does not shrink at all
with two examples of one class.)
"""

import numpy as np
import torch
from sklearn.covariance import oas
from torch import Tensor

from models.catalog.params.scores import MahalanobisParams
from models.errors import NotReady
from models.protocols import Float32Array, Indices, PoolView
from models.purity.blocks import by_blocks

_NOISE = 1e-18
"""Share of the mean square that rounding may leave; float32 resolves 1e-15."""


def score(view: PoolView, params: MahalanobisParams) -> Float32Array:
    """Return -min_c (x - mean_c)^T S^-1 (x - mean_c) over the classes that have examples.

    S is the covariance within classes, shared by all and shrunk towards a multiple of the identity.
    While no class has two different examples there is no such covariance and S is the identity.

    Returns:
        (N,) float32, <= 0, higher = more in-distribution.

    Raises:
        NotReady: fewer than two labeled in-distribution examples.
    """
    known = ~view.is_ood
    if known.sum() < 2:
        raise NotReady(
            "Purity mahalanobis needs two labeled in-distribution examples and has "
            f"{int(known.sum())}; label more examples with a class."
        )
    embeddings = torch.from_numpy(view.labeled_embeddings[known].astype(np.float64))
    # Distances do not depend on the origin, but float32 is most exact near it.
    origin = embeddings.mean(dim=0)
    means, residuals = _classes(embeddings - origin, view.labels.classes[known])
    whitening = _whitening(residuals, params.shrinkage, _NOISE * float(embeddings.square().mean()))
    centers = (means @ whitening).float()
    shift, transform = origin.float(), whitening.float()

    def purity(block: Tensor) -> Tensor:
        white = (block - shift) @ transform
        # The quick way, |a|^2 - 2ab + |b|^2, loses the small distances that matter most.
        exact = torch.cdist(white, centers, compute_mode="donot_use_mm_for_euclid_dist")
        return -exact.amin(dim=1).square()

    return by_blocks(purity, view.embeddings, width=len(centers))


def _classes(embeddings: Tensor, labels: Indices) -> tuple[Tensor, Tensor]:
    """Return the (K, D) means of the K classes present and the (L, D) residuals."""
    _, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
    classes = torch.from_numpy(inverse)
    means = torch.zeros(len(counts), embeddings.shape[1], dtype=embeddings.dtype)
    means = means.index_add_(0, classes, embeddings) / torch.from_numpy(counts)[:, None]
    return means, embeddings - means[classes]


def _whitening(residuals: Tensor, shrinkage: float | None, noise: float) -> Tensor:
    """Return (D, D) float64 W such that |x W| is the Mahalanobis length of a row x.

    A variance up to `noise` comes from rounding and gives the identity.
    """
    dimension = residuals.shape[1]
    covariance = residuals.T @ residuals / len(residuals)
    scale = float(covariance.trace()) / dimension
    identity = torch.eye(dimension, dtype=torch.float64)
    if scale <= noise:
        return identity
    if shrinkage is None:
        shrunk = torch.from_numpy(oas(residuals.numpy(), assume_centered=True)[0])
    else:
        shrunk = (1 - shrinkage) * covariance + shrinkage * scale * identity
    factor = torch.linalg.cholesky(shrunk)
    whitening: Tensor = torch.linalg.solve_triangular(factor, identity, upper=False).T
    return whitening
