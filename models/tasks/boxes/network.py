"""Detectors: torchvision's FCOS on maps that are cached, or on those of a small network of its own.

Source: Z. Tian et al., "FCOS: A Simple and Strong Anchor-Free Object Detector", TPAMI 2022.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.fcos import FCOS, FCOSHead
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import FeaturePyramidNetwork

from models.catalog.params.detection import DetectorParams
from models.tasks.boxes.sides import LEVELS, POOLED, shapes

MOST_DETECTIONS: Final = 100
LEAST_SCORE: Final = 0.05
CANDIDATES: Final = 300
"""So many of each level of the pyramid compete."""
OVERLAP: Final = 0.6
_GROUPS: Final = 16
_TRUNK: Final = (32, 64, 96, 128)


class CachedMaps(nn.Module):
    """From rows of the file of maps to maps; nothing to learn."""

    strides = tuple(stride for stride, _ in LEVELS)
    channels = tuple(channels for _, channels in LEVELS)
    pooled = POOLED

    def __init__(self, side: int) -> None:
        """Take the side of what the maps are of, in pixels."""
        super().__init__()
        self.side = side

    def forward(self, rows: Tensor) -> tuple[list[Tensor], Tensor]:
        """Split (B, D) float16 rows into maps [(B, C, h, w), …] and pooled features (B, 1280)."""
        maps, start = [], POOLED
        for channels, height, width in shapes(self.side):
            stop = start + channels * height * width
            maps.append(rows[:, start:stop].float().reshape(-1, channels, height, width))
            start = stop
        return maps, rows[:, :POOLED].float()


class OwnMaps(nn.Module):
    """A small network on pixels, learned with the rest."""

    strides = (4, 8, 16)
    channels = _TRUNK[1:]
    pooled = 2 * _TRUNK[-1]

    def __init__(self, image_size: int) -> None:
        """Take the side of the images, which are enlarged to a multiple of 16."""
        super().__init__()
        self.side = -(-image_size // self.strides[-1]) * self.strides[-1]
        stages, before = [], 3
        for width in _TRUNK:
            stages.append(nn.Sequential(*_layer(before, width, 2), *_layer(width, width, 1)))
            before = width
        self.stages = nn.ModuleList(stages)

    def forward(self, images: Tensor) -> tuple[list[Tensor], Tensor]:
        """Map (B, 3, S, S) uint8 pixels to maps and pooled features (B, 256)."""
        x = images.float() / 127.5 - 1
        if x.shape[-1] != self.side:
            x = functional.interpolate(x, (self.side, self.side), mode="bilinear")
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        pooled = torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)
        return maps[1:], pooled


def _layer(before: int, width: int, stride: int) -> list[nn.Module]:
    convolution = nn.Conv2d(before, width, 3, stride=stride, padding=1, bias=False)
    return [convolution, nn.GroupNorm(_GROUPS, width), nn.ReLU(inplace=True)]


class _Head(FCOSHead):  # type: ignore[misc]
    """FCOS's head, which learns nothing in crowds, and remembers what its loss was divided by."""

    places = 0

    def compute_loss(
        self,
        targets: list[dict[str, Tensor]],
        head_outputs: dict[str, Tensor],
        anchors: list[Tensor],
        matched_idxs: list[Tensor],
    ) -> dict[str, Tensor]:
        self.places = sum(int((matched >= 0).sum()) for matched in matched_idxs)
        if any(len(one["crowds"]) for one in targets):
            logits = head_outputs["cls_logits"]
            of_each = zip(targets, anchors, matched_idxs, strict=True)
            unsaid = torch.stack([_unsaid(*one, logits.shape[2]) for one in of_each])
            # Where nothing is to be found, so low a logit costs nothing, and has no gradient.
            head_outputs = {**head_outputs, "cls_logits": logits.masked_fill(unsaid, -100.0)}
        losses: dict[str, Tensor] = super().compute_loss(
            targets, head_outputs, anchors, matched_idxs
        )
        return losses


def _unsaid(target: dict[str, Tensor], anchors: Tensor, matched: Tensor, classes: int) -> Tensor:
    """(A, C) places in crowds and of no box, of which nobody says whether a class is there."""
    centres = (anchors[:, None, :2] + anchors[:, None, 2:]) / 2
    crowds = target["crowds"]
    inside = ((centres > crowds[:, :2]) & (centres < crowds[:, 2:])).all(dim=2)
    of_class = functional.one_hot(target["crowd_labels"], classes)
    return (inside.float() @ of_class.float() > 0) & (matched < 0)[:, None]


