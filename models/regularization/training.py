"""The same training by each method: plain, OAT and TAUFE. Source: thesis, chapter 3."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from models.catalog.params.regularize import TaufeParams
from models.media.images.networks.nets import Network
from models.media.images.store import PixelStore
from models.media.images.training.adversarial import AdversarialObjective
from models.media.images.training.mixmatch import Unlabeled, train_mixmatch
from models.media.images.training.train import train
from models.protocols import Progress, TargetModel
from models.regularization.judging import drawing, judged_by_attacks
from models.regularization.parts import Parts
from models.target.train import train_target


def train_method(
    method: str,
    store: PixelStore,
    parts: Parts,
    params: TaufeParams,
    *,
    classes: int,
    seed: int,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> TargetModel:
    """Train one of `params.methods`: the same seed, batches and number of updates for all.

    Args:
        method: which.
        store: the pool.
        parts: what `divide` returned.
        params: network and weights.
        classes: C.
        seed: of weights, batches and augmentation.
        checkpoint: resumable state; the caller removes it in the end.
        progress: called every few steps; may raise `Cancelled`.

    Raises:
        ModelError: training diverged.
    """
    return train_target(
        store,
        parts.inside,
        parts.labels,
        classes=classes,
        name=params.network,
        params=params.model_params(method, store.size),
        seed=seed,
        ood_indices=parts.verdicts,
        auxiliary_indices=parts.auxiliary,
        checkpoint=checkpoint,
        progress=progress,
        trainer=_trainer(method, store, parts, params),
    )


def _trainer(
    method: str, store: PixelStore, parts: Parts, params: TaufeParams
) -> Callable[..., Network]:
    if method == "supervised" or params.training == "supervised":
        return train
    if params.training == "mixmatch":
        unlabeled = Unlabeled(store, parts.unlabeled)
        return partial(train_mixmatch, unlabeled=unlabeled, mixing=params)
    return partial(train, make_objective=partial(AdversarialObjective, attack=params))


def effort(parts: Parts, params: TaufeParams) -> dict[str, float]:
    """Return what each of `params.methods` and the comparison of all amount to beside each other.

    Counted are images that pass through the network: learning from one takes about as long as
    looking at three, as does each step of an attack, and to OAT and TAUFE each batch brings as many
    OOD images again.
    """
    batch = float(params.steps * params.batch_size)
    plain = outside = 3 * batch
    if params.training == "mixmatch":
        plain = (3 + 4 * params.augmentations) * batch
    if params.training == "adversarial":
        plain = 3 * (1 + params.attack_steps) * batch
        outside = plain if params.attack_ood else outside
    taken = {"supervised": 3 * batch, "standard": plain}
    looked_at = len(parts.test) + len(parts.test_ood) + len(drawing(parts, seed=0)[0])
    looked_at += 3 * params.judging_steps * judged_by_attacks(parts, params)
    return {method: taken.get(method, plain + outside) for method in params.methods} | {
        "compare": float(len(params.methods) * looked_at)
    }


def settings_of(params: TaufeParams, side: int) -> Mapping[str, dict[str, Any]]:
    """Return, for each method, the project setting `model` that trains rounds like it.

    Rounds learn from labels alone, as they are: nothing but supervised training is theirs.

    Args:
        params: of the job.
        side: of the images of the pool, in pixels.
    """
    if params.training != "supervised":
        return {}
    return {
        method: {"name": params.network, "params": params.model_params(method, side)}
        for method in params.methods
    }
