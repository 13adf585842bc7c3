"""Where on an image a classifier of the catalog looks: class activation maps of saved models.

Source: B. Zhou et al., "Learning Deep Features for Discriminative Localization", CVPR 2016.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models import tensorfile
from models.catalog import find, parse
from models.device import place
from models.errors import ModelError
from models.features.auto import AutoFeatures
from models.features.embed import NetworkExtractor, restore_extractor, uses_embeddings
from models.heads.head import LogisticHead
from models.localization.judge import boxes_of_maps, class_maps
from models.localization.map_box import Map
from models.localization.squares import out_of_square
from models.media.image import Pixels
from models.networks.build import restore_network
from models.networks.nets import Network
from models.params.localize import THRESHOLD
from models.protocols import Indices
from models.training.train import images_at_once, resident, scaled

_TOLERANCE: Final = 1e-3


@dataclass(frozen=True)
class Look:
    """What a classifier says of n images, and where it sees that.

    Attributes:
        probabilities: (n, C) float32.
        maps: (n, h, w) float32; the mean of a map is the logit of its class but for a constant.
    """

    probabilities: NDArray[np.float32]
    maps: Map


@dataclass(frozen=True)
class CamBox:
    """A box that was read off a map, in pixels of the upright picture.

    Attributes:
        output: class, 0..C-1.
        x: left edge, 0 the left edge of the first pixel.
        y: upper edge.
        w: width > 0.
        h: height > 0.
        score: probability of the class, in (0, 1].
    """

    output: int
    x: float
    y: float
    w: float
    h: float
    score: float


class Looker:
    """A network whose last map is averaged, and linear weights of what comes out."""

    def __init__(
        self, network: Network, weight: Tensor, bias: Tensor, size: int, *, rooted: bool = False
    ) -> None:
        """Take a classifier.

        Args:
            network: what embeds.
            weight: (D, C) of its embeddings.
            bias: (C,).
            size: side of its images, in pixels.
            rooted: whether `weight` is of the square roots of the embeddings.

        Raises:
            ModelError: the network does not average a map, as one does that attends to everything.
        """
        self.network, self._rooted = place(network).eval(), rooted
        device = network.mean.device
        self._weight, self.bias = weight.float().to(device), bias.float().to(device)
        self._module = self._averaged(size)

    @classmethod
    def load(cls, path: Path, size: int, embeddings: Path | None = None) -> Self:
        """Read what a round has trained.

        Args:
            path: what `TargetModel.save` wrote.
            size: side of the pool's images, in pixels.
            embeddings: of the pool, beside which is what made them; needed in frozen mode.

        Raises:
            ModelError: it tells classes by features that have no place on the image.
        """
        tensors, metadata = tensorfile.read(path)
        if metadata.get("format") != "karat-target":
            raise ModelError(f"{path.name} is not a saved classifier.")
        name, params = metadata["name"], json.loads(metadata["params"])
        if not uses_embeddings(name, params):
            network = restore_network(
                name,
                parse("model", name, params),
                classes=int(metadata["classes"]),
                image_size=size,
                state=tensors,
            )
            linear, classes = network.head, network.classes
            weight, bias = linear.weight[:classes].detach().T, linear.bias[:classes].detach()
            return cls(network, weight, bias, size)
        if embeddings is None:
            raise ModelError(f"The model {name} is frozen and needs what embeds its pool.")
        extractor, factor = restore_extractor(embeddings, size), 1.0
        columns = json.loads(metadata["columns"]) if "columns" in metadata else None
        head = LogisticHead.from_tensors(tensors)
        rows = slice(None)
        if isinstance(extractor, AutoFeatures):
            network_part, split = extractor.network, extractor.split
            if network_part is None or (columns is not None and columns[0] >= split):
                raise _without_map("Its features are those of the pool (patch_kmeans), which are")
            extractor, factor = network_part
            rows = slice(0, split)
        if not isinstance(extractor, NetworkExtractor):
            raise _without_map(f"The features of {find('model', name).title} are")
        scaled_weight = head.weight[rows] * np.float32(head.scaling.scale)
        shift = head.bias - head.scaling.mean[rows] @ scaled_weight
        return cls(
            extractor.network,
            torch.from_numpy(scaled_weight * np.float32(factor)),
            # Of a class without an example nothing is known, and nothing shown.
            torch.from_numpy(np.where(head.counts > 0, shift, np.float32(-np.inf))),
            size,
            rooted=extractor.rooted,
        )

    @torch.inference_mode()
    def look(self, pixels: Pixels, classes: Indices | None = None) -> Look:
        """Say what is on (n, S, S, 3) uint8 images, and where.

        Args:
            pixels: the images.
            classes: (n,) outputs to show the places of; default: the most probable.
        """
        probabilities, maps = [], []
        rows = images_at_once(self.network, pixels.shape[1])
        for start in range(0, len(pixels), rows):
            block = slice(start, start + rows)
            activations, embeddings = self._activations(pixels[block])
            if self._rooted:
                # So that the mean of each channel is the root that the weight is for.
                root = embeddings.clamp(min=0).sqrt()
                activations = activations / root.clamp(min=1e-6)[:, :, None, None]
                embeddings = root
            logits = embeddings @ self._weight + self.bias
            shown = logits.argmax(dim=1)
            if classes is not None:
                shown = torch.from_numpy(classes[block]).to(logits.device)
            maps.append(class_maps(activations, self._weight.T[shown]).cpu().numpy())
            probabilities.append(logits.softmax(dim=1).cpu().numpy())
        return Look(np.concatenate(probabilities), np.concatenate(maps))

    def _activations(self, pixels: Pixels) -> tuple[Tensor, Tensor]:
        """Return (n, D, h, w) activations, and (n, D) their means."""
        kept: list[Tensor] = []
        hook = self._module.register_forward_hook(lambda _, __, out: kept.append(out))
        try:
            self.network.embed(scaled(resident(pixels, self.network.mean.device)))
        finally:
            hook.remove()
        activations = kept[-1].float()
        return activations, activations.mean(dim=(2, 3))

    @torch.inference_mode()
    def _averaged(self, size: int) -> nn.Module:
        """Find the last module whose output, averaged over places, is the embedding."""
        network, found, single = self.network, list[nn.Module](), list[nn.Module]()
        outputs: list[tuple[nn.Module, Tensor]] = []

        def keep(module: nn.Module, _: object, out: object) -> None:
            if isinstance(out, Tensor) and out.ndim == 4 and out.shape[1] == network.dimension:
                outputs.append((module, out))

        hooks = [module.register_forward_hook(keep) for module in network.backbone.modules()]
        draw = torch.Generator().manual_seed(0)
        try:
            noise = torch.rand(2, 3, size, size, generator=draw).to(network.mean.device)
            embeddings = network.embed(noise)
        finally:
            for hook in hooks:
                hook.remove()
        for module, out in outputs:
            means = out.float().mean(dim=(2, 3))
            if torch.allclose(means, embeddings, rtol=_TOLERANCE, atol=_TOLERANCE):
                # Where it was averaged already it is a single place.
                (single if out.shape[-2:].numel() == 1 else found).append(module)
        if not found and single:
            raise ModelError(
                f"Of images of {size} px the last map of this network is a single place, so it "
                "does not say where anything is; bring the images to a larger size (job resize)."
            )
        if not found:
            raise _without_map("What this network tells classes by is")
        return found[-1]


def cam_boxes(
    looker: Looker,
    pixels: Pixels,
    sizes: NDArray[np.int64],
    *,
    classes: Indices | None = None,
    threshold: float = THRESHOLD,
) -> list[CamBox]:
    """Propose one box for each image: around the largest place that a classifier looks at.

    Args:
        looker: the classifier.
        pixels: (n, S, S, 3) uint8 rows of the pool's store, the centre squares of the pictures.
        sizes: (n, 2) int64 width and height of the upright pictures, in pixels.
        classes: (n,) outputs that the boxes are to be of; default: the most probable.
        threshold: what counts as looked at, as a share of the map's largest value.

    Returns:
        n boxes; of an image on which nothing stands out the whole square.
    """
    seen = looker.look(pixels, classes)
    outputs = seen.probabilities.argmax(axis=1) if classes is None else classes
    boxes, _ = boxes_of_maps(seen.maps, pixels.shape[1], threshold)
    placed = out_of_square(boxes, sizes)
    scores = np.take_along_axis(seen.probabilities, outputs[:, None], axis=1)[:, 0]
    return [
        CamBox(
            int(output),
            float(left),
            float(top),
            float(right - left),
            float(bottom - top),
            max(float(score), float(np.finfo(np.float32).tiny)),
        )
        for output, (left, top, right, bottom), score in zip(outputs, placed, scores, strict=True)
    ]


def _without_map(what: str) -> ModelError:
    return ModelError(
        f"{what} not the mean of a map, so they have no place on the image. Choose a convolutional "
        "network as the model: auto, efficientnet_lite0, resnet18_small or cnn_tiny."
    )
