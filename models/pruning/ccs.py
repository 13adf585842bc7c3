"""Examples of every difficulty but the hardest: coverage-centric selection.

Source: H. Zheng et al., "Coverage-centric Coreset Selection for High Pruning Rates", ICLR 2023,
algorithm 1, by the area under the margin (G. Pleiss et al., NeurIPS 2020).
"""

import numpy as np

from models.catalog.params.pruning import CcsParams
from models.protocols import Indices, Progress
from models.pruning.view import Float64Array, Pruned, PruningView


def prune(view: PruningView, n: int, params: CcsParams, progress: Progress | None = None) -> Pruned:
    """Keep n, spread evenly over strata of the mean margin, after the hardest were cut off.

    Strata are of equal width. The smallest gives first, at most an equal share of what is still to
    be kept, and what it lacks the others share; within a stratum chance decides. Cut off is the
    share `cutoff` with the lowest mean margin, by default those whose label is on average not
    what the warm-up says; never so many that fewer than n are left. A smaller subset is no prefix
    of a larger one.

    The gain is the mean margin.

    Raises:
        NotReady: no record of margins.
    """
    del progress
    area = view.given("margins").astype(np.float64).mean(axis=0)
    hardest = int((area < 0).sum()) if params.cutoff is None else int(params.cutoff * len(area))
    left = np.argsort(area, kind="stable")[min(hardest, len(area) - n) :]
    generator = np.random.default_rng(view.seed)
    order = generator.permutation(_spread(left, area[left], n, params.strata, generator))
    extras = {"cutoff": 1 - len(left) / len(area)}
    return Pruned(order, area[order], {"mean_margin": area}, extras=extras)


def _spread(
    examples: Indices, area: Float64Array, n: int, strata: int, generator: np.random.Generator
) -> Indices:
    """Return n of (m,) examples, evenly over strata of their (m,) areas."""
    low, high = float(area.min()), float(area.max())
    width = (high - low) / strata or 1.0
    stratum = np.minimum(((area - low) / width).astype(np.int64), strata - 1)
    sizes = np.bincount(stratum, minlength=strata)
    chosen = []
    for done, number in enumerate(np.argsort(sizes, kind="stable").tolist()):
        share = min(int(sizes[number]), n // (strata - done))
        chosen.append(generator.permutation(examples[stratum == number])[:share])
        n -= share
    return np.concatenate(chosen)
