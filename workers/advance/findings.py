"""What a round that closes has shown, beside the accuracy of its model."""

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from core.rounds import DRAWN_OF
from core.states import ArtifactKind
from core.tables import Round
from models.catalog.params.networks import compared_width
from models.evaluation.ood_detection import ood_detection
from models.protocols import Indices
from models.ranking.pool_scores import PoolScores
from models.rounds.discovery import look_alikes
from models.rounds.pool_estimate import OodLeft, feature, ood_left_by_purity, ood_left_by_random
from workers.advance.advance import Advance
from workers.advance.answers import answered_then
from workers.advance.evaluating import left_out
from workers.labels.snapshot import Snapshot


def findings(advance: Advance) -> dict[str, Any]:
    """Metrics of the closing round: AUROC of its purity, and how much OOD is left.

    ``purity_left_out`` judges the purity of the model that learned from the round, by verdicts that
    were left out (``models.rounds.left_out``); null where that cannot be told.
    ``purity_auroc`` is that of the purity by which the answered images were chosen against their
    verdicts: the probability that an IN image had the higher purity. It is missing without a
    verdict of each kind. ``look_alikes`` are groups of OOD verdicts, by pool indices.
    """
    known: dict[str, Any] = {
        "ood_left": _ood_left(advance),
        "purity_left_out": left_out(advance),
        "look_alikes": _look_alikes(advance),
    }
    # A round of checks has asked about nothing that purity has chosen.
    answered = answered_then(advance) if advance.chosen == advance.closing else None
    if answered is None:
        return known
    scores, outside = answered
    inside, ood = scores.purity[~outside], scores.purity[outside]
    if len(inside) and len(ood):
        known["purity_auroc"] = ood_detection(inside, ood).auroc
    return known


def _look_alikes(advance: Advance) -> list[dict[str, Any]]:
    rows, ood = advance.embeddings(), advance.snapshot.ood
    if rows is None:
        return []
    # By what the pool page finds its likes.
    width = compared_width(advance.settings.model.name, rows.shape[1])
    features = np.asarray(rows[ood, :width], dtype=np.float32)
    return [asdict(one) for one in look_alikes(ood, features, seed=advance.seed)]


def _ood_left(advance: Advance) -> dict[str, Any]:
    snapshot = advance.snapshot
    found = {"by_random": _by_random(advance), "by_purity": _by_purity(advance)}
    _, otherwise = _known_otherwise(snapshot)
    return {
        "unlabeled": len(snapshot.unlabeled),
        # By which is told what was found since, and was there already.
        "found": int((~snapshot.labels.is_ood).sum() + (~otherwise).sum()),
        "of": snapshot.count,
        **{name: None if one is None else asdict(one) for name, one in found.items()},
    }


def _known_otherwise(snapshot: Snapshot) -> tuple[Indices, NDArray[np.bool_]]:
    """Random draws that judge models, and what models have labeled: which, and which are OOD."""
    drawn, unsure = snapshot.said_of_draws(snapshot.audited)
    by_models = ~np.isin(snapshot.outside, np.union1d(snapshot.labeled, snapshot.audited))
    return (
        np.concatenate([snapshot.audited[~unsure], snapshot.outside[by_models]]),
        np.concatenate([drawn.is_ood[~unsure], snapshot.outside_is_ood[by_models]]),
    )


def _by_random(advance: Advance) -> OodLeft | None:
    snapshot = advance.snapshot
    is_ood, asked = snapshot.labels.is_ood, snapshot.label_rounds >= 0
    # What is typical of the pool, or was sent by somebody, was chosen and not drawn.
    chosen = np.union1d(snapshot.requested, snapshot.typical)
    drawn = (snapshot.label_rounds == 0) & ~np.isin(snapshot.labeled, chosen)
    # Whoever has labeled it since, it was among what the draws tell of.
    later = (asked | np.isin(snapshot.labeled, snapshot.outside)) & ~drawn
    otherwise, outside = _known_otherwise(snapshot)
    of = _first_drawn_of(advance, snapshot.labeled[drawn])
    was_there = np.concatenate([snapshot.labeled[later], otherwise]) < of
    since = np.concatenate([is_ood[later], outside])[was_there]
    came = int((snapshot.unlabeled >= of).sum())
    return ood_left_by_random(
        int((~is_ood & drawn).sum()),
        int((is_ood & drawn).sum()),
        unlabeled=len(snapshot.unlabeled) - came,
        later_inside=int((~since).sum()),
        later_ood=int(since.sum()),
        came=came,
    )


def _first_drawn_of(advance: Advance, drawn: Indices) -> int:
    """How many examples there were when the first round was drawn."""
    with advance.context.sessions() as session:
        noted = session.scalar(
            select(Round.metrics[DRAWN_OF].as_integer()).where(
                Round.project_id == advance.context.project_id, Round.number == 0
            )
        )
    # Earlier versions have not kept it: so many there were at least.
    return int(noted or drawn.max(initial=-1) + 1)


def _by_purity(advance: Advance) -> OodLeft | None:
    answered = answered_then(advance)
    now = advance.file("raw_scores.parquet")
    if answered is None or not now.exists():
        return None
    then, outside = answered
    scored = PoolScores.from_parquet(now)
    # What was fitted to one purity says nothing of another, as where knn stood in for probe, or
    # clip was told names of OOD.
    probability = scored.purity_is_probability
    is_other = (then.purity_by, then.purity_is_probability) != (scored.purity_by, probability)
    if scored.purity_by is None or is_other:
        return None
    pool = scored.purity[np.isin(scored.indices, advance.snapshot.unlabeled)]
    before = PoolScores.from_parquet(advance.previous[ArtifactKind.SCORES]).purity
    return ood_left_by_purity(
        feature(pool, pool, probability=probability),
        feature(then.purity, before, probability=probability),
        ~outside,
    )
