"""How good the model of a closing round is on what no strategy has chosen, by random draws."""

from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np

from models.guarantee.estimates import AuditEstimate, Draws, Share, estimate
from models.guarantee.human_error import from_pairs
from models.guarantee.lots import labels_of
from models.protocols import OOD, Indices, TargetModel
from models.ranking.pool_scores import PoolScores
from models.rounds.predictions import inside_as_in, predict
from workers.advance.advance import Advance
from workers.labels.draws import pairs, read_draws
from workers.labels.whole import departures, whole_of

ALPHA: Final = 0.05
"""Chance that an interval is ever wrong, however often it is looked at."""


def audit(advance: Advance, model: TargetModel) -> dict[str, Any] | None:
    """Estimate by the draws that are answered how often ``model`` is right; None without any.

    A purity that is no probability is read as the queue of the next round has read it, which a
    guarantee goes by, too; where that could not, nothing is taken for OOD. Only ``react`` with
    ``threshold_from: pool`` differs a little: its threshold is of the draws alone here.

    Returns:
        ``metrics["audit"]`` of the round: shares with an interval that holds at every look; they
        are of the ``lot`` that was drawn from, and say nothing of what is left ``beyond`` that.
        Draws that are ``past`` do not count: see ``workers.labels.whole``.
    """
    snapshot = advance.snapshot
    project_id = advance.context.project_id
    with advance.context.sessions() as session:
        released = advance.noted("snapshot").get("released", [])
        draws = read_draws(session, project_id, advance.closing, released)
        gone = departures(session, project_id, draws.batches)
        people = from_pairs(*pairs(session, project_id), ALPHA)
    # The next queue asks once more about what was skipped; without one, nobody is asked.
    whole = whole_of(draws, snapshot, gone, skipped=advance.selecting is None)
    if len(whole.places) + whole.past == 0:
        return None
    indices = draws.indices[whole.places]
    truth, unsure = snapshot.said_of_draws(indices)
    found = estimate(
        Draws(_verdicts(advance, model, indices), truth.outputs(OOD), unsure, whole.part),
        whole.parts,
        classes=snapshot.classes,
        alpha=ALPHA,
    )
    return {
        **_json(found, snapshot.class_ids.tolist()),
        "lot": sum(one.size for one in whole.parts),
        "beyond": whole.beyond,
        "past": whole.past,
        "confidence": 1 - ALPHA,
        "people": asdict(people) if people.pairs else None,
    }


def _verdicts(advance: Advance, model: TargetModel, indices: Indices) -> Indices:
    """(n,) int64: what the model would label each of (n,) pool indices: a class, or ``OOD``."""
    if len(indices) == 0:
        return indices
    ascending, order = np.unique(indices, return_inverse=True)
    scores = advance.scored(model, ascending, advance.context.progress).scores
    path = advance.file("scores.parquet")
    known = PoolScores.from_parquet(path) if path.exists() else None
    said = predict(replace(scores, inside=inside_as_in(known, scores)), ascending)
    labels, _ = labels_of(said.classes, said.probability, said.inside)
    return labels[order]


def _json(found: AuditEstimate, class_ids: list[int]) -> dict[str, Any]:
    return {
        "n": found.n,
        "unsure": found.unsure,
        "accuracy": _share(found.accuracy),
        "in": _share(found.inside),
        "ood": _share(found.ood),
        "ood_share": _share(found.ood_share),
        "per_class": [
            {
                "class_id": class_ids[one.class_id],
                **(_share(one.recall) or {}),
                "precision": _share(one.precision),
            }
            for one in found.per_class
            if one.recall is not None
        ],
    }


def _share(found: Share | None) -> dict[str, float] | None:
    return None if found is None else asdict(found)
