"""Detections as boxes that annotators are shown first. Torch-free."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from models.detection.fit import to_image
from models.detection.matching import CLASS, SCORE
from models.protocols import Float32Array

_DECIMALS: Final = 2
_LEAST_SIDE: Final = 0.5


def proposals(
    detections: Float32Array, width: int, height: int, class_ids: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the detections of an image in pixels of the upright image, surest first.

    Args:
        detections: (K, 6) float32 as in `Outputs.detections`.
        width: of the upright image, in pixels.
        height: likewise.
        class_ids: of the C classes.
    """
    real = detections[detections[:, SCORE] > 0]
    real = real[np.argsort(-real[:, SCORE], kind="stable")]
    sizes = np.tile(np.array([[width, height]], dtype=np.int64), (len(real), 1))
    corners = np.clip(
        to_image(real[:, :4].astype(np.float64), sizes), 0, [width, height, width, height]
    )
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
