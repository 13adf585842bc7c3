"""A detector as a file of `torch.export`: the packaged network, pyramid and head, and no Karat.

``python -m models.tasks.boxes.export model.safetensors detector.pt2``
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from models.catalog import find
from models.catalog.resolve import resolve
from models.files.atomic import write_atomically
from models.media.images.networks.nets import Network
from models.tasks.boxes.maps import NETWORK, packaged, taken
from models.tasks.boxes.model import restored
from models.tasks.boxes.network import (
    CANDIDATES,
    LEAST_SCORE,
    MOST_DETECTIONS,
    OVERLAP,
    CachedMaps,
    Detector,
    places_of,
)


class Exported(nn.Module):
    """From what models see of an image to its boxes, in pixels of that square."""

    def __init__(self, detector: Detector, network: Network | None, image_size: int) -> None:
        """Take a detector in evaluation mode, and what makes its maps if it has none of its own."""
        super().__init__()
        self.detector, self.network, self.image_size = detector, network, image_size

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Find boxes in a (3, S, S) uint8 image.

        Returns:
            (n, 4) corners, (n,) scores in 0..1 and (n,) int64 classes, surest first.
        """
        examples = image[None]
        if self.network is not None:
            pixels = self.network.prepared(examples.float() / 255)
            pooled, maps = taken(self.network.backbone, pixels)
            # As precise as the rows of the pool that the detector was trained on.
            parts = [pooled.clamp(min=0).sqrt(), *(one.flatten(1) for one in maps)]
            examples = torch.cat(parts, dim=1).half()
        said, levels, _ = self.detector.outputs(examples)
        anchors = self.detector.anchors(levels)[0]
        scores = torch.sqrt(said["cls_logits"][0].sigmoid() * said["bbox_ctrness"][0].sigmoid())
        boxes = self.detector.box_coder.decode(said["bbox_regression"][0], anchors)
        side = self.detector.maps.side
        boxes = boxes.clamp(min=0.0, max=float(side))
        # So many of each level, whatever there is, so that sizes are known beforehand.
        classes, start, places = scores.shape[1], 0, []
        for count in places_of(levels):
            of_level = scores[start : start + count].flatten()
            places.append(of_level.topk(min(CANDIDATES, len(of_level)))[1] + start * classes)
            start += count
        place = torch.cat(places)
        sure, found, label = scores.flatten()[place], boxes[place // classes], place % classes
        # Boxes of different classes lie apart, and do not suppress each other.
        apart = found.double() + (label * (2 * side))[:, None]
        kept = torch.ops.torchvision.nms(apart, sure.double(), OVERLAP)
        kept = kept[sure[kept] > LEAST_SCORE][:MOST_DETECTIONS]
        return found[kept] * (self.image_size / side), sure[kept], label[kept]


def exported(checkpoint: Path) -> tuple[Exported, int]:
    """Read what a round has kept of its detector, and the side of the images that it takes.

    Raises:
        ModelError: the file holds no detector, or the packaged network is not installed.
    """
    detector, _, _, frame = restored(checkpoint)
    network = None
    if isinstance(detector.maps, CachedMaps):
        made: Any = resolve(find("model", NETWORK))
        network = made(packaged(detector.maps.side), classes=1, image_size=frame.side).eval()
    return Exported(detector.cpu(), network, frame.side).eval().requires_grad_(False), frame.side


def export(checkpoint: Path, out: Path) -> None:
    """Write a round's detector as an exported program, atomically.

    Args:
        checkpoint: the safetensors file of the round.
        out: where to; its name ends with .pt2.

    Raises:
        ModelError: see `exported`.
    """
    module, image_size = exported(checkpoint)
    example = torch.zeros((3, image_size, image_size), dtype=torch.uint8)

    def write(partial: Path) -> None:
        # By an open file: of names the library wants the ending.
        with partial.open("wb") as file, torch.no_grad(), warnings.catch_warnings():
            # Of torchvision's operation, and of tensors that share memory, all on the CPU here.
            warnings.simplefilter("ignore")
            torch.export.save(torch.export.export(module, (example,)), file)

    write_atomically(out, write)


def main(arguments: list[str]) -> None:
    """Read two paths from the command line."""
    if len(arguments) != 2:
        sys.exit("usage: python -m models.tasks.boxes.export CHECKPOINT.safetensors DETECTOR.pt2")
    export(Path(arguments[0]), Path(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
