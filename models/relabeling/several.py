"""Several labels of one image that contradict each other: what they say together."""

import numpy as np

from models.protocols import Float32Array, Indices

_LEAST = 1e-12


def together(
    judged: Float32Array, opinions: Float32Array, images: Indices, times: Indices
) -> Float32Array:
    """Return what several labels of the same image make of its class.

    Labels are given independently of each other once the true class t is known, so that
    p(t | x, g1, .., gm) is proportional to p(t | x) prod_i p(t | x, gi) / p(t | x), with a factor
    for each time that a label was given.

    Args:
        judged: (N, K) float32, p(t | x, g) by each label alone; rows sum to 1.
        opinions: (N, K) float32, p(t | x) without any label; rows sum to 1.
        images: (N,) int64 in 0..M-1, of which image each label is; no number is left out.
        times: (N,) int64 >= 1, how often each label was given to its image.

    Returns:
        (M, K) float32; rows sum to 1.
    """
    spoken = np.log(np.maximum(opinions.astype(np.float64), _LEAST))
    ratio = np.log(np.maximum(judged.astype(np.float64), _LEAST)) - spoken
    count = np.bincount(images)
    total = np.zeros((len(count), judged.shape[1]))
    # Opinions on the same image differ at most by their fold.
    np.add.at(total, images, times[:, None] * ratio + spoken / count[images][:, None])
    total = np.exp(total - total.max(axis=1, keepdims=True))
    result: Float32Array = (total / total.sum(axis=1, keepdims=True)).astype(np.float32)
    return result
