"""How good the model of a closing round is on what no strategy has chosen, by random draws."""

from typing import Any, Final

import numpy as np

from models.guarantee.estimates import AuditEstimate, Draws, Share, estimate
from models.guarantee.human_error import from_pairs
from models.probability import softmax
from models.protocols import OOD, Indices, TargetModel
from models.rounds.query import Scored
from workers.advance.phases import Advance
from workers.draws import pairs
from workers.snapshot import Snapshot

ALPHA: Final = 0.05
"""Chance that an interval is ever wrong, however often it is looked at."""
_INSIDE: Final = 0.5


def audit(advance: Advance, model: TargetModel) -> dict[str, Any] | None:
    """Estimate by the draws that are answered how often ``model`` is right; None without any.

    Where its purity is no probability nothing is taken for OOD.

    Returns:
        ``metrics["audit"]`` of the round: shares with an interval that holds at every look.
    """
    snapshot = advance.snapshot
    uniform = ~np.isnan(snapshot.audited_probability)
    if not uniform.any():
        return None
    with advance.context.sessions() as session:
        people = from_pairs(*pairs(session, advance.context.project_id), ALPHA)
    scored = advance.scored(model, snapshot.audited[uniform], advance.context.progress)
    # In the order of their answers, of those that are uniform.
    order = np.argsort(np.argsort(snapshot.audited_order)[uniform], kind="stable")
    found = estimate(
        Draws(
            predicted=_verdicts(scored)[order],
            truth=_truth(snapshot)[uniform][order],
            unsure=snapshot.audited_is_unsure[uniform][order],
            probability=snapshot.audited_probability[uniform][order],
        ),
        lot=len(snapshot.candidates),
        classes=snapshot.classes,
        alpha=ALPHA,
    )
    told = {"pairs": people.pairs, "disagreed": people.differed}
    return {
        **_json(found, snapshot.class_ids.tolist()),
        "lot": len(snapshot.candidates),
        "confidence": 1 - ALPHA,
        "people": {**told, "share": people.share, "high": people.high} if people.pairs else None,
    }


def _verdicts(scored: Scored) -> Indices:
    """(n,) int64: the class that each is taken for, or ``OOD``."""
    classes: Indices = softmax(scored.scores.logits).argmax(axis=1)
    if not scored.view.purity_is_probability:
        return classes
    found: Indices = np.where(scored.scores.purity < _INSIDE, OOD, classes)
    return found


def _truth(snapshot: Snapshot) -> Indices:
    assert snapshot.audited_targets is not None
    truth: Indices = np.where(snapshot.audited_is_ood, OOD, snapshot.audited_targets.outputs())
    return truth


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
    if found is None:
        return None
    return {"n": found.n, "share": found.share, "low": found.low, "high": found.high}
