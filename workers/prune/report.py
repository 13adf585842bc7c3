"""What the page of a pruning job shows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.artifacts.subsets import UNKNOWN, Noise, noise
from models.catalog import find
from models.catalog.params.prune import PruneParams
from models.evaluation.skill_warnings import doubts_of_warm_up
from models.protocols import Indices
from models.pruning.doubts import doubts_of_balance, doubts_of_noise
from models.pruning.histogram import NeighbourTable, neighbour_histogram
from models.pruning.similarity import confidence
from models.pruning.view import Pruned, PruningView

_SHOWN: Final = 24
_CURVE_POINTS: Final = 100


@dataclass(frozen=True)
class Found:
    """A selection among N labeled examples, and what they are.

    Attributes:
        view: What was pruned.
        pruned: What is kept.
        class_ids: (C,) int64, class of each model output.
        examples: (N,) int64, ids.
        true_ids: (N,) int64, ids of the true classes, ``UNKNOWN`` where they are not known.
        before_ids: (N,) int64, ids of the classes that were given before a review of suggestions,
            ``UNKNOWN`` where none has decided.
    """

    view: PruningView
    pruned: Pruned
    class_ids: Indices
    examples: Indices
    true_ids: Indices
    before_ids: Indices

    @property
    def given(self) -> Indices:
        """(N,) int64, ids of the classes that the examples are labeled with."""
        given: Indices = self.class_ids[self.view.labels]
        return given

    @property
    def dropped(self) -> Indices:
        """(N - n,) int64 positions of what is not kept, ascending."""
        return np.setdiff1d(np.arange(len(self.view)), self.pruned.order)

    @cached_property
    def confidence(self) -> NDArray[np.float64] | None:
        """(N,) in 0..1, how sure the warm-up is; as the method counts it, if it does."""
        named = self.pruned.reasons.get("confidence")
        if named is not None or self.view.logits is None:
            return named
        return confidence(self.view.logits, "max_prob")

    @cached_property
    def reasons(self) -> dict[str, NDArray[np.float64]]:
        """(N,) numbers each that explain the choice, beside the confidence."""
        return {name: all_ for name, all_ in self.pruned.reasons.items() if name != "confidence"}

    @cached_property
    def ranks(self) -> dict[int, int]:
        """Place among the kept by position, from 1 on."""
        return {one: rank for rank, one in enumerate(self.pruned.order.tolist(), 1)}


def result_of(params: PruneParams, found: Found, said: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the JSON-ready result of a pruning job; `said` are notes about its labels.

    Of its `notes`, `warnings` are those without which the rest is not to be read.
    """
    view, pruned, dropped = found.view, found.pruned, found.dropped
    wrong = _noise(found)
    warnings = _warnings(params, found, wrong)
    before = np.bincount(view.labels, minlength=view.classes)
    after = np.bincount(view.labels[pruned.order], minlength=view.classes)
    # The dropped whose label the warm-up believes least: what one would look at first.
    assert view.losses is not None
    doubtful = dropped[np.argsort(-view.losses[dropped], kind="stable")]
    return {
        "method": params.method,
        "labeled": len(view),
        "kept": len(pruned.order),
        "class_ids": found.class_ids.tolist(),
        "before": before.tolist(),
        "after": after.tolist(),
        "noise": wrong,
        "warm_up_corrects": _warm_up_corrects(found),
        "objective": _thinned(pruned.objective),
        "neighbours": _neighbours(params, view, pruned),
        "warnings": list(warnings),
        "notes": [*warnings, *said, *pruned.notes],
        "extras": {name: float(value) for name, value in pruned.extras.items()},
        "shown": {
            name: [_shown(found, one) for one in some[:_SHOWN].tolist()]
            for name, some in (("kept", pruned.order), ("dropped", doubtful))
        },
    }


def _warnings(params: PruneParams, found: Found, wrong: dict[str, Noise] | None) -> tuple[str, ...]:
    """Say why the subset may be none to train on."""
    view, pruned, method = found.view, found.pruned, params.method
    said = [*pruned.warnings]
    # Of a warm-up that knows next to nothing it matters whether the method has looked at it.
    if find("pruning", method).needs - {"self_supervised"}:
        assert view.correct is not None
        said = [*doubts_of_warm_up(float(view.correct[-1].mean()), view.labels), *said]
    if wrong is not None:
        kept, everything = (
            (wrong[name]["wrong"], wrong[name]["known"]) for name in ("kept", "all")
        )
        said += doubts_of_noise(method, kept, everything)
    return (*said, *doubts_of_balance(method, view, pruned))


def _shown(found: Found, position: int) -> dict[str, Any]:
    assert found.view.losses is not None
    true_id = int(found.true_ids[position])
    rank = found.ranks.get(position)
    return {
        "example_id": int(found.examples[position]),
        "class_id": int(found.given[position]),
        "true_class_id": None if true_id == UNKNOWN else true_id,
        "loss": float(found.view.losses[position]),
        "confidence": None if found.confidence is None else float(found.confidence[position]),
        "rank": rank,
        "gain": None if rank is None else float(found.pruned.gain[rank - 1]),
        "reasons": {name: float(values[position]) for name, values in found.reasons.items()},
    }


def _noise(found: Found) -> dict[str, Noise] | None:
    """How many labels are wrong, of all, of the kept and of the dropped; None without a truth."""
    if not (found.true_ids != UNKNOWN).any():
        return None
    given = found.given
    return {name: noise(given[some], found.true_ids[some]) for name, some in _parts(found).items()}


def _warm_up_corrects(found: Found) -> dict[str, Any] | None:
    """Of how many wrong labels the warm-up names the true class; None without truth or logits.

    It is no measure of what a learner makes of the subset, which comes after.
    """
    if not (found.true_ids != UNKNOWN).any() or found.view.logits is None:
        return None
    predicted = found.class_ids[found.view.logits.argmax(axis=1)]
    wrong = (found.true_ids != UNKNOWN) & (found.true_ids != found.given)
    right = wrong & (predicted == found.true_ids)
    counted = {
        name: (int(wrong[some].sum()), int(right[some].sum()))
        for name, some in _parts(found).items()
    }
    return {
        name: {"wrong": count, "corrected": put, "ratio": put / count if count else None}
        for name, (count, put) in counted.items()
    }


def _parts(found: Found) -> dict[str, Indices]:
    everything = np.arange(len(found.view))
    return {"all": everything, "kept": found.pruned.order, "dropped": found.dropped}


def _neighbours(params: PruneParams, view: PruningView, pruned: Pruned) -> dict[str, Any] | None:
    """How many neighbours examples have at other thresholds; None where no threshold counts."""
    tau = pruned.extras.get("tau")
    if tau is None:
        return None
    histogram = neighbour_histogram(view.given("embeddings"), params.similarity, seed=view.seed)
    table = NeighbourTable.of(histogram, tau)
    return {
        "tau": tau,
        "automatic": params.tau is None,
        "similarity": params.similarity,
        "sampled": len(histogram.counts),
        "least": table.least.tolist(),
        "rows": [
            {"tau": float(threshold), "median": int(median), "shares": shares.tolist()}
            for threshold, median, shares in zip(
                table.thresholds, table.medians, table.shares, strict=True
            )
        ],
    }


def _thinned(curve: NDArray[np.float64]) -> list[list[float]]:
    """Return pairs of how many are kept and the objective, few enough for a page."""
    if len(curve) == 0:
        return []
    points = np.unique(np.linspace(0, len(curve) - 1, _CURVE_POINTS).astype(int))
    return [[point + 1, float(curve[point])] for point in points.tolist()]
