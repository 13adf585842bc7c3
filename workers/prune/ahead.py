"""How long a pruning job takes when its networks are trained, guessed before they are."""

from functools import partial
from typing import Final

import numpy as np

from models.errors import ModelError
from models.params.prune import PruneParams
from models.pruning.run import prune
from models.pruning.view import PruningView
from models.rehearsal import extended_seconds
from models.trained import NetworkModel
from models.warm_up import WarmUp
from workers.runner import JobContext

_LOOKED_AT: Final = 32
_CHOSEN_FROM: Final = 1024
_FEATURES: Final = 128


def after_training(context: JobContext, task: WarmUp, params: PruneParams) -> dict[str, float]:
    """Measure looking at a few images, and choosing among a thousand that are made up.

    A dry run does better, and takes as long as some jobs.

    Returns:
        Seconds of the phases ``embed`` and ``prune``; the latter is missing where the method does
        not work on so few.
    """
    count = len(task.indices)
    models = task.untrained()

    def look(model: NetworkModel, size: int) -> None:
        context.check()
        model.infer(np.resize(task.indices, size))

    plain, strong = (
        extended_seconds(partial(look, model), min(_LOOKED_AT, count), count) for model in models
    )
    expected = {"embed": params.models * plain + strong}
    try:
        expected["prune"] = _choice_seconds(context, task, params, models[0].network.dimension)
    except ModelError as error:
        context.log.write(f"no guess at how long the choice takes: {error}")
    return expected


def _choice_seconds(
    context: JobContext, task: WarmUp, params: PruneParams, dimension: int
) -> float:
    count = len(task.indices)
    view = _made_up(task, min(_CHOSEN_FROM, count), dimension)
    share = params.keep_of(count) / count
    # A given threshold suits features that were learned.
    method_params = params.method_params() | (
        {"tau": None} if "tau" in params.method_params() else {}
    )

    def choose(size: int) -> None:
        context.check()
        part = view.part(np.arange(size))
        prune(params.method, part, max(1, round(share * size)), method_params)

    return extended_seconds(choose, len(view), count, highest_power=2)


def _made_up(task: WarmUp, size: int, dimension: int) -> PruningView:
    """Return what a warm-up would show of so many examples, drawn at random."""
    generator = np.random.default_rng(task.seed)

    def drawn(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return generator.standard_normal(shape, dtype=np.float32)

    return PruningView(
        labels=generator.integers(task.classes, size=size),
        classes=task.classes,
        seed=task.seed,
        embeddings=drawn(size, dimension),
        logits=drawn(size, task.classes),
        losses=np.abs(drawn(size)),
        correct=drawn(task.params.epochs, size) > 0,
        gradient_norms=np.abs(drawn(task.params.models, size)),
        self_supervised=drawn(size, _FEATURES),
    )
