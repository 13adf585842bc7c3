"""What each method is judged by, and the plot of it. Source: thesis, section 3.4."""

from dataclasses import asdict
from typing import Any

import numpy as np

from models.catalog.params.regularize import TaufeParams
from models.catalog.params.scores import EnergyParams, MspParams
from models.evaluation.evaluate import accuracy, class_similarity, per_class_accuracy
from models.evaluation.ood_detection import ood_detection
from models.features.tsne import planar_map
from models.media.images.training.adversarial import attacked_accuracy
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
from models.regularization.parts import Parts
from models.target.trained import NetworkModel

_DRAWN_INSIDE, _DRAWN_OOD = 500, 250


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


def judged_by_attacks(parts: Parts, params: TaufeParams) -> int:
    """Return how many images are attacked to judge a network."""
    return min(len(parts.test), params.judging_images) if params.training == "adversarial" else 0


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
