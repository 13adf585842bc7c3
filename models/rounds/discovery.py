"""Groups of OOD examples that look like a class that nobody has named.

What was said to be none of the classes is often not one thing: 140 of 300 such photographs may show
horses. They are found by k-means with few and with many clusters, in the directions that the OOD
verdicts differ most in. Of all these clusters those are taken whose members are nearest to each
other, as their silhouettes tell, and that share little with one taken before. A group is told of by
a few examples in its middle and how like them the others are, so that whoever looks sees the same
group in the pool.

With packaged features of CIFAR-10, whose classes are not far apart, 86 % of a group's examples are
of one class on average (28 groups of seven draws).

P. Rousseeuw, "Silhouettes", Journal of Computational and Applied Mathematics, 1987.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_samples

FEWEST: Final = 10
"""A class that is worth a name has at least so many among the OOD verdicts."""
MOST: Final = 1_000
"""Of more OOD verdicts so many are drawn: silhouettes compare all pairs."""
GROUPS: Final = 6
_MIDDLE: Final = 6
_DIRECTIONS: Final = 32
_CLUSTERS: Final = (2, 3, 4, 6, 8, 12, 16, 24)
_WIDE: Final = 0.13
"""Mean silhouette of a group; what is of no class stays below."""
_APART: Final = 0.6
"""Share of a group, as it is shown, that belongs to its cluster."""
_SHARED: Final = 0.2
"""Of a group, with those that were taken before."""

Rows = NDArray[np.float32]
Members = NDArray[np.bool_]


@dataclass(frozen=True)
class LookAlike:
    """A group of OOD examples.

    Attributes:
        examples: pool indices of those in its middle, which tell what it is.
        similarity: cosine to the mean of these from which on an example belongs to it, -1..1.
        size: how many OOD verdicts do, estimated where they were drawn.
        silhouette: how much nearer its members are to each other than to others, 0..1.
    """

    examples: tuple[int, ...]
    similarity: float
    size: int
    silhouette: float


def look_alikes(ood: NDArray[np.int64], features: Rows, *, seed: int = 0) -> list[LookAlike]:
    """Find groups among OOD verdicts.

    Args:
        ood: (O,) pool indices.
        features: (O, D) of these.
        seed: of k-means, and of the draw where there are more than `MOST`.

    Returns:
        At most `GROUPS`, the largest first; none of fewer than 2 x `FEWEST` verdicts.
    """
    share = max(1.0, len(ood) / MOST)
    if share > 1:
        drawn = np.sort(np.random.default_rng(seed).choice(len(ood), MOST, replace=False))
        ood, features = ood[drawn], features[drawn]
    if len(ood) < 2 * FEWEST:
        return []
    rows = features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-12)
    clusters = sorted(_clusters(rows, seed), key=lambda cluster: -cluster[0])
    taken = np.zeros(len(rows), dtype=np.bool_)
    found: list[LookAlike] = []
    for silhouette, members in clusters:
        if silhouette < _WIDE or len(found) == GROUPS:
            break
        if (members & taken).sum() > _SHARED * members.sum():
            continue
        shown = _shown(rows, members)
        if shown is None:
            continue
        taken |= members
        middle, similarity, size = shown
        group = LookAlike(tuple(ood[middle].tolist()), similarity, round(size * share), silhouette)
        found.append(group)
    return sorted(found, key=lambda group: (-group.size, group.examples))


def _clusters(rows: Rows, seed: int) -> Iterator[tuple[float, Members]]:
    """Mean silhouette and members of every cluster that is large enough."""
    if len(np.unique(rows.round(6), axis=0)) <= FEWEST:
        # The same over and over: nothing tells them apart.
        return
    directions = min(_DIRECTIONS, len(rows) - 1, rows.shape[1])
    short = PCA(directions, random_state=seed).fit_transform(rows - rows.mean(axis=0))
    for count in _CLUSTERS:
        if count * FEWEST > len(rows):
            return
        labels = KMeans(count, n_init=2, random_state=seed).fit_predict(short)
        widths = silhouette_samples(short, labels)
        for label in np.unique(labels):
            members = labels == label
            if members.sum() >= FEWEST:
                yield float(widths[members].mean()), members


def _shown(rows: Rows, members: Members) -> tuple[NDArray[np.int64], float, int] | None:
    """Positions of a cluster's middle, the limit that sets it apart, and how many are above.

    None where the others are as like the middle as its members are.
    """
    inside = np.flatnonzero(members)
    centre = _direction(rows[inside])
    middle = inside[np.argsort(-(rows[inside] @ centre), kind="stable")[:_MIDDLE]]
    cosine = rows @ _direction(rows[middle])
    order = np.argsort(-cosine, kind="stable")
    hits = np.cumsum(members[order])
    # Where precision and recall, as one number, are highest.
    count = int(np.argmax(2 * hits / (np.arange(1, len(order) + 1) + len(inside)))) + 1
    if count < FEWEST or hits[count - 1] / count < _APART:
        return None
    return middle, math.floor(float(cosine[order[count - 1]]) * 1e4) / 1e4, count


def _direction(rows: Rows) -> Rows:
    """(D,) between rows of length 1, as the pool page takes several examples together."""
    mean = rows.mean(axis=0)
    direction: Rows = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return direction
