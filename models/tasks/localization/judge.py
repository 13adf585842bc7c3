"""What networks that localize are judged by, on images that they have not seen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from models.catalog.params.localize import LocalizeParams
from models.media.images.store import PixelStore
from models.media.images.training.batches import resident, scaled
from models.protocols import Indices, Progress
from models.tasks.localization.boxes import THRESHOLDS, Boxes, iou, localized, mean_box
from models.tasks.localization.map_box import Map, box_of_map, enlarged_map, silenced
from models.tasks.localization.networks import Localizer

OVERLAPS: Final = tuple(round(0.05 * number, 2) for number in range(1, 20))
"""Over which the curve of found shares is drawn."""

_Box = tuple[float, ...]

WHOLE: Final = (0.0, 0.0, 1.0, 1.0)

_BLOCK: Final = 128
# Points a side at which boxes are read off maps of some 8 x 8 places.
_FINEST: Final = 64


@dataclass(frozen=True)
class Found:
    """What a network says of T images.

    Attributes:
        boxes: (T, 4) float64 in fractions of the side.
        maps: (T, h, w) float32; None of a network that regresses.
        predicted: (T,) int64 in 0..C-1; None likewise.
        constant: how many maps have nothing that stands out, where the box is the whole image.
    """

    boxes: Boxes
    maps: Map | None = None
    predicted: Indices | None = None
    constant: int = 0


@torch.inference_mode()
def look(
    network: Localizer,
    store: PixelStore,
    indices: Indices,
    classes: Indices,
    params: LocalizeParams,
    *,
    progress: Progress | None = None,
) -> Found:
    """Say where things are on (T,) images.

    Args:
        network: in evaluation mode.
        store: the pool.
        indices: (T,) rows of it.
        classes: (T,) int64 in 0..C-1, the true ones, as GT-known Loc wants.
        params: of the job.
        progress: counts images; may raise `Cancelled`.
    """
    answers: list[tuple[Boxes, Map | None, Indices | None]] = []
    for start in range(0, len(indices), _BLOCK):
        if progress is not None:
            progress(start, len(indices))
        block = slice(start, start + _BLOCK)
        pixels = store[indices[block]]
        images = scaled(resident(pixels, network.mean.device))
        activations = network.map(images).float()
        outputs = network.outputs(network.features(activations))
        if network.kind == "regression":
            answers.append((outputs.cpu().numpy().astype(np.float64), None, None))
            continue
        weights = None if params.map == "sum" else network.head.weight[classes[block]]
        maps = silenced(class_maps(activations, weights).cpu().numpy(), pixels)
        answers.append((np.empty((0, 4)), maps, outputs.argmax(dim=1).cpu().numpy()))
    if network.kind == "regression":
        return Found(np.concatenate([boxes for boxes, _, _ in answers]))
    maps = np.concatenate([one for _, one, _ in answers if one is not None])
    boxes, constant = boxes_of_maps(maps, store.size, params.threshold)
    predicted = np.concatenate([one for _, _, one in answers if one is not None])
    return Found(boxes, maps, predicted, constant)


def class_maps(activations: torch.Tensor, weights: torch.Tensor | None) -> torch.Tensor:
    """Return (B, h, w) class activation maps: the channels, weighed and added up.

    Args:
        activations: (B, D, h, w) of the last convolution.
        weights: (B, D), those of the class that each image is looked at for; None = all alike,
            which the thesis describes and its authors' code does.
    """
    if weights is None:
        return activations.sum(dim=1)
    return torch.einsum("bdhw,bd->bhw", activations, weights)


def boxes_of_maps(maps: Map, size: int, threshold: float) -> tuple[Boxes, int]:
    """Return the box of each of (T, h, w) maps, in fractions, and how many stand for no answer."""
    found = [_boxes_of_map(one, size, (threshold,))[0] for one in maps]
    constant = sum(one is None for one in found)
    rows = [WHOLE if one is None else one for one in found]
    return np.array(rows, dtype=np.float64).reshape(-1, 4), constant


def _boxes_of_map(activations: Map, size: int, thresholds: Iterable[float]) -> list[_Box | None]:
    side = min(size, _FINEST)
    heat = enlarged_map(activations, side)
    boxes = (box_of_map(heat, one) for one in thresholds)
    return [box and tuple(value / side for value in box) for box in boxes]


def _shares(
    maps: Map, truth: Boxes, overlap: float, size: int, progress: Progress | None
) -> list[float]:
    """Return the share of (T, h, w) maps whose box is right, at each of `THRESHOLDS`."""
    right = np.zeros(len(THRESHOLDS))
    for number, one in enumerate(maps):
        if progress is not None and number % _BLOCK == 0:
            progress(number, len(maps))
        boxes = np.array([box or WHOLE for box in _boxes_of_map(one, size, THRESHOLDS)])
        right += iou(boxes, np.tile(truth[number], (len(boxes), 1))) >= overlap
    shares: list[float] = (right / len(maps)).tolist()
    return shares


def figures(
    found: Found,
    truth: Boxes,
    classes: Indices,
    params: LocalizeParams,
    size: int,
    *,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Judge what `look` has said of T >= 1 images.

    Returns:
        JSON-ready: `iou`, the mean over all images; `localized`, the share found at
        `params.overlap` (of a map: GT-known Loc at the fixed threshold); `overlaps`, that share at
        each of `OVERLAPS`; and of maps `accuracy`, `thresholds` (the share found at each of
        `THRESHOLDS`), `max_box_acc` and `best_threshold`, the best of them, chosen on the images
        that judge, and `constant`.
    """
    result = _of_boxes(found.boxes, truth, params.overlap)
    if found.maps is None or found.predicted is None:
        return result
    shares = _shares(found.maps, truth, params.overlap, size, progress)
    return result | {
        "accuracy": float((found.predicted == classes).mean()),
        "thresholds": shares,
        "max_box_acc": max(shares),
        "best_threshold": THRESHOLDS[int(np.argmax(shares))],
        "constant": found.constant,
    }


def floors(learned: Boxes, truth: Boxes, params: LocalizeParams) -> dict[str, dict[str, Any]]:
    """Judge what needs no look at an image: the mean box of the training images, and all of it."""
    guesses = {"mean_box": mean_box(learned), "whole_image": np.array(WHOLE)}
    return {
        name: _of_boxes(np.tile(box, (len(truth), 1)), truth, params.overlap)
        for name, box in guesses.items()
    }


def _of_boxes(boxes: Boxes, truth: Boxes, overlap: float) -> dict[str, Any]:
    return {
        "iou": float(iou(boxes, truth).mean()),
        "localized": localized(boxes, truth, overlap),
        "overlaps": [localized(boxes, truth, one) for one in OVERLAPS],
    }
