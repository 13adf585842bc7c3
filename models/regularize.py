"""TAUFE beside OAT and plain training: what is learned from, and what each is judged by.

Source: thesis, chapter 3 (section 3.4 for the measures).
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from models.catalog.params.regularize import TaufeParams
from models.catalog.params.scores import EnergyParams, MspParams
from models.errors import ModelError
from models.evaluation.evaluate import accuracy, class_similarity, per_class_accuracy
from models.evaluation.ood_detection import ood_detection
from models.evaluation.skill_warnings import Skill, doubts_of_standard, tells
from models.features.tsne import planar_map
from models.media.images.networks.nets import Network
from models.media.images.store import PixelStore
from models.media.images.training.adversarial import AdversarialObjective, attacked_accuracy
from models.media.images.training.mixmatch import Unlabeled, train_mixmatch
from models.media.images.training.train import train
from models.numerics.random_split import lots
from models.protocols import (
    Float32Array,
    Indices,
    OpenSetLabels,
    Outputs,
    PoolView,
    Progress,
    TargetModel,
)
from models.purity import energy, msp
from models.target.train import train_target
from models.target.trained import NetworkModel

_DRAWN_INSIDE, _DRAWN_OOD = 500, 250
_ENOUGH_OOD: Final = 10
_SOME: Final = 1000


@dataclass(frozen=True)
class Parts:
    """Which images are learned from, and which are kept to judge by: pool indices, ascending.

    Attributes:
        inside: (n,) int64, in-distribution.
        labels: (n,) int64 in 0..C-1, of them.
        verdicts: (m,) int64, called OOD by annotators.
        auxiliary: (a,) int64, imported as OOD.
        test: (t,) int64, in-distribution.
        test_labels: (t,) int64 in 0..C-1, of them.
        test_ood: (u,) int64, OOD of the same sources.
        judged_on: where `test` is from.
        unlabeled: (u,) int64, of which nothing is known; for "mixmatch" only.
    """

    inside: Indices
    labels: Indices
    verdicts: Indices
    auxiliary: Indices
    test: Indices
    test_labels: Indices
    test_ood: Indices
    judged_on: Literal["evaluation", "held_out"]
    unlabeled: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def known_ood(self, seed: int) -> Indices:
        """Return (k,) int64, what tells OOD among unlabeled images: the verdicts first.

        Of the auxiliary ones no more than make both kinds equal: what tells them apart takes the
        shares that it sees for those of the pool.
        """
        room = max(0, len(self.inside) - len(self.verdicts))
        some = np.random.default_rng(seed).permutation(self.auxiliary)[:room]
        return np.concatenate([self.verdicts, np.sort(some)])

    def beside(self, unlabeled: Indices) -> "Parts":
        """Return the same with (u,) images without a label.

        Raises:
            ModelError: there are none.
        """
        if len(unlabeled) == 0:
            raise ModelError(
                "There is no unlabeled image that mixmatch could learn from: import more images, "
                "lower least_purity, or choose training = supervised."
            )
        return replace(self, unlabeled=unlabeled)


def divide(
    inside: Indices,
    labels: Indices,
    verdicts: Indices,
    auxiliary: Indices,
    evaluation: Indices,
    evaluation_labels: Indices,
    params: TaufeParams,
    *,
    seed: int,
) -> Parts:
    """Keep a share of the OOD images, and of the labeled images if need be, to judge by.

    Which images those are depends on the seed and the image alone, so that a later job with more
    answers keeps the same; but a class never loses its only example, nor training its only OOD
    image.

    Args:
        inside: (n,) pool indices with a class, ascending.
        labels: (n,) int64 in 0..C-1.
        verdicts: (m,) pool indices that annotators called OOD.
        auxiliary: (a,) pool indices of the auxiliary OOD split.
        evaluation: (e,) pool indices of the evaluation split.
        evaluation_labels: (e,) int64 in 0..C-1.
        params: which OOD images count, and the share.
        seed: of the project.

    Raises:
        ModelError: fewer than two classes have a label, or there is no OOD image to learn from.
    """
    if len(np.unique(labels)) < 2:
        raise ModelError(
            "Fewer than two classes have a labeled image; label some images of each class first."
        )
    if params.ood_from == "verdicts":
        auxiliary = auxiliary[:0]
    if params.ood_from == "auxiliary_ood":
        verdicts = verdicts[:0]
    if len(verdicts) + len(auxiliary) == 0:
        raise ModelError(
            f"There is no OOD image to learn from (ood_from = {params.ood_from}): label some "
            "images as OOD, or import images into the split auxiliary_ood."
        )
    kept = [lots(rows, seed) < params.held_out for rows in (verdicts, auxiliary)]
    if sum(int((~held).sum()) for held in kept) == 0:
        kept = [np.zeros_like(held) for held in kept]
    test_ood = np.concatenate([verdicts[kept[0]], auxiliary[kept[1]]])
    verdicts, auxiliary = verdicts[~kept[0]], auxiliary[~kept[1]]
    if len(evaluation):
        return Parts(
            inside, labels, verdicts, auxiliary, evaluation, evaluation_labels, test_ood,
            "evaluation",
        )  # fmt: skip
    held = lots(inside, seed) < params.held_out
    for label in np.unique(labels):
        mine = np.flatnonzero(labels == label)
        if held[mine].all():
            held[mine[0]] = False
    return Parts(
        inside[~held], labels[~held], verdicts, auxiliary, inside[held], labels[held], test_ood,
        "held_out",
    )  # fmt: skip


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
        params=params.model_params(method),
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


def judged_by_attacks(parts: Parts, params: TaufeParams) -> int:
    """Return how many images are attacked to judge a network."""
    return min(len(parts.test), params.judging_images) if params.training == "adversarial" else 0


def measure(
    model: TargetModel,
    parts: Parts,
    params: TaufeParams,
    *,
    seed: int,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Judge a model by the images that it has not seen.

    Args:
        model: a trained one.
        parts: what `divide` returned.
        params: whether, and how, images are attacked.
        seed: decides which, and from where.
        progress: counts images; may raise `Cancelled`.

    Returns:
        JSON-ready: `accuracy` 0..1; `attacked_accuracy` 0..1, where images are attacked;
        `per_class` C numbers; `similarity`, the mean cosine between embeddings of different
        classes, -1..1; `msp` and `energy`, how well each tells OOD apart (`OodDetection`). None
        where there is nothing to judge by.
    """
    inside = model.infer(parts.test, progress=progress)
    result: dict[str, Any] = {
        "accuracy": _number(accuracy(inside, parts.test_labels)),
        "per_class": [_number(one) for one in per_class_accuracy(inside, parts.test_labels)],
        "similarity": _number(class_similarity(inside.embeddings, parts.test_labels)),
    }
    if count := judged_by_attacks(parts, params):
        assert isinstance(model, NetworkModel)
        some = np.random.default_rng(seed).permutation(len(parts.test))[:count]
        result["attacked_accuracy"] = attacked_accuracy(
            model.network, model.store, parts.test[some], parts.test_labels[some],
            params, seed=seed, progress=progress,
        )  # fmt: skip
    outside = None
    if len(parts.test_ood):
        outside = model.infer(parts.test_ood, progress=progress)
    for name in ("msp", "energy"):
        result[name] = None
        if outside is not None and len(parts.test):
            found = ood_detection(_confidence(name, inside), _confidence(name, outside))
            result[name] = asdict(found)
    return result


