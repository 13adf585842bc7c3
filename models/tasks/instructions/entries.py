"""Entries of the catalog that choose rows of instruction data without ranking them."""

import numpy as np

from models.catalog.params.instructions import ClusterParams, SampleScoresParams, SizeParams
from models.tasks.instructions import methods
from models.tasks.instructions.view import Chosen, InstructionView


def sample_scores(view: InstructionView, params: SampleScoresParams) -> Chosen:
    """Keep what a judge scores highest; the column is "score".

    Raises:
        NotReady: no scores.
    """
    scores = view.given("scores")
    kept = methods.by_scores(scores, at_least=params.at_least, size=params.target, seed=view.seed)
    chosen = Chosen.of(view.n, kept, "score", "low_score")
    chosen.reasons[np.isnan(scores)] = "unscored"
    return Chosen(kept, chosen.reasons, {"score": np.asarray(scores, dtype=np.float64)})


def max_cover(view: InstructionView, params: SizeParams) -> Chosen:
    """Keep rows that lie far from each other.

    Raises:
        NotReady: no embeddings.
    """
    kept = methods.max_cover(view.given("embeddings"), params.size(view.n), view.seed)
    return Chosen.of(view.n, kept, "covers", "covered")


def random(view: InstructionView, params: SizeParams) -> Chosen:
    """Keep rows that are drawn."""
    kept = methods.random(view.n, params.size(view.n), view.seed)
    return Chosen.of(view.n, kept, "drawn", "not_drawn")


def longest(view: InstructionView, params: SizeParams) -> Chosen:
    """Keep rows with the longest responses; the column is "length".

    Raises:
        NotReady: no lengths.
    """
    lengths = view.given("lengths")
    kept = methods.longest(lengths, params.size(view.n))
    chosen = Chosen.of(view.n, kept, "long", "short")
    return Chosen(kept, chosen.reasons, {"length": np.asarray(lengths, dtype=np.float64)})


def k_means_random(view: InstructionView, params: ClusterParams) -> Chosen:
    """Keep a row of each cluster that is drawn.

    Raises:
        NotReady: no clusters.
    """
    del params
    kept = methods.k_means_random(view.given("clusters"), view.seed)
    return Chosen.of(view.n, kept, "drawn", "not_drawn")
