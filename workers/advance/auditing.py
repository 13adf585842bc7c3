"""How good the model of a closing round is on what no strategy has chosen, by random draws."""

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from models.guarantee.estimates import AuditEstimate, Draws, Share, estimate
from models.guarantee.human_error import from_pairs
from models.numerics.probability import softmax
from models.protocols import OOD, Indices, TargetModel
from models.rounds.query import Scored
from workers.advance.phases import Advance
from workers.labels.draws import pairs, read_draws
from workers.labels.whole import Whole, whole_of

ALPHA: Final = 0.05
"""Chance that an interval is ever wrong, however often it is looked at."""
_INSIDE: Final = 0.5


def audit(advance: Advance, model: TargetModel) -> dict[str, Any] | None:
    """Estimate by the draws that are answered how often ``model`` is right; None without any.

    Where its purity is no probability nothing is taken for OOD.

    Returns:
        ``metrics["audit"]`` of the round: shares with an interval that holds at every look; they
        are of the ``lot`` that was drawn from, and say nothing of what is left ``beyond`` that.
    """
    snapshot = advance.snapshot
    with advance.context.sessions() as session:
        drawn = _drawn(session, advance)
        people = from_pairs(*pairs(session, advance.context.project_id), ALPHA)
    if len(drawn.indices) == 0:
        return None
    scored = advance.scored(model, np.sort(drawn.indices), advance.context.progress)
    # In the order of their answers.
    order = np.searchsorted(np.sort(drawn.indices), drawn.indices)
    found = estimate(
        Draws(_verdicts(scored)[order], drawn.truth, drawn.unsure, drawn.whole.part),
        drawn.whole.sizes,
        classes=snapshot.classes,
        alpha=ALPHA,
    )
    return {
        **_json(found, snapshot.class_ids.tolist()),
        "lot": sum(drawn.whole.sizes),
        "beyond": drawn.whole.beyond,
        "confidence": 1 - ALPHA,
        "people": asdict(people) if people.pairs else None,
    }


def _verdicts(scored: Scored) -> Indices:
    """(n,) int64: the class that each is taken for, or ``OOD``."""
    classes: Indices = softmax(scored.scores.logits).argmax(axis=1)
    if not scored.view.purity_is_probability:
        return classes
    found: Indices = np.where(scored.scores.purity < _INSIDE, OOD, classes)
    return found


@dataclass(frozen=True)
class _Drawn:
    """(n,) uniform draws in the order of their answers; what is unsure has no truth."""

    indices: Indices
    truth: Indices
    unsure: NDArray[np.bool_]
    whole: Whole


def _drawn(session: Session, advance: Advance) -> _Drawn:
    """The draws that were answered, and where no queue follows, those that were skipped.

    Otherwise the next queue asks about these again.
    """
    snapshot = advance.snapshot
    released = advance.noted("snapshot").get("released", [])
    draws = read_draws(session, advance.context.project_id, advance.closing, released)
    counts = np.isin(draws.indices, snapshot.audited)
    if advance.selecting is None:
        counts |= (draws.answered > 0) & np.isin(draws.indices, snapshot.unlabeled)
    counts &= draws.batch >= 0
    order = np.argsort(draws.answered, kind="stable")
    order = order[counts[order]]
    indices = draws.indices[order]
    truth, unsure = snapshot.said_of_draws(indices)
    whole = whole_of(draws, order, snapshot.candidates)
    return _Drawn(indices, truth.outputs(OOD), unsure, whole)


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
