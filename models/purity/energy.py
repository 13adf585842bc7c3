"""Energy score.

Source: W. Liu et al., "Energy-based Out-of-distribution Detection", NeurIPS 2020, equation 4.
"""

from pytorch_ood.detector import EnergyBased

from models.catalog.params.scores import EnergyParams
from models.protocols import Float32Array, PoolView
from models.purity.blocks import by_blocks


def score(view: PoolView, params: EnergyParams) -> Float32Array:
    """Return -E(x) = T log sum exp(logits / T): (N,) float32, higher = more in-distribution."""
    return by_blocks(
        lambda block: -EnergyBased.score(block.double(), params.temperature), view.logits
    )
