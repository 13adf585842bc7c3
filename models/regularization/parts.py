"""Which images a comparison of regularizers learns from, and which it keeps to judge by."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from models.catalog.params.regularize import TaufeParams
from models.errors import ModelError
from models.numerics.random_split import lots
from models.protocols import Indices


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