class Detector(FCOS):  # type: ignore[misc]
    """FCOS behind maps: its pyramid, its head, its loss, its suppression of doubles."""

    def __init__(self, maps: CachedMaps | OwnMaps, classes: int, params: DetectorParams) -> None:
        """Put a pyramid and a head on maps."""
        pyramid = FeaturePyramidNetwork(list(maps.channels), params.width)
        pyramid.out_channels = params.width
        super().__init__(
            pyramid,
            num_classes=classes,
            anchor_generator=AnchorGenerator(
                tuple((stride,) for stride in maps.strides), ((1.0,),) * len(maps.strides)
            ),
            head=_Head(params.width, 1, classes, params.convolutions),
            score_thresh=LEAST_SCORE,
            nms_thresh=OVERLAP,
            detections_per_img=MOST_DETECTIONS,
            topk_candidates=CANDIDATES,
        )
        self.maps, self.classes = maps, classes

    @property
    def dimension(self) -> int:
        """How long pooled features are."""
        return self.maps.pooled

    @property
    def places(self) -> int:
        """How many places were to tell of a box in the batch that the last loss is of."""
        head: _Head = self.head
        return head.places

    def outputs(self, examples: Tensor) -> tuple[dict[str, Tensor], list[Tensor], Tensor]:
        """Return what the head says of B examples, the levels of the pyramid, pooled features."""
        maps, pooled = self.maps(examples)
        named = OrderedDict((str(level), one) for level, one in enumerate(maps))
        levels = list(self.backbone(named).values())
        return self.head(levels), levels, pooled

    def loss(self, examples: Tensor, targets: list[dict[str, Tensor]]) -> Tensor:
        """Return the sum of FCOS's three losses over a batch.

        Args:
            examples: rows of the file of maps, or pixels.
            targets: of each its `boxes`, (b, 4) corners in pixels of `maps.side`, and `labels`;
                and of crowds `crowds` and `crowd_labels`.
        """
        said, levels, _ = self.outputs(examples)
        anchors = self.anchors(levels)
        said = {name: one.float() for name, one in said.items()}
        found = self.compute_loss(targets, said, anchors, places_of(levels))
        loss: Tensor = sum(found.values(), torch.zeros((), device=examples.device))
        return loss

    def detect(self, examples: Tensor) -> tuple[list[dict[str, Tensor]], Tensor, Tensor]:
        """Find boxes.

        Returns:
            Of each example its `boxes`, (b, 4) corners in pixels of `maps.side`, `scores` in 0..1
            and `labels`, surest first; (B, C) float32 logits of the largest score of each class
            anywhere in it; (B, D) pooled features.
        """
        said, levels, pooled = self.outputs(examples)
        said = {name: one.float() for name, one in said.items()}
        sizes, count = places_of(levels), len(examples)
        anchors = [list(torch.split(one, sizes)) for one in self.anchors(levels)]
        split = {name: list(torch.split(one, sizes, dim=1)) for name, one in said.items()}
        side = self.maps.side
        found: list[dict[str, Tensor]] = self.postprocess_detections(
            split, anchors, [(side, side)] * count
        )
        return found, image_logits(said), pooled.float()

    def anchors(self, levels: Sequence[Tensor]) -> list[Tensor]:
        """Return of each example the (A, 4) squares that boxes are told by, in pixels."""
        side, count = self.maps.side, len(levels[0])
        empty = torch.empty((count, 3, side, side), device="meta")
        found: list[Tensor] = self.anchor_generator(
            ImageList(empty, [(side, side)] * count), list(levels)
        )
        return found


def image_logits(said: dict[str, Tensor]) -> Tensor:
    """Return (B, C) logits of the largest score of each class at any place of an image."""
    scores = torch.sqrt(said["cls_logits"].sigmoid() * said["bbox_ctrness"].sigmoid())
    return torch.logit(scores.amax(dim=1), eps=1e-6)


def places_of(levels: Sequence[Tensor]) -> list[int]:
    """Return how many places each level of the pyramid has."""
    return [one.shape[2] * one.shape[3] for one in levels]


def build(
    name: str, params: DetectorParams, *, classes: int, image_size: int, side: int
) -> Detector:
    """Build an untrained detector.

    Args:
        name: "fcos" or "fcos_scratch".
        params: its parameters.
        classes: C.
        image_size: side of the pool's images.
        side: of what cached maps are of.
    """
    maps: Any = CachedMaps(side) if name == "fcos" else OwnMaps(image_size)
    return Detector(maps, classes, params)
