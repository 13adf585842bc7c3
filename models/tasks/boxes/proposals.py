"""Detections as boxes that annotators are shown first. Torch-free."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from models.frame import Frame, out_of_square, within_images
from models.protocols import Float32Array
from models.tasks.boxes.matching import CLASS, SCORE

_DECIMALS: Final = 2
_LEAST_SIDE: Final = 0.5
_WITHIN: Final = 0.85
"""A box of which so much lies in a surer one of its class, or the other way round, is that one."""


def proposals(
    detections: Float32Array, width: int, height: int, class_ids: Sequence[int], frame: Frame
) -> list[dict[str, Any]]:
    """Return the detections of an image in pixels of the upright image, surest first.

    Without those that lie in a surer one of their class, or around it: what suppression by
    intersection over union leaves, since the areas differ, and annotators have to reject.

    Args:
        detections: (K, 6) float32 as in `Outputs.detections`.
        width: of the upright image, in pixels.
        height: likewise.
        class_ids: of the C classes.
        frame: the square that detections are shares of.
    """
    real = detections[detections[:, SCORE] > 0]
    real = apart(real[np.argsort(-real[:, SCORE], kind="stable")])
    sizes = np.tile(np.array([[width, height]], dtype=np.int64), (len(real), 1))
    corners = out_of_square(real[:, :4].astype(np.float64), frame.windows(sizes))
    corners = within_images(corners, sizes)
    found = []
    for (left, top, right, bottom), row in zip(corners.tolist(), real.tolist(), strict=True):
        if min(right - left, bottom - top) < _LEAST_SIDE:
            continue
        found.append(
            {
                "class_id": class_ids[int(row[CLASS])],
                "x": round(left, _DECIMALS),
                "y": round(top, _DECIMALS),
                "w": round(right - left, _DECIMALS),
                "h": round(bottom - top, _DECIMALS),
                "score": min(1.0, float(f"{row[SCORE]:.4g}")),
            }
        )
    return found


def apart(detections: Float32Array) -> Float32Array:
    """Leave out what is nested with a surer detection of its class.

    Args:
        detections: (n, 6) float32 as in `Outputs.detections`, surest first.
    """
    corners = detections[:, :4].astype(np.float64)
    low = np.maximum(corners[:, None, :2], corners[None, :, :2])
    high = np.minimum(corners[:, None, 2:], corners[None, :, 2:])
    both = np.prod(np.maximum(high - low, 0), axis=2)
    area = np.prod(corners[:, 2:] - corners[:, :2], axis=1)
    nested = both >= _WITHIN * np.minimum(area[:, None], area[None])
    nested &= detections[:, None, CLASS] == detections[None, :, CLASS]
    kept = np.ones(len(detections), dtype=np.bool_)
    for place in range(len(detections)):
        # What was left out leaves nothing out.
        kept[place] = not (nested[place, :place] & kept[:place]).any()
    return detections[kept]
