"""Where on an image a classifier of the catalog looks: class activation maps of saved models.

Source: B. Zhou et al., "Learning Deep Features for Discriminative Localization", CVPR 2016.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.catalog import parse
from models.catalog.params.localize import THRESHOLD
from models.device import place
from models.errors import ModelError
from models.features.embed import restore_extractor, uses_embeddings
from models.files import tensorfile
from models.frame import Frame
from models.heads.head import LogisticHead
from models.media.images.auto import AutoFeatures
from models.media.images.extractor import NetworkExtractor
from models.media.images.networks.build import restore_network
from models.media.images.networks.nets import Network
from models.media.images.store import Pixels
from models.media.images.training.batches import resident, scaled
from models.media.images.training.train import images_at_once, predict
from models.numerics.probability import log_softmax
from models.protocols import Extractor, Float32Array, Indices
from models.tasks.localization.judge import boxes_of_maps, class_maps
from models.tasks.localization.map_box import Map, silenced
from models.tasks.localization.squares import on_picture

_TOLERANCE: Final = 1e-3


@dataclass(frozen=True)
class Look:
    """What a classifier says of n images, and where it sees that.

    Attributes:
        probabilities: (n, C) float32.
        maps: (n, h, w) float32; the mean of a map is by how much the logit of its class is above
            the mean of all logits, but for a constant of the class, and for bars beside an image.
    """

    probabilities: NDArray[np.float32]
    maps: Map

    @property
    def evidence(self) -> Map:
        """What speaks for the class, and nothing of what speaks against it."""
        evident: Map = np.maximum(self.maps, 0)
        return evident


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
        self,
        network: Network,
        weight: NDArray[np.float32],
        say: Callable[[Pixels], Float32Array],
        size: int,
        *,
        rooted: bool = False,
    ) -> None:
        """Take a classifier.

        Args:
            network: what embeds.
            weight: (D, C) of its embeddings.
            say: from (n, S, S, 3) uint8 images to (n, C) logits.
            size: side of its images, in pixels.
            rooted: whether `weight` is of the square roots of the embeddings.

        Raises:
            ModelError: the network does not average a map, as one does that attends to everything.
        """
        self.network, self._say, self._rooted = place(network).eval(), say, rooted
        # What all classes have in common tells none from the others.
        own = weight - weight.mean(axis=1, keepdims=True)
        self._weight = torch.from_numpy(own.astype(np.float32)).to(network.mean.device)
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
        if uses_embeddings(name, params):
            if embeddings is None:
                raise ModelError(f"The model {name} is frozen and needs what embeds its pool.")
            columns = json.loads(metadata["columns"]) if "columns" in metadata else None
            head = LogisticHead.from_tensors(tensors)
            return cls._of_head(head, restore_extractor(embeddings, size), columns, size)
        network = restore_network(
            name,
            parse("model", name, params),
            classes=int(metadata["classes"]),
            image_size=size,
            state=tensors,
        )
        weight = network.head.weight[: network.classes].detach().numpy().T.copy()
        return cls(network, weight, lambda pixels: predict(network, pixels).logits.numpy(), size)

    @classmethod
    def _of_head(
        cls, head: LogisticHead, extractor: Extractor, columns: list[int] | None, size: int
    ) -> Self:
        """Take a head on embeddings, or on some columns of them."""

        def say(pixels: Pixels) -> Float32Array:
            rows: Float32Array = extractor.extract(pixels)
            return head.logits(rows if columns is None else rows[:, slice(*columns)])

        embedding, factor, of_network = extractor, 1.0, slice(None)
        if isinstance(extractor, AutoFeatures):
            if extractor.network is None or (columns and columns[0] >= extractor.split):
                raise _without_map("Its features are those of the pool (patch_kmeans), which are")
            embedding, factor = extractor.network
            # Of both kinds of features, those of the network have places.
            of_network = slice(0, extractor.split)
        if not isinstance(embedding, NetworkExtractor):
            raise _without_map("The features of this model are")
        weight = head.weight[of_network] * np.float32(head.scaling.scale * factor)
        known = head.counts > 0
        if known.any():
            # Of a class without an example nothing is known, and nothing shown.
            weight = np.where(known, weight, weight[:, known].mean(axis=1, keepdims=True))
        return cls(embedding.network, weight, say, size, rooted=embedding.rooted)

    @torch.inference_mode()
    def look(self, pixels: Pixels, classes: Indices | None = None) -> Look:
        """Say what is on (n, S, S, 3) uint8 images, and where.

        Args:
            pixels: the images.
            classes: (n,) outputs to show the places of; default: the most probable.
        """
        logits = self._say(pixels)
        shown = torch.from_numpy(logits.argmax(axis=1) if classes is None else classes)
        maps = []
        rows = images_at_once(self.network, pixels.shape[1])
        for start in range(0, len(pixels), rows):
            block = slice(start, start + rows)
            activations, means = self._activations(pixels[block])
            if self._rooted:
                # So that the mean of each channel is the root that the weight is for.
                root = means.clamp(min=0).sqrt()
                activations = activations / root.clamp(min=1e-6)[:, :, None, None]
            weights = self._weight.T[shown[block].to(activations.device)]
            maps.append(class_maps(activations, weights).cpu().numpy())
        return Look(np.exp(log_softmax(logits)), silenced(np.concatenate(maps), pixels))

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
    frame: Frame,
    *,
    classes: Indices | None = None,
    threshold: float = THRESHOLD,
) -> list[CamBox | None]:
    """Propose one box for each image: around the largest place that a classifier looks at.

    Args:
        looker: the classifier.
        pixels: (n, S, S, 3) uint8 rows of the pool's store.
        sizes: (n, 2) int64 width and height of the upright pictures, in pixels.
        frame: what the rows show of the pictures.
        classes: (n,) outputs that the boxes are to be of; default: the most probable.
        threshold: what counts as looked at, as a share of the map's largest value.

    Returns:
        n boxes; None for an image on which nothing stands out.
    """
    seen = looker.look(pixels, classes)
    outputs = seen.probabilities.argmax(axis=1) if classes is None else classes
    boxes, _ = boxes_of_maps(seen.evidence, pixels.shape[1], threshold)
    stands_out = np.ptp(seen.evidence, axis=(1, 2)) > 0
    scores = np.take_along_axis(seen.probabilities, outputs[:, None], axis=1)[:, 0]
    rows = zip(outputs, on_picture(boxes, sizes, frame), scores, stands_out, strict=True)
    return [_box(int(output), *row) if found else None for output, *row, found in rows]


def _box(output: int, corners: NDArray[np.float64], score: np.float32) -> CamBox:
    left, top, right, bottom = corners.tolist()
    least = float(np.finfo(np.float32).tiny)
    return CamBox(output, left, top, right - left, bottom - top, max(float(score), least))


def _without_map(what: str) -> ModelError:
    return ModelError(
        f"{what} not the mean of a map, so they have no place on the image. Choose a convolutional "
        "network as the model: auto, efficientnet_lite0, resnet18_small or cnn_tiny."
    )