def doubts_of_ood(parts: Parts, params: TaufeParams) -> tuple[str, ...]:
    """Warn of a comparison that has next to no OOD images, to learn from or to judge by."""
    count = len(parts.verdicts) + len(parts.auxiliary)
    said: tuple[str, ...] = ()
    if count < _ENOUGH_OOD:
        said = (
            f"OAT and TAUFE learn from fewer than {_ENOUGH_OOD} OOD images ({count}, ood_from = "
            f"{params.ood_from}), so where they differ from plain training is chance. Label more "
            "images as OOD, or import images into the split auxiliary_ood.",
        )
    if not len(parts.test):
        said = (
            *said,
            "No in-distribution image is left to judge by, so neither accuracy nor how well each "
            "method tells OOD apart is known. Label more images, or import an evaluation split.",
        )
    if not len(parts.test_ood):
        said = (
            *said,
            "No OOD image is left to judge by, so how well each method tells OOD apart is unknown. "
            "Label more images as OOD, or import images into the split auxiliary_ood.",
        )
    return said


def doubts_of_left_out(parts: Parts) -> tuple[str, ...]:
    """Warn of unlabeled images among which nothing tells OOD images."""
    return (
        "Too little is known of OOD images to tell them among the "
        f"{len(parts.unlabeled)} unlabeled images that mixmatch learned from. Label more images as "
        "OOD, or import images into the split auxiliary_ood.",
    )


