"""Energy tells what is in-distribution and what is ambiguous; a target share, how strict to be.

Source: C.-C. Zong, S.-J. Huang, "Rethinking Epistemic and Aleatoric Uncertainty for Active Open-Set
Annotation: An Energy-Based Approach", CVPR 2025; details as in the authors' code,
chenchenzong/EAOA. Deviations are listed in `docs/algorithms/strategy-eaoa.md`.
"""

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from models.catalog.params.strategies import EaoaParams
from models.errors import NotReady
from models.heads.ood_classifier import class_and_ood_logits
from models.numerics.finite import require_finite
from models.numerics.probability import logsumexp
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices, PoolView, Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import best_first, by_place, widening

NO_OOD_NOTE = "No OOD answer yet: strategy eaoa tells IN from OOD by the logits of classes only."

_BLOCK_VALUES = 8_000_000


def rank(candidates: Candidates, n: int, params: EaoaParams) -> Ranking:
    """Rank the most ambiguous of those that are most surely in-distribution, class by class.

    Within each predicted class the widening window of `models.ranking.ordering.widening`, k times
    as long as the queue, orders by purity first and by aleatoric uncertainty then; the classes
    take turns.
    k follows the share of IN among the last answers; `Ranking.state` keeps it.

    Raises:
        NotReady: nothing has been labeled with a class.
        ModelError: outputs of the model that are not finite.
    """
    view = candidates.view
    require_finite("The output of the model", view.logits.sum(axis=1), candidates.scores.indices)
    if view.is_ood.all():
        raise NotReady("No example has a class yet, so nothing tells IN from OOD.")
    width = next_width(candidates, params)
    purity = _mixture(-learned_energy(view, params), view.seed) * _mixture(
        -neighbour_energy(view, params.reverse_neighbours), view.seed
    )
    ambiguity = aleatoric(view.logits)
    predicted = view.logits.argmax(axis=1)
    queues = []
    for label in range(view.classes):
        members = np.flatnonzero(predicted == label)
        purest = members[best_first(len(members), purity[members])]
        queues.append(widening(purest, ambiguity, width, n))
    knows_ood = view.ood_logits is not None or bool(view.is_ood.any())
    notes = () if knows_ood else (NO_OOD_NOTE,)
    ranking = by_place(_in_turn(queues)[:n], len(candidates), notes)
    return replace(ranking, state={"k": width})


def next_width(candidates: Candidates, params: EaoaParams) -> float:
    """Return k: one step up when the last answers beat the target share, down when they miss it."""
    if "k" not in candidates.state:
        return params.start_width
    width, is_ood = candidates.state["k"], candidates.last.is_ood
    if len(is_ood) == 0:
        return width
    excess = float((~is_ood).mean()) - params.target_in_share
    if abs(excess) <= params.tolerance:
        return width
    return max(1.0, width + params.step if excess > 0 else width - params.step)


def learned_energy(view: PoolView, params: EaoaParams) -> NDArray[np.float64]:
    """Return the epistemic energy of a k+1 classifier: (N,), lower = more in-distribution.

    -log sum_c exp f_c + log(1 + exp f_ood). Without any OOD verdict the second term is absent.
    The detector is the k+1 target model if there is one, else a head on the embeddings.
    """
    logits, ood = class_and_ood_logits(view, params.l2)
    energy = -logsumexp(logits)
    return energy if ood is None else energy + np.logaddexp(0, ood.astype(np.float64))


def neighbour_energy(view: PoolView, neighbours: int) -> NDArray[np.float64]:
    """Return the data-driven epistemic energy: (N,), lower = more in-distribution.

    An example counts how often it is among the `neighbours` nearest candidates of the labeled
    examples of each class; the energy is -log sum_c exp count_c.
    """
    inside = ~view.is_ood
    references, labels = unit_rows(view.labeled_embeddings[inside]), view.labels.classes[inside]
    directions = unit_rows(view.embeddings).T
    nearest = min(neighbours, directions.shape[1])
    counts = np.zeros((directions.shape[1], view.classes), dtype=np.float32)
    rows = max(1, _BLOCK_VALUES // directions.shape[1])
    for start in range(0, len(references), rows):
        block = references[start : start + rows] @ directions  # (B, N)
        chosen = np.argpartition(block, -nearest, axis=1)[:, -nearest:]  # (B, k)
        np.add.at(counts, (chosen, labels[start : start + rows, None]), 1)
    return -logsumexp(counts)


def aleatoric(logits: Float32Array) -> NDArray[np.float64]:
    """Return log sum exp without the predicted class minus log sum exp of all: (N,) <= 0.

    Higher = more ambiguous; the logarithm of the probability that is left for other classes. With
    one class nothing is left, and all are equal.
    """
    if logits.shape[1] == 1:
        return np.zeros(len(logits))
    others = np.partition(logits, -1, axis=1)[:, :-1]
    return logsumexp(others) - logsumexp(logits)


def _mixture(score: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return the probability of the upper of two Gaussians that are fitted to (N,) scores."""
    low, high = score.min(), score.max()
    if len(score) < 2 or low == high:
        return np.ones(len(score))
    scaled = ((score - low) / (high - low))[:, None]
    mixture = GaussianMixture(2, max_iter=10, tol=1e-2, reg_covar=5e-4, random_state=seed)
    with warnings.catch_warnings():
        # Ten iterations are the method, converged or not.
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(scaled)
    upper: NDArray[np.float64] = mixture.predict_proba(scaled)[:, mixture.means_[:, 0].argmax()]
    return upper


def _in_turn(queues: list[Indices]) -> Indices:
    """Take the first of each queue, then the second of each, and so on."""
    place = np.concatenate([np.arange(len(queue)) for queue in queues])
    return np.concatenate(queues)[np.argsort(place, kind="stable")]
