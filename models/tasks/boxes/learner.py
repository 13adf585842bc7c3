"""Learning where the things of a project's classes are."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.catalog import parse, validate
from models.catalog.params.detection import DetectorParams
from models.errors import ModelError
from models.media.base import Store
from models.media.images.store import images_of
from models.numerics.probability import sigmoid
from models.protocols import Float32Array, Indices, Outputs, TargetModel
from models.tasks.base import Learner, Metrics, Training
from models.tasks.boxes.matching import losses
from models.tasks.boxes.measure import average_precision
from models.tasks.boxes.model import DetectorModel, blank, load, looked_at, rows_for
from models.tasks.boxes.parallel import train_together
from models.tasks.boxes.targets import BoxPredictions, BoxTargets
from models.tasks.boxes.train import train


class BoxLearner:
    """A detector of the catalog, on cached maps or from scratch."""

    def targets(
        self,
        labels: Sequence[Mapping[str, Any] | None],
        class_ids: Sequence[int],
        sizes: Indices,
    ) -> BoxTargets:
        """Read labels; of OOD there are no boxes."""
        return BoxTargets.of(labels, class_ids, sizes)

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> BoxTargets:
        """Make targets of their arrays."""
        return BoxTargets(**arrays)

    def train(self, training: Training) -> TargetModel:
        """Train a detector on the boxes, and on what was called OOD as images without any."""
        params = parse("model", training.name, training.params)
        if not isinstance(params, DetectorParams):
            raise ModelError(f"The model {training.name} finds no boxes; choose the model fcos.")
        targets: BoxTargets = training.targets
        if len(targets.classes) == 0:
            raise ModelError("No box has been drawn yet; draw some first.")
        rows = rows_for(training.name, training.embeddings)
        indices, learned = np.asarray(training.indices, np.int64), targets
        if params.ood_as_empty and len(training.ood_indices):
            indices = np.concatenate([indices, training.ood_indices])
            learned = _with_empty(targets, len(training.ood_indices))
        frame = images_of(training.store).frame
        detector = blank(
            training.name,
            params,
            classes=training.classes,
            image_size=frame.side,
            seed=training.seed,
        )
        stored = validate("model", training.name, training.params)
        learn = partial(train, params=params)
        if training.processes > 1:
            learn = partial(
                train_together, name=training.name, params=stored, processes=training.processes
            )
        learn(
            detector,
            lambda positions: looked_at(training.store, rows, indices[positions]),
            learned,
            frame=frame,
            seed=training.seed,
            checkpoint=training.checkpoint,
            progress=training.progress,
        )
        return DetectorModel(detector, training.store, training.name, stored, rows)

    def restore(
        self, path: Path, store: Store, *, embeddings: NDArray[np.float32] | None = None
    ) -> TargetModel:
        """Read a detector."""
        return load(path, store, embeddings)

    def predict(self, logits: Float32Array) -> BoxPredictions:
        """Return the class of the surest detection of each image."""
        return BoxPredictions(
            logits.argmax(axis=1).astype(np.int16),
            sigmoid(logits.max(axis=1)).astype(np.float32),
        )

    def losses(self, outputs: Outputs, targets: BoxTargets) -> NDArray[np.float64]:
        """Return how wrong the detections are (`models.tasks.boxes.matching.losses`)."""
        assert outputs.detections is not None
        return losses(outputs.detections, targets, outputs.frame)

    def metrics(self, outputs: Outputs, targets: BoxTargets, class_ids: Sequence[int]) -> Metrics:
        """Return mAP, and what else COCO measures."""
        assert outputs.detections is not None
        value, more = average_precision(outputs.detections, targets, class_ids, outputs.frame)
        return Metrics("mAP", value, more)


def _with_empty(targets: BoxTargets, count: int) -> BoxTargets:
    """Add examples without boxes."""
    return BoxTargets(
        targets.corners,
        targets.classes,
        targets.crowd,
        targets.difficult,
        np.concatenate([targets.offsets, np.full(count, targets.offsets[-1])]),
        np.concatenate([targets.sizes, np.ones((count, 2), dtype=np.int64)]),
    )


LEARNER: Final[Learner] = BoxLearner()
