"""What is to be said against a comparison of regularizers."""

from typing import Final

import numpy as np

from models.catalog.params.regularize import TaufeParams
from models.evaluation.evaluate import accuracy
from models.evaluation.skill_warnings import Skill, doubts_of_standard, tells
from models.protocols import Progress, TargetModel
from models.regularization.parts import Parts

_ENOUGH_OOD: Final = 10
_SOME: Final = 1000


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
