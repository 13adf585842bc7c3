"""Examples that are neither near nor far from the middle of their class: Moderate.

Source: X. Xia et al., "Moderate Coreset: A Universal Method of Data Selection for Real-world
Data-efficient Deep Learning", ICLR 2023, section 3; as a baseline in thesis, section 5.3.1.
"""

import numpy as np

from models.catalog.params import NoParams
from models.protocols import Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Pruned, PruningView


def prune(view: PruningView, n: int, params: NoParams, progress: Progress | None = None) -> Pruned:
    """Keep the n examples whose distance to the median of their noisy class is most ordinary.

    All distances are sorted and the middle of that order is kept; the gain is the place in it,
    counted from the middle, negative. A class's median is taken coordinate by coordinate; that of
    a class with one example is the example itself, at distance 0, which a note says.

    Raises:
        NotReady: no embeddings of the examples as they are.
    """
    del params, progress
    embeddings = view.given("plain_embeddings")
    distance = np.empty(len(view))
    lonely = 0
    for label in np.unique(view.labels):
        members = np.flatnonzero(view.labels == label)
        rows = np.asarray(embeddings[members]).astype(np.float64)
        distance[members] = np.linalg.norm(rows - np.median(rows, axis=0), axis=1)
        lonely += len(members) == 1
    place = np.empty(len(view))
    place[np.argsort(distance, kind="stable")] = np.arange(len(view))
    ordinary = -np.abs(place - (len(view) - 1) / 2)
    notes: tuple[str, ...] = ()
    if lonely:
        notes = (f"{lonely} classes have one example only, which is its own median.",)
    return by_scores(n, ordinary, -distance, reasons={"distance": distance}, notes=notes)