def doubts_of_training(
    model: TargetModel,
    parts: Parts,
    right: float | None,
    *,
    progress: Progress | None = None,
) -> tuple[str, ...]:
    """Warn of a comparison in which the plain network has learned next to nothing.

    Args:
        model: trained by the first of `params.methods`.
        parts: what `divide` returned.
        right: its accuracy on the images that judge, 0..1; None without any.
        progress: counts images; may raise `Cancelled`.

    Returns:
        A sentence, or nothing. Where too few images judge, some that it learned from do.
    """
    if right is not None and tells(parts.test_labels):
        return doubts_of_standard(Skill.of(right, parts.test_labels), judged=True)
    count = len(parts.inside)
    some = np.arange(count) if count <= _SOME else np.linspace(0, count - 1, _SOME).astype(np.int64)
    labels = parts.labels[some]
    known = accuracy(model.infer(parts.inside[some], progress=progress), labels)
    return doubts_of_standard(Skill.of(known, labels), judged=False)


def drawing(parts: Parts, *, seed: int) -> tuple[Indices, OpenSetLabels]:
    """Choose the images of the embedding plot, the same for all methods.

    Returns:
        (k,) pool indices, and what these k are.
    """
    generator = np.random.default_rng(seed)
    chosen = np.sort(generator.permutation(len(parts.test))[:_DRAWN_INSIDE])
    outside = np.sort(generator.permutation(parts.test_ood)[:_DRAWN_OOD])
    is_ood = np.arange(len(chosen) + len(outside)) >= len(chosen)
    classes = np.concatenate([parts.test_labels[chosen], np.zeros_like(outside)])
    return np.concatenate([parts.test[chosen], outside]), OpenSetLabels(classes, is_ood)


def draw(model: TargetModel, indices: Indices, *, seed: int) -> list[list[float]]:
    """Return where the plot shows (k,) images: k pairs in -1..1."""
    points = planar_map(model.infer(indices).embeddings, seed=seed)
    return [[round(float(value), 4) for value in point] for point in points]


def settings_of(params: TaufeParams) -> Mapping[str, dict[str, Any]]:
    """Return, for each method, the project setting `model` that trains rounds like it.

    Rounds learn from labels alone, as they are: nothing but supervised training is theirs.
    """
    if params.training != "supervised":
        return {}
    return {
        method: {"name": params.network, "params": params.model_params(method)}
        for method in params.methods
    }


def _confidence(name: str, outputs: Outputs) -> Float32Array:
    """Score as the purity of that name does: higher = more in-distribution."""
    none = np.empty((0, outputs.logits.shape[1]), dtype=np.float32)
    view = PoolView(
        logits=outputs.logits,
        embeddings=outputs.embeddings,
        labeled_logits=none,
        labeled_embeddings=outputs.embeddings[:0],
        labels=OpenSetLabels.of(np.empty(0, dtype=np.int64)),
        classes=outputs.logits.shape[1],
        seed=0,
    )
    if name == "msp":
        return msp.score(view, MspParams())
    return energy.score(view, EnergyParams())


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
