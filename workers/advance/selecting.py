"""The last computing phase of ``advance_round``: which images the next round asks about."""

import math
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.states import ArtifactKind
from models.protocols import Ranking
from models.ranking.candidates import NO_ANSWERS, LastAnswers
from models.ranking.mqnet import MQNet, Normalisation
from models.ranking.pool_scores import PoolScores
from models.rounds import surface, view_files
from models.rounds.predictions import inside_of
from models.rounds.query import Scored
from models.rounds.query import select as select_queries
from models.tasks.boxes.matching import hits
from models.tasks.boxes.targets import BoxTargets
from workers.advance import second_looks
from workers.advance.advance import Advance
from workers.advance.answers import answered_then
from workers.advance.prices import prices_of
from workers.labels.timing import median_seconds

# Beyond the budget's worth, so that annotators have work while the models retrain.
_TAIL: Final = 0.5


def select(advance: Advance) -> None:
    """Rank the queue of the next round, and keep what the ranking knows of each image."""
    scores_file = advance.file("raw_scores.parquet")
    wanted = _queue_length(advance)
    # Draws are ranked, and others asked about in their place.
    spare = advance.noted("snapshot")["spare"] + len(advance.snapshot.audited)
    n = wanted + spare
    weight = None
    if scores_file.exists():
        scores = PoolScores.from_parquet(scores_file)
        ranking = _ranked(advance, scores, n, wanted)
        weight = surface.purity_weight(ranking.surface, scores, wanted)
    else:
        generator = np.random.default_rng(advance.seed)
        order = generator.permutation(advance.snapshot.unlabeled)[:n]
        note = _why_random(advance) if len(order) > 0 else None
        notes = () if note is None else (note,)
        ranking = Ranking(order, np.empty(0, dtype=np.float32), notes)
    advance.note(
        "select",
        {
            "wanted": wanted,
            "order": ranking.order.tolist(),
            "by_strategy": scores_file.exists(),
            "notes": advance.noted("score").get("notes", []) + list(ranking.notes),
            "state": dict(ranking.state),
            "purity_weight": weight,
            "again": second_looks.choose(advance),
        },
    )


def _why_random(advance: Advance) -> str | None:
    """What is to be said of a queue that was drawn at random; nothing if that was expected."""
    if advance.closing is not None:
        return "No model yet, so the batch is random."
    if advance.settings.first_queue == "typical" and not advance.frozen:
        return (
            "The first images were drawn at random: which are typical is known only of a model "
            "that computes features before it is trained, such as auto."
        )
    return None


def _ranked(advance: Advance, scores: PoolScores, n: int, wanted: int) -> Ranking:
    learned = advance.noted("meta_train")
    path = advance.file("mqnet.safetensors")
    rows = advance.used_embeddings() if advance.looks_at_embeddings else None
    view = view_files.load(
        advance.file("view"),
        logits=scores.logits,
        embeddings=None if rows is None else np.asarray(rows[scores.indices], dtype=np.float32),
        detections=scores.detections,
    )
    if scores.detections is not None:
        view = replace(view, maps=advance.embeddings())
    last = _last_answers(advance)
    had_ood = len(last.is_ood) < 2 or bool(last.is_ood.any())
    ranking = select_queries(
        Scored(scores, view),
        advance.snapshot.candidates,
        n,
        advance.query_settings,
        mqnet=MQNet.load(path) if path.exists() else None,
        had_ood=learned.get("had_ood", had_ood),
        prices=prices_of(advance),
        last=last,
        state=advance.previous_state,
        progress=advance.context.progress,
    )
    inside = inside_of(scores, last)
    scores = replace(scores, meta_scores=ranking.meta_scores, inside=inside)
    scores.to_parquet(
        advance.file("scores.parquet"),
        surface.about(ranking.surface, scores, wanted),
        advance.learner.predict(scores.logits).columns(),
    )
    return ranking


def _last_answers(advance: Advance) -> LastAnswers:
    """What the annotators said to the queries of the closing round, and what was expected."""
    answered = answered_then(advance)
    if answered is None:
        return NO_ANSWERS
    scores, outside = answered
    everything = PoolScores.from_parquet(advance.previous[ArtifactKind.SCORES])
    purity = Normalisation.fit(everything.purity)
    return LastAnswers(outside, scores, purity, _hits(advance, scores))


def _hits(advance: Advance, scores: PoolScores) -> NDArray[np.int8] | None:
    """Which detections of answered images were right, by what the answers say."""
    if scores.detections is None:
        return None
    snapshot = advance.snapshot
    positions = np.searchsorted(snapshot.labeled, scores.indices).astype(np.int64)
    targets = snapshot.targets.take(positions)
    assert isinstance(targets, BoxTargets)
    return hits(scores.detections, targets, scores.frame)


def _queue_length(advance: Advance) -> int:
    """Queries that the budget pays for at the lowest price, and the zero-wait tail."""
    cost = advance.settings.cost
    price = min(cost.c_in, cost.c_ood)
    if cost.mode == "seconds":
        with advance.context.sessions() as session:
            # Half the usual time, so that a quick day does not run out of images.
            price = median_seconds(session, advance.context.project_id) / 2
    price *= advance.settings.overlap
    tail = 1 + _TAIL if advance.settings.zero_wait else 1
    # No more than there are, before rounding: a price near zero pays for infinitely many.
    return math.ceil(min(len(advance.snapshot.unlabeled), advance.settings.budget / price * tail))
