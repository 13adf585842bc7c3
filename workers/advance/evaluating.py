"""How good the model of a closing round is, by images that it has not learned from."""

from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from core.tasks.registry import task_type
from models.catalog import parse
from models.catalog.params.networks import HeadParams, TrainingParams
from models.evaluation.ood_detection import telling
from models.protocols import Indices, TargetModel
from models.rounds.left_out import tells_apart
from models.rounds.query import infer
from workers.advance.advance import Advance
from workers.advance.auditing import audit
from workers.advance.training import training_of

NO_NONE_NOTE: Final = (
    "With a single class, accuracy is how often its images are told from those of none, and there "
    "is no image of none to measure it on; import some into the split auxiliary_ood."
)
LEARNED_NOTE: Final = (
    "With a single class, accuracy is how often its images are told from those of none, and the "
    "model has learned from the images of none, so they cannot measure it; set ood_from to "
    "verdicts."
)
NO_PROBABILITY_NOTE: Final = (
    "With a single class, accuracy needs a purity that is a probability, as probe is once there "
    "are answers of both kinds; only how well it orders the images was measured."
)


def evaluate(advance: Advance) -> None:
    """Measure the model on the evaluation split, and on random draws."""
    model = advance.model()
    assert model is not None
    task = task_type(advance.snapshot.task)
    is_one = task.names_one_class and advance.snapshot.classes == 1
    measure = _one_class if is_one else _measured
    found = measure(advance, model) if len(advance.snapshot.evaluation) else {}
    drawn = audit(advance, model)
    advance.note("evaluate", {**found, **({} if drawn is None else {"audit": drawn})})


def left_out(advance: Advance) -> dict[str, Any] | None:
    """How well the purity of a frozen model tells verdicts apart that it has not learned from.

    What a network was trained on it tells apart in any case, so nothing is said of one.
    """
    model = advance.model() if advance.frozen else None
    if model is None:
        return None
    snapshot = advance.snapshot
    verdicts = advance.verdicts() or infer(model, snapshot.labeled, advance.context.progress)
    found = tells_apart(
        model,
        snapshot.labeled,
        snapshot.labels,
        verdicts,
        advance.query_settings,
        seed=advance.seed,
        contrastive=advance.contrastive(),
        learn=partial(_learned_from, advance) if _trains_head(advance) else None,
    )
    return None if found is None else found.to_json()


def _trains_head(advance: Advance) -> bool:
    """Whether a head is all that is trained of a frozen model, which takes seconds."""
    chosen = advance.settings.model
    return isinstance(parse("model", chosen.name, chosen.params), HeadParams)


def _learned_from(advance: Advance, rows: Indices) -> TargetModel:
    """A model like that of the round, of the verdicts at (n,) pool indices alone.

    Raises:
        ModelError: None of these has a class.
    """
    whole = training_of(advance)
    kept = np.flatnonzero(np.isin(whole.indices, rows))
    part = replace(
        whole,
        indices=whole.indices[kept],
        targets=whole.targets.take(kept),
        ood_indices=np.intersect1d(whole.ood_indices, rows),
    )
    return advance.learner.train(part)


def _measured(advance: Advance, model: TargetModel) -> dict[str, Any]:
    """What the learner says; its headline is the accuracy of the round, or stands by its name."""
    snapshot = advance.snapshot
    outputs = model.infer(snapshot.evaluation, progress=advance.context.progress)
    found = advance.learner.metrics(
        outputs, snapshot.evaluation_targets, snapshot.class_ids.tolist()
    )
    headline: dict[str, Any] = {"headline": {"name": found.headline, "value": found.value}}
    return {
        **({"accuracy": found.value} if found.headline == "accuracy" else headline),
        **found.more,
        "notes": list(found.notes),
        "examples": len(snapshot.evaluation),
    }


def _one_class(advance: Advance, model: TargetModel) -> dict[str, Any]:
    """Tell the class from none: by the evaluation split, and the images that are known as OOD.

    ``accuracy`` is balanced, the mean of the shares of either kind that are told right, and known
    as well as on ``examples`` images at least: twice those of the kind that there are fewer of.
    """
    inside, none = advance.snapshot.evaluation, advance.snapshot.auxiliary
    if len(none) == 0:
        return {"notes": [NO_NONE_NOTE], "examples": 0}
    if _learns_from_auxiliary(advance):
        return {"notes": [LEARNED_NOTE], "examples": 0}
    rows = np.union1d(inside, none)
    scored = advance.scored(model, rows, advance.context.progress)
    is_inside = np.isin(rows, inside)
    found = telling(scored.scores.purity, is_inside)
    assert found is not None
    # Both kinds count alike, however many there are of each: guessing is right half of the time.
    values = {"examples": 2 * min(found.inside, found.ood), "telling": found.to_json()}
    notes = []
    if scored.scores.purity_is_probability:
        right = (scored.scores.purity >= 0.5) == is_inside
        values["accuracy"] = float((right[is_inside].mean() + right[~is_inside].mean()) / 2)
    else:
        notes = [NO_PROBABILITY_NOTE]
    return {**values, "notes": notes}


def _learns_from_auxiliary(advance: Advance) -> bool:
    """Whether the model has learned from what would have to judge it."""
    params = parse("model", advance.settings.model.name, advance.settings.model.params)
    regularized = isinstance(params, TrainingParams) and params.regularized
    return regularized and params.ood_from != "verdicts"
