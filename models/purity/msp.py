"""Maximum softmax probability.

Source: D. Hendrycks, K. Gimpel, "A Baseline for Detecting Misclassified and Out-of-Distribution
Examples in Neural Networks", ICLR 2017, section 2.
"""

from pytorch_ood.detector import MaxSoftmax

from models.catalog.params.scores import MspParams
from models.protocols import Float32Array, PoolView
from models.purity.blocks import by_blocks
from models.ranking.single_class import require_classes


def score(view: PoolView, params: MspParams) -> Float32Array:
    """Return max_c softmax(logits / T): (N,) float32 in 1/C..1, higher = more in-distribution.

    Raises:
        NotReady: a single class, of which a softmax is always sure.
    """
    require_classes(view, "msp")
    return largest_probability(view.logits, params.temperature)


def largest_probability(logits: Float32Array, temperature: float) -> Float32Array:
    """Return max_c softmax(logits / T) of (N, C) logits: (N,) float32 in 1/C..1."""
    # At a temperature of 1000 the differences that count begin at the seventh digit.
    return by_blocks(lambda block: -MaxSoftmax.score(block.double(), temperature), logits)
