"""A trained detector over the images of a pool."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.catalog import parse
from models.catalog.params.detection import DetectorParams, FcosParams
from models.device import autocast, place
from models.errors import ModelError
from models.files import tensorfile
from models.frame import Frame
from models.media.base import Store
from models.media.images.store import frame_learned, images_of, require_frame
from models.protocols import Float32Array, Indices, Outputs, Progress
from models.tasks.boxes.network import MOST_DETECTIONS, Detector, build
from models.tasks.boxes.sides import POOLED, side_of

FORMAT = "karat-detector"
_BLOCK = 32


class DetectorModel:
    """A detector, and where what it looks at is: cached maps or pixels."""

    def __init__(
        self,
        detector: Detector,
        store: Store,
        name: str,
        params: Mapping[str, Any],
        rows: NDArray[Any] | None,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Take a detector in evaluation mode.

        Args:
            detector: on its device.
            store: the pool.
            name: of the catalog.
            params: its parameters.
            rows: (N, D) of the pool, as `FcosMaps` makes them; None where pixels are looked at.
            notes: what was decided in training.
        """
        self.detector, self.store, self.name, self.params = detector, store, name, params
        self.rows, self.notes = rows, notes
        self.classes = detector.classes
        # Of the rows of the pool those columns that other algorithms look at.
        self.columns = (0, POOLED) if rows is not None else None

    def infer(self, indices: Indices, *, progress: Progress | None = None) -> Outputs:
        """Look at rows of the store: image-level logits, pooled features and detections."""
        count = len(indices)
        logits = np.empty((count, self.classes), dtype=np.float32)
        embeddings = np.empty((count, self.detector.dimension), dtype=np.float32)
        detections = np.zeros((count, MOST_DETECTIONS, 6), dtype=np.float32)
        precision = self.params["precision"]
        device = next(self.detector.parameters()).device
        for start in range(0, count, _BLOCK):
            if progress is not None:
                progress(start, count)
            block = slice(start, start + _BLOCK)
            seen = looked_at(self.store, self.rows, np.asarray(indices[block])).to(device)
            with torch.inference_mode(), autocast(precision, device, self.detector):
                found, said, pooled = self.detector.detect(seen)
            logits[block], embeddings[block] = said.cpu().numpy(), pooled.cpu().numpy()
            for place_, one in enumerate(found, start):
                detections[place_, : len(one["scores"])] = self._row(one)
        if progress is not None:
            progress(count, count)
        return Outputs(logits, embeddings, detections=detections, frame=images_of(self.store).frame)

    def _row(self, found: Mapping[str, Tensor]) -> Float32Array:
        """(b, 6): corners as shares of the square, score, class."""
        parts = [
            found["boxes"] / self.detector.maps.side,
            found["scores"][:, None],
            found["labels"][:, None].float(),
        ]
        row: Float32Array = torch.cat(parts, dim=1).cpu().numpy()
        return row

    def linear_head(self) -> None:
        """Return None: no linear layer leads from the features of an image to its logits."""

    def perturbed_logits(
        self,
        indices: Indices,  # noqa: ARG002
        *,
        temperature: float,  # noqa: ARG002
        epsilon: float,  # noqa: ARG002
    ) -> Float32Array:
        """Refuse: boxes have no one class to move towards."""
        raise ModelError("A detector has no class to move towards; choose another purity.")

    def pixels(self, indices: Indices) -> NDArray[np.uint8]:
        """Return rows of the store: (n, S, S, 3) uint8."""
        return images_of(self.store)[indices]

    def save(self, path: Path) -> None:
        """Write weights, name, params and classes to one safetensors file, atomically."""
        frame = images_of(self.store).frame
        facts = {"image_size": frame.side, "fit": frame.fit}
        described = tensorfile.describe(
            self.name, self.params, format=FORMAT, classes=self.classes, **facts
        )
        tensorfile.write(path, self.detector.state_dict(), described)


def looked_at(store: Store, rows: NDArray[Any] | None, indices: Indices) -> Tensor:
    """Return what a detector takes of (n,) rows of a pool, on the CPU."""
    if rows is not None:
        return torch.from_numpy(np.array(rows[indices]))
    return torch.from_numpy(images_of(store)[indices]).permute(0, 3, 1, 2)


def blank(
    name: str, params: DetectorParams, *, classes: int, image_size: int, seed: int
) -> Detector:
    """Build an untrained detector, on the best device, with weights drawn from a seed."""
    side = side_of(params, image_size) if isinstance(params, FcosParams) else 0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return place(build(name, params, classes=classes, image_size=image_size, side=side))


def load(path: Path, store: Store, rows: NDArray[Any] | None) -> DetectorModel:
    """Read what `DetectorModel.save` wrote.

    Args:
        path: the safetensors file.
        store: the pool, of images as it was trained on them.
        rows: (N, D) of the pool, where it looks at cached maps.

    Raises:
        ModelError: no detector, another image size or fit, or rows missing.
    """
    detector, name, params, frame = restored(path)
    require_frame(images_of(store), frame)
    return DetectorModel(detector, store, name, params, rows_for(name, rows))


def restored(path: Path) -> tuple[Detector, str, dict[str, Any], Frame]:
    """Read a detector in evaluation mode, its name, its parameters, and how it saw images.

    Raises:
        ModelError: the file holds none.
    """
    tensors, metadata = tensorfile.read(path)
    if metadata.get("format") != FORMAT:
        raise ModelError(f"{path} is not a saved detector.")
    name, params = metadata["name"], json.loads(metadata["params"])
    frame = frame_learned(metadata)
    detector = blank(
        name,
        parse("model", name, params),
        classes=int(metadata["classes"]),
        image_size=frame.side,
        seed=0,
    )
    detector.load_state_dict(tensors)
    return detector.eval(), name, params, frame


def rows_for(name: str, rows: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return the rows that a detector looks at, None where it looks at pixels.

    Raises:
        ModelError: it needs rows, and there are none.
    """
    if name != "fcos":
        return None
    if rows is None:
        raise ModelError("The model fcos looks at cached maps; run embed_pool first.")
    return rows
