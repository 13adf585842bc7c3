"""Whether a choice does what it is for: the premise of Prune4ReL, and what heads learn from it."""

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.artifacts.subsets import UNKNOWN
from models.catalog.params.prune import PruneParams
from models.protocols import Float32Array, Indices
from models.pruning.premise import premise_of, relabeled_by_head
from models.pruning.trial import try_heads
from workers.prune.report import Found


def premise(params: PruneParams, found: Found) -> dict[str, Any] | None:
    """Hold neighbourhood confidence against what is right; None where a method has none.

    Examples are relabeled by a head that has learned what is kept, where features are frozen, and
    by the warm-up otherwise. What is right, the class says that an example came with; where none
    did, what reviewers have said of suggestions, against the labels of before. These reviews are
    among the labels of now: the head learns without them, and a warm-up that has learned them
    tells nothing.

    Returns:
        JSON-ready: `by`, "head" or "warm_up"; `source`, "truth", "reviews" or None; of how many
        examples it is `known`; and the fields of `Premise`.
    """
    neighbourhood = found.pruned.reasons.get("neighbourhood")
    if neighbourhood is None:
        return None
    given, truth, source = found.given, found.true_ids, "truth"
    if not (truth != UNKNOWN).any():
        given, source = found.before_ids, "reviews"
        truth = np.where(given != UNKNOWN, found.given, UNKNOWN)
    known = truth != UNKNOWN
    reviewed = known & (source == "reviews")
    said = _relabeled(params, found, reviewed)
    named = None if said is None else found.class_ids[said] == truth
    told = premise_of(neighbourhood, known, given == truth, named)
    return {
        "by": "head" if params.frozen else "warm_up",
        "source": source if known.any() else None,
        "known": int(known.sum()),
        **asdict(told),
    }


def _relabeled(params: PruneParams, found: Found, reviewed: NDArray[np.bool_]) -> Indices | None:
    """Name the class of all examples by what has not learned the (N,) `reviewed` ones, if any."""
    view, kept = found.view, found.pruned.order
    if not params.frozen:
        return None if reviewed.any() else view.given("plain_logits").argmax(axis=1)
    kept = kept[~reviewed[kept]]
    if len(kept) == 0:
        return None
    return relabeled_by_head(view.given("plain_embeddings"), view.labels, kept, view.classes)


def trial(found: Found, features: Float32Array | None, labels: Indices) -> dict[str, Any] | None:
    """Train heads on what is kept, and judge them by the (E,) evaluation labels.

    Returns:
        JSON-ready: `examples`, how many judge, and `heads` as `try_heads` has them; None where
        nothing judges, or a network was warmed up, whose features have seen all labels.
    """
    if features is None or len(labels) == 0:
        return None
    view = found.view
    tried = try_heads(
        view.given("plain_embeddings"),
        view.labels,
        found.pruned.order,
        features,
        labels,
        classes=view.classes,
        seed=view.seed,
    )
    return {"examples": len(labels), "heads": tried}
