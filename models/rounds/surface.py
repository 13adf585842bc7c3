"""A strategy's surface as numbers that can be drawn without the strategy."""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.protocols import Surface
from models.ranking.pool_scores import PoolScores

FILE_KEY: Final = "karat.surface"
"""Where a file of pool scores keeps `drawn`, as JSON."""

_EVEN, _QUANTILES = 33, 32
_BORDER, _FEWEST, _STEP = 0.1, 10, 0.1


def drawn(surface: Surface, scores: PoolScores, queries: int) -> dict[str, Any]:
    """Evaluate a surface on a grid over the pool.

    Nodes lie evenly over the range of the pool and, as many again, at its quantiles: a score with a
    long tail still has a fine grid where its examples are.

    Args:
        surface: of the strategy that ranked `scores`.
        scores: N examples, N >= 1.
        queries: how long the queue is.

    Returns:
        `name`, `exact`; `purity` (G,) and `informativeness` (H,), ascending raw values; `values`,
        H rows of G; and `level`, the value of the last query taken: as many examples of the pool
        reach it as there are queries, None without any.
    """
    purity, informativeness = _nodes(scores.purity), _nodes(scores.informativeness)
    columns, rows = np.meshgrid(purity, informativeness)
    values = surface.value(columns.reshape(-1), rows.reshape(-1)).reshape(rows.shape)
    return {
        "name": surface.name,
        "exact": surface.exact,
        "purity": _rounded(purity),
        "informativeness": _rounded(informativeness),
        "values": [_rounded(row) for row in values],
        "level": _level(surface, scores, queries),
    }


def about(surface: Surface | None, scores: PoolScores, queries: int) -> dict[str, str]:
    """Return what a file of pool scores keeps of a surface; nothing without one."""
    if surface is None or len(scores) == 0:
        return {}
    return {FILE_KEY: json.dumps(drawn(surface, scores, queries))}


def purity_weight(surface: Surface | None, scores: PoolScores, queries: int) -> float | None:
    """Say how much purity weighs against informativeness where the queue ends.

    The tangent of a surface's contour at the lowest-scored query has slope -(1 - w) / w over
    informativeness (across) and purity (up), both in standard deviations of the pool: what moves
    the border at w = 0.75 is three parts purity and one part informativeness. A surface learned
    from few answers is uneven, so w is taken over the last tenth of the queries, at least ten.

    Source: thesis, figure "Visualization of the query score distribution", where a steeper slope,
    a smaller w, emphasises informativeness.

    Args:
        surface: of the strategy that ranked `scores`; None if it has none.
        scores: N examples.
        queries: how long the queue is.

    Returns:
        w in 0..1, higher = purity decides more; None where neither score moves the value.
    """
    spreads = [float(one.std()) if len(one) else 0.0 for one in _axes(scores)]
    if surface is None or queries <= 0 or not any(spreads):
        return None
    values = surface.value(scores.purity, scores.informativeness)
    queue = np.argsort(-values.astype(np.float64), kind="stable")[:queries]
    border = queue[-max(_FEWEST, round(_BORDER * len(queue))) :]
    here = [axis[border].astype(np.float64) for axis in _axes(scores)]
    rises = []
    for axis, spread in enumerate(spreads):
        ends = []
        for sign in (-1, 1):
            moved = list(here)
            moved[axis] = here[axis] + sign * _STEP * spread
            ends.append(surface.value(*moved).astype(np.float64))
        # A surface without the skyline may fall: that is no weight.
        rises.append(max(float((ends[1] - ends[0]).mean()), 0.0))
    total = sum(rises)
    return rises[0] / total if total > 0 else None


def _axes(scores: PoolScores) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    return scores.purity, scores.informativeness


def _nodes(values: NDArray[np.floating]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    quantiles = np.quantile(values.astype(np.float64), np.linspace(0, 1, _QUANTILES + 2)[1:-1])
    # Nodes that nearly coincide add nothing but bytes.
    return np.unique(
        np.concatenate([np.linspace(low, high, _EVEN), _snapped(quantiles, low, high)])
    )


def _snapped(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    step = (high - low) / 4096
    snapped: NDArray[np.float64] = low + np.rint((values - low) / step) * step
    return snapped


def _level(surface: Surface, scores: PoolScores, queries: int) -> float | None:
    if queries <= 0:
        return None
    values = surface.value(scores.purity, scores.informativeness)
    place = len(values) - min(queries, len(values))
    return float(np.partition(values, place)[place])


def _rounded(values: NDArray[np.floating]) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]
