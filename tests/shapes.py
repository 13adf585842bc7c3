"""Pictures of coloured shapes on noise, and where they are."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.media.images.store import PixelStore

SQUARE, DISC = 0, 1
_COLOURS = np.array([(220, 40, 40), (40, 60, 220)])


@dataclass(frozen=True)
class Scene:
    """An image and its boxes.

    Attributes:
        pixels: (H, W, 3) uint8.
        boxes: (class, left, top, width, height) of each shape, in pixels.
    """

    pixels: NDArray[np.uint8]
    boxes: list[tuple[int, int, int, int, int]]

    def label(self, class_ids: tuple[int, int] = (1, 2)) -> dict[str, Any]:
        """The boxes as a label of the project's classes."""
        boxes = [
            {"class_id": class_ids[kind], "x": x, "y": y, "w": w, "h": h}
            for kind, x, y, w, h in self.boxes
        ]
        return {"type": "boxes", "boxes": boxes}


def scene(seed: int, *, side: int = 64, shapes: int | None = None) -> Scene:
    """A picture of some shapes; ``shapes = 0`` has stripes in their place, which are no class."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(90, 150, (side, side, 3))
    count = int(rng.integers(1, 4)) if shapes is None else shapes
    if count == 0:
        stripes = (np.indices((side, side)).sum(axis=0) // 4) % 2 == 0
        pixels[stripes] = (40, 180, 40)
    boxes: list[tuple[int, int, int, int, int]] = []
    for _ in range(50):
        if len(boxes) == count:
            break
        kind = int(rng.integers(2))
        size = int(rng.integers(side // 5, side // 2))
        x, y = rng.integers(0, side - size, 2).tolist()
        if any(
            x < a + c and a < x + size and y < b + d and b < y + size for _, a, b, c, d in boxes
        ):
            continue
        inside = np.ones((size, size), dtype=bool)
        if kind == DISC:
            place = (np.indices((size, size)) + 0.5) / size - 0.5
            inside = np.square(place).sum(axis=0) <= 0.25
        pixels[y : y + size, x : x + size][inside] = _COLOURS[kind] + rng.integers(-20, 21, 3)
        boxes.append((kind, x, y, size, size))
    return Scene(pixels.astype(np.uint8), boxes)


def stored(scenes: list[Scene], path: Path) -> PixelStore:
    """A store of square scenes of one size."""
    side = scenes[0].pixels.shape[0]
    with PixelStore.writer(path, side) as writer:
        writer.write(0, np.stack([one.pixels for one in scenes]))
    return PixelStore.open(path, side, len(scenes))


def detections_of(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, 5, 6) detections of something, one for each of the logits and none at the last place."""
    count, classes = logits.shape
    found = np.zeros((count, 5, 6), dtype=np.float32)
    for kind in range(min(4, classes)):
        found[:, kind, :4] = (0.1 * kind, 0.1, 0.1 * kind + 0.3, 0.5)
        found[:, kind, 4] = 1 / (1 + np.exp(-np.clip(logits[:, kind], -20, 20)))
        found[:, kind, 5] = kind
    return found
