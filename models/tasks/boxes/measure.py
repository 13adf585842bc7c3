"""How good detections are: average precision as COCO defines it."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from models.frame import Frame, out_of_square, within_images
from models.protocols import Float32Array
from models.tasks.boxes.matching import CLASS, SCORE
from models.tasks.boxes.targets import BoxTargets


def average_precision(
    detections: Float32Array, targets: BoxTargets, class_ids: Sequence[int], frame: Frame
) -> tuple[float | None, dict[str, Any]]:
    """Return mAP over IoU 0.5, 0.55, … 0.95; mAP50, mAP75, AR with 100 detections, AP by class.

    In pixels of the upright images: what the square does not show counts as missed, and what
    reaches beyond the image is cut off. Crowds and difficult boxes neither count nor are they wrong
    to find.

    Args:
        detections: (n, K, 6) float32 as in `Outputs.detections`.
        targets: n.
        class_ids: names of the C classes.
        frame: the square that detections are shares of.
    """
    with warnings.catch_warnings():
        # Of packages that are loaded on the way.
        warnings.simplefilter("ignore")
        from torchmetrics.detection import MeanAveragePrecision

        metric = MeanAveragePrecision(
            box_format="xyxy", class_metrics=True, backend="faster_coco_eval"
        )
        metric.warn_on_many_detections = False
        for row in range(len(targets)):
            found, there = _found(detections[row], targets, row, frame), _there(targets, row)
            metric.update([found], [there])
        values = metric.compute()
    by_class = dict.fromkeys(str(one) for one in class_ids)
    of = zip(values["classes"].reshape(-1), values["map_per_class"].reshape(-1), strict=False)
    for number, value in of:
        if value >= 0:
            by_class[str(class_ids[int(number)])] = float(value)
    counted = targets.classes[~(targets.crowd | targets.difficult)]
    boxes = np.bincount(counted, minlength=len(class_ids)).tolist()
    more: dict[str, Any] = {
        "map50": _known(values["map_50"]),
        "map75": _known(values["map_75"]),
        "ar100": _known(values["mar_100"]),
        "per_class": by_class,
        "per_class_examples": dict(zip((str(one) for one in class_ids), boxes, strict=True)),
    }
    return _known(values["map"]), more


def _known(value: torch.Tensor) -> float | None:
    """None for the -1 that says that there is nothing to be found."""
    return float(value) if value >= 0 else None


def _found(
    detections: Float32Array, targets: BoxTargets, row: int, frame: Frame
) -> dict[str, torch.Tensor]:
    real = detections[detections[:, SCORE] > 0]
    sizes = np.repeat(targets.sizes[row][None], len(real), axis=0)
    corners = out_of_square(real[:, :4].astype(np.float64), frame.windows(sizes))
    corners = within_images(corners, sizes)
    return {
        "boxes": torch.from_numpy(corners.astype(np.float32)),
        "scores": torch.from_numpy(real[:, SCORE].copy()),
        "labels": torch.from_numpy(real[:, CLASS].astype(np.int64)),
    }


def _there(targets: BoxTargets, row: int) -> dict[str, torch.Tensor]:
    one = targets.take(np.array([row]))
    # All boxes are of one image.
    corners = within_images(one.corners, np.repeat(one.sizes, len(one.corners), axis=0))
    return {
        "boxes": torch.from_numpy(corners.astype(np.float32)),
        "labels": torch.from_numpy(one.classes),
        "iscrowd": torch.from_numpy((one.crowd | one.difficult).astype(np.int64)),
    }
