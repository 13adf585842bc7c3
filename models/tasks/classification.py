"""Learning which class of a project an example is of."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.evaluation.evaluate import accuracy, per_class_accuracy
from models.evaluation.skill_warnings import doubts_of_model
from models.media.base import Store
from models.numerics.probability import log_softmax
from models.protocols import Float32Array, Indices, Outputs, TargetModel
from models.ranking.pool_scores import predictions
from models.target.train import load_target, train_target
from models.tasks.base import Learner, Metrics, Training
from models.tasks.class_targets import ClassPredictions, ClassTargets


class ClassLearner:
    """A classifier of the catalog: a head on embeddings, or a network."""

    def targets(
        self,
        labels: Sequence[Mapping[str, Any] | None],
        class_ids: Sequence[int],
        sizes: Indices,  # noqa: ARG002  a class has no place
    ) -> ClassTargets:
        """Read labels; the class of OOD is 0, and means nothing."""
        output = {class_id: number for number, class_id in enumerate(class_ids)}
        found = (0 if label is None else output[label["class_id"]] for label in labels)
        return ClassTargets(np.fromiter(found, dtype=np.int64, count=len(labels)))

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> ClassTargets:
        """Make targets of their arrays."""
        return ClassTargets(arrays["classes"])

    def train(self, training: Training) -> TargetModel:
        """Fit a head or train a network (`models.target.train.train_target`)."""
        targets: ClassTargets = training.targets
        return train_target(
            training.store,
            training.indices,
            targets.classes,
            classes=training.classes,
            name=training.name,
            params=training.params,
            seed=training.seed,
            ood_indices=training.ood_indices,
            auxiliary_indices=training.auxiliary_indices,
            embeddings=training.embeddings,
            checkpoint=training.checkpoint,
            progress=training.progress,
            processes=training.processes,
        )

    def restore(
        self, path: Path, store: Store, *, embeddings: NDArray[np.float32] | None = None
    ) -> TargetModel:
        """Read a classifier (`models.target.train.load_target`)."""
        return load_target(path, store, embeddings=embeddings)

    def predict(self, logits: Float32Array) -> ClassPredictions:
        """Return the most probable classes."""
        return ClassPredictions(*predictions(logits))

    def losses(self, outputs: Outputs, targets: ClassTargets) -> NDArray[np.float64]:
        """Return the cross-entropy."""
        own = np.take_along_axis(log_softmax(outputs.logits), targets.classes[:, None], axis=1)
        return -own[:, 0].astype(np.float64)

    def metrics(self, outputs: Outputs, targets: ClassTargets, class_ids: Sequence[int]) -> Metrics:
        """Return the accuracy, and that of each class by its id."""
        truth, ids = targets.classes, [str(one) for one in class_ids]
        shares, right = per_class_accuracy(outputs, truth).tolist(), float(accuracy(outputs, truth))
        counts = np.bincount(truth, minlength=len(ids)).tolist()
        more = {
            "per_class": {
                class_id: None if math.isnan(share) else share
                for class_id, share in zip(ids, shares, strict=True)
            },
            "per_class_examples": dict(zip(ids, counts, strict=True)),
        }
        return Metrics("accuracy", right, more, tuple(doubts_of_model(right, truth)))


LEARNER: Final[Learner] = ClassLearner()
