"""The ``localize`` job: freeze what is known, train each method, judge, keep the results."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from models.catalog.params.localize import METHODS, NO_SOFTMAX, LocalizeParams
from models.frame import Frame
from models.media.images.store import PixelStore
from models.tasks.localization.boxes import THRESHOLDS, iou
from models.tasks.localization.judge import OVERLAPS, Found, figures, floors, look
from models.tasks.localization.map_box import scaled_map
from models.tasks.localization.networks import Localizer
from models.tasks.localization.squares import on_picture
from workers.dry_run import dry_run
from workers.jobs.context import JobContext, Phase
from workers.jobs.trainings import Trainings, training
from workers.labels.job_inputs import example_ids
from workers.localize.dry_run import prepare
from workers.localize.gather import Known, gather
from workers.localize.training import train_known

_SHOWN: Final = 48
_FEW: Final = 10


def run(context: JobContext) -> dict[str, Any]:
    """Train and compare; a killed job goes on in the training in which it was."""
    if context.dry_run:
        return dry_run(context, prepare)
    return Localizing(context, LocalizeParams.of(context)).run(PHASES)


class Localizing(Trainings[LocalizeParams]):
    """Networks that find one thing an image."""

    shown = "overlays.json"

    def methods(self) -> Sequence[str]:
        """OAT has no way to regress boxes."""
        return self.params.methods

    def class_ids(self) -> list[int]:
        """As they were gathered."""
        found: list[int] = self.known.class_ids.tolist()
        return found

    def effort(self) -> dict[str, float]:
        """What trainings and the comparison amount to, in images that pass through the network."""
        plain = 3.0 * self.params.steps * self.params.batch_size
        weights = {"standard": plain, "oat": 2 * plain, "taufe": 2 * plain}
        judging = float(len(self.params.methods) * len(self.known.test.indices))
        return {name: weights[name] for name in self.params.methods} | {"compare": judging}

    @cached_property
    def known(self) -> Known:
        """What was gathered."""
        return Known.load(self.context)

    @cached_property
    def store(self) -> PixelStore:
        """The pool's images."""
        return self.known.store(self.context)

    def gather(self) -> None:
        """Freeze what is known."""
        gather(self.context, self.params)

    def train(self, method: str) -> None:
        """Train one of the methods."""
        checkpoint = self.file(f"{method}-training.safetensors")
        network = train_known(
            self.known,
            self.store,
            self.params,
            method,
            checkpoint=checkpoint,
            progress=self.progress,
        )
        params = self.params.model_dump()
        network.save(self.file(f"{method}.safetensors"), "localize", params)
        checkpoint.unlink(missing_ok=True)

    def compare(self) -> None:
        """Judge all by the same images."""
        known, test = self.known, self.known.test
        methods, seen = {}, {}
        for method in self.params.methods:
            network = Localizer.load(self.file(f"{method}.safetensors"))
            seen[method] = look(
                network,
                self.store,
                test.indices,
                test.classes,
                self.params,
                progress=self.progress,
            )
            methods[method] = figures(
                seen[method],
                test.boxes,
                test.classes,
                self.params,
                known.frame.side,
                progress=self.progress,
            )
        guesses = floors(known.inside.boxes, test.boxes, self.params)
        warnings = _doubts(known, methods, guesses)
        result = {
            "localize": self.params.localize,
            "methods": methods,
            "weights": self.params.ood_weights(known.frame.side),
            "refused": {"oat": NO_SOFTMAX} if "oat" not in methods else {},
            "floors": guesses,
            "overlap": self.params.overlap,
            "threshold": self.params.threshold,
            "overlaps": list(OVERLAPS),
            "thresholds": list(THRESHOLDS),
            "class_ids": known.class_ids.tolist(),
            "judged_on": known.judged_on,
            "counts": known.counts,
            "warnings": warnings,
            "notes": warnings,
        }
        self.write(self._overlays(seen), result)

    def _overlays(self, seen: dict[str, Found]) -> dict[str, Any]:
        """Some of the images that judge: where the thing is, and what each method says."""
        test = self.known.test
        draw = np.random.default_rng(self.known.seed)
        shown = np.sort(draw.permutation(len(test.indices))[:_SHOWN])
        sizes = test.sizes[shown]
        truth = test.boxes[shown]
        return {
            "examples": example_ids(self.context, test.indices[shown]).tolist(),
            "sizes": sizes.tolist(),
            "squares": _squares(self.known.frame, sizes),
            "class_ids": self.known.class_ids[test.classes[shown]].tolist(),
            "truth": _edges(truth, sizes, self.known.frame),
            "methods": {
                method: {
                    "boxes": _edges(found.boxes[shown], sizes, self.known.frame),
                    "iou": np.round(iou(found.boxes[shown], truth), 4).tolist(),
                    "maps": None if found.maps is None else _levels(found.maps[shown]),
                }
                for method, found in seen.items()
            },
        }


def _edges(boxes: Any, sizes: Any, frame: Frame) -> list[list[float]]:
    """Left, top, right and bottom in pixels of the upright pictures."""
    rows: list[list[float]] = np.round(on_picture(boxes, sizes, frame), 2).tolist()
    return rows


def _squares(frame: Frame, sizes: Any) -> list[list[float]]:
    """Likewise of what maps lie over, which may reach beyond the pictures."""
    windows = frame.windows(sizes)
    edges = np.concatenate([windows[:, :2], windows[:, :2] + windows[:, 2:]], axis=1)
    rows: list[list[float]] = np.round(edges, 2).tolist()
    return rows


def _levels(maps: Any) -> list[list[list[int]]]:
    """Maps as bytes, each from its least to its largest value."""
    return [np.round(255 * scaled_map(one)).astype(int).tolist() for one in maps]


def _doubts(
    known: Known, methods: dict[str, dict[str, Any]], guesses: dict[str, dict[str, Any]]
) -> list[str]:
    """Warn of a comparison that says little."""
    said = []
    if len(known.ood) < _FEW:
        said.append(
            f"There are fewer than {_FEW} OOD images to learn from ({len(known.ood)}), so where "
            "the methods differ is chance. Label more images as OOD, or import images into the "
            "split auxiliary_ood."
        )
    best = max(one["iou"] for one in guesses.values())
    if methods["standard"]["iou"] <= best:
        said.append(
            f"Plain training finds boxes no better (mean IoU {methods['standard']['iou']:.2f}) "
            f"than who never looks at an image ({best:.2f}), so what the methods differ in means "
            "little. Train for more steps, or label more images."
        )
    return said


PHASES: Final = (
    Phase("gather", Localizing.gather),
    *map(training, METHODS),
    Phase("compare", Localizing.compare),
)
