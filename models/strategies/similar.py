"""Similar to what is in-distribution, different from what is OOD.

Source: S. Kothawade et al., "SIMILAR: Submodular Information Measures Based Active Learning In
Realistic Scenarios", NeurIPS 2021, section 3 and table 1 (FLCMI, LogDetCMI).
"""

import numpy as np

from models.catalog.params.selection import SimilarParams
from models.errors import NotReady
from models.numerics.similarity import similarity_to
from models.protocols import Float32Array, PoolView, Ranking
from models.ranking.candidates import Candidates
from models.selection.coverage import Demand, greedy_cover, sampled
from models.selection.inputs import embedded
from models.selection.log_det import log_det_cmi

NO_OOD_NOTE = "No OOD answer yet: strategy similar has nothing to stay away from."


def rank(candidates: Candidates, n: int, params: SimilarParams) -> Ranking:
    """Maximise, pick by pick, the conditional mutual information with the labeled examples.

    The labeled in-distribution examples are the query set Q and the OOD verdicts the conditioning
    set P; similarities are cosines of embeddings. Meta-scores are gains of the objective. A note
    says when P is empty.

    Raises:
        NotReady: no labeled in-distribution example, or no embeddings were kept.
        ModelError: embeddings that are not finite.
    """
    view = candidates.view
    points, norms = embedded(candidates)
    known = ~view.is_ood
    if not known.any():
        raise NotReady(
            "Strategy similar compares with labeled in-distribution examples and there are none; "
            "label some examples with a class."
        )
    notes: tuple[str, ...] = () if view.is_ood.any() else (NO_OOD_NOTE,)
    lengths = np.sqrt(norms)
    if params.function == "logdetcmi":
        wanted, unwanted = view.labeled_embeddings[known], view.labeled_embeddings[~known]
        return log_det_cmi(
            points, lengths, wanted, unwanted, n,
            eta=params.eta, nu=params.nu, diagonal=params.diagonal, progress=candidates.progress,
        ).ranking(notes)  # fmt: skip
    ceiling, covered = relevance(view, params)
    wanting = ceiling > covered
    sample = sampled(wanting, params.representatives, view.seed)
    if len(sample) < wanting.sum():
        notes += (
            f"Strategy similar covered a sample of {len(sample)} of the {wanting.sum()} examples "
            "that are nearer to the labeled classes than to OOD.",
        )
    weights = np.ones(len(points), dtype=np.float32)
    demand = Demand(weights, ceiling, covered, None, sample)
    return greedy_cover(points, lengths, demand, n, candidates.progress).ranking(notes)


def relevance(view: PoolView, params: SimilarParams) -> tuple[Float32Array, Float32Array]:
    """Return what similarity of a pick to each example counts, (N,) and (N,).

    FLCMI(A) = sum_i max(0, min(max over A of s_ij, eta max over Q of s_ij) - nu max over P of s_ij)

    Returns:
        eta times the similarity to Q: more of it counts no more; and nu times that to P, or 0
        without P: less of it counts nothing.
    """
    known = ~view.is_ood
    ceiling = params.eta * similarity_to(view.embeddings, view.labeled_embeddings[known], 1)
    covered = params.nu * similarity_to(view.embeddings, view.labeled_embeddings[~known], 1)
    return ceiling.astype(np.float32), covered.astype(np.float32)
