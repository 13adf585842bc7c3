"""The ``taufe`` job: freeze what is known, train several times, judge, keep the results."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, Final

import numpy as np

from models.catalog.params.regularize import METHODS, TaufeParams
from models.evaluation.skill_warnings import doubts_of_unlabeled
from models.files.arrays import read_arrays, write_arrays
from models.media.images.store import images_of
from models.purity.inside import believed_inside, embed_verdicts
from models.regularization.doubts import doubts_of_left_out, doubts_of_ood, doubts_of_training
from models.regularization.judging import draw, drawing, judged_by_attacks, measure
from models.regularization.parts import Parts
from models.regularization.training import effort, settings_of, train_method
from models.target.train import load_target
from workers.dry_run import dry_run
from workers.jobs.context import JobContext, Phase
from workers.jobs.trainings import Trainings, training
from workers.labels.job_inputs import JobInputs, example_ids, frozen
from workers.taufe.dry_run import prepare
from workers.taufe.gather import divide_known, gather
from workers.weights import located


def run(context: JobContext) -> dict[str, Any]:
    """Train and compare; a killed job goes on in the training in which it was."""
    if context.dry_run:
        return dry_run(context, prepare)
    return Regularizing(context, TaufeParams.of(context)).run(PHASES)


class Regularizing(Trainings[TaufeParams]):
    """Classifiers of the project's classes."""

    shown = "drawing.json"
    _features: Final = "features.npy"
    _unlabeled: Final = "unlabeled.npz"

    def methods(self) -> Sequence[str]:
        """All that are asked for."""
        return self.params.methods

    def class_ids(self) -> list[int]:
        """As they were gathered."""
        found: list[int] = self.known.snapshot.class_ids.tolist()
        return found

    def effort(self) -> Mapping[str, float]:
        """By what is learned from."""
        return effort(self.divided, self.params)

    @cached_property
    def known(self) -> JobInputs:
        """What was gathered."""
        return frozen(self.context)

    @cached_property
    def divided(self) -> Parts:
        """What is learned from, and what judges; of the unlabeled images all."""
        return divide_known(self.known, self.params)

    @cached_property
    def believed(self) -> dict[str, Any]:
        """What was found of the unlabeled images: see ``Believed``."""
        return read_arrays(self.file(self._unlabeled)) if self.params.chooses_unlabeled else {}

    @property
    def parts(self) -> Parts:
        """What is learned from, and what judges."""
        rows = self.believed.get("rows")
        return self.divided if rows is None else self.divided.beside(rows)

    def gather(self) -> None:
        """Freeze what is known."""
        gather(self.context, self.params)

    def embed(self) -> None:
        """Leave out unlabeled images that are probably OOD.

        Raises:
            ModelError: None is left.
        """
        divided, params, known = self.divided, self.params, self.known
        ood = divided.known_ood(known.seed)
        embed_verdicts(
            known.store, divided.inside, ood, divided.unlabeled,
            flip=params.flip, seed=known.seed, out=self.file(self._features),
            progress=self.progress,
        )  # fmt: skip
        found = believed_inside(
            self.file(self._features), divided.labels, len(ood), divided.unlabeled,
            classes=known.snapshot.classes, least=params.least_purity,
            image_size=known.store.size, seed=known.seed,
        )  # fmt: skip
        divided.beside(found.rows)
        write_arrays(self.file(self._unlabeled), asdict(found))

    def train(self, method: str) -> None:
        """Train one of the methods."""
        checkpoint = self.file(f"{method}-training.safetensors")
        model = train_method(
            method,
            images_of(self.known.store),
            self.parts,
            located(self.context, self.params),
            classes=self.known.snapshot.classes,
            seed=self.known.seed,
            checkpoint=checkpoint,
            progress=self.progress,
        )
        model.save(self.file(f"{method}.safetensors"))
        checkpoint.unlink(missing_ok=True)

    def compare(self) -> None:
        """Judge all by the same images."""
        found, points = {}, {}
        seed, left_out = self.known.seed, int(self.believed.get("left_out", 0))
        warnings = [*doubts_of_ood(self.parts, self.params)]
        if not self.believed.get("told", True):
            warnings += doubts_of_left_out(self.parts)
        chosen, labels = drawing(self.parts, seed=seed)
        for method in self.methods():
            model = load_target(self.file(f"{method}.safetensors"), self.known.store)
            found[method] = measure(
                model, self.parts, self.params, seed=seed, progress=self.progress
            )
            points[method] = draw(model, chosen, seed=seed)
            if method == self.methods()[0]:
                right = found[method]["accuracy"]
                warnings += doubts_of_training(model, self.parts, right, progress=self.progress)
        if self.params.training == "mixmatch":
            right, alone = (found[method]["accuracy"] for method in ("standard", "supervised"))
            warnings += doubts_of_unlabeled(right, alone, self.parts.test_labels)
        class_ids = self.known.snapshot.class_ids.tolist()
        drawn = {
            "examples": example_ids(self.context, chosen).tolist(),
            "class_ids": [
                None if ood else class_ids[one]
                for one, ood in zip(labels.classes.tolist(), labels.is_ood.tolist(), strict=True)
            ],
            "points": points,
        }
        side = images_of(self.known.store).size
        result = {
            "training": self.params.training,
            "methods": found,
            "weights": self.params.ood_weights(side),
            "settings": settings_of(self.params, side),
            "class_ids": class_ids,
            "per_class_examples": np.bincount(
                self.parts.test_labels, minlength=len(class_ids)
            ).tolist(),
            "judged_on": self.parts.judged_on,
            "counts": _counts(self.parts)
            | {
                "left_out": len(self.known.snapshot.dropped),
                "unlabeled_left_out": left_out,
                "attacked": judged_by_attacks(self.parts, self.params),
            },
            "warnings": warnings,
            "notes": warnings,
        }
        self.write(drawn, result)


def _counts(parts: Parts) -> dict[str, int]:
    """How many images each part holds."""
    names = ("inside", "verdicts", "auxiliary", "test", "test_ood", "unlabeled")
    return {name: len(getattr(parts, name)) for name in names}


PHASES: Final = (
    Phase("gather", Regularizing.gather),
    Phase("embed", Regularizing.embed, lambda task: task.params.chooses_unlabeled),
    *map(training, ("supervised", *METHODS)),
    Phase("compare", Regularizing.compare),
)
