"""Feature maps of a packaged network, computed once per pool, on which detectors are trained.

A row of the file has what other algorithms look at first, the 1,280 features of the whole image as
`efficientnet_lite0` embeds it, and then the maps at strides 8, 16 and 32, all as float16.
"""

from collections.abc import Mapping
from typing import Any, Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from models.catalog.params.detection import FcosParams
from models.catalog.params.networks import PackagedParams
from models.device import autocast, place
from models.files import tensorfile
from models.frame import on_image
from models.media.images.networks.build import build_network, restore_network
from models.media.images.networks.nets import Network
from models.media.images.store import PixelStore
from models.media.images.training.batches import resident, scaled
from models.media.images.training.train import images_at_once
from models.protocols import Progress
from models.tasks.boxes.sides import LEVELS, POOLED, maps_width, side_of

NETWORK: Final = "efficientnet_lite0"
_TAPS: Final = {2: 0, 4: 1, 6: 2}


class FcosMaps:
    """What `embed_pool` makes the rows with; nothing is learned from the pool."""

    learns = False
    dtype: Final = np.float16
    # Rows are large, and a look at so many takes seconds.
    block: Final = 32

    def __init__(
        self, tensors: Mapping[str, Tensor], params: FcosParams, network: Network | None = None
    ) -> None:
        """Take the tensors of the packaged network, and the side of the pool's images."""
        self.tensors = dict(tensors)
        image_size = int(self.tensors["side"])
        self.side = side_of(params, image_size)
        state = {name: one for name, one in self.tensors.items() if name != "side"}
        self.network = place(
            network
            or restore_network(
                NETWORK, packaged(self.side), classes=1, image_size=image_size, state=state
            )
        ).eval()
        self.precision = params.precision
        self.dimension = POOLED + maps_width(self.side)

    @classmethod
    def fit(
        cls, store: PixelStore, params: FcosParams, *, seed: int, progress: Progress | None = None
    ) -> Self:
        """Take the packaged network.

        Args:
            store: the pool.
            params: see the schema.
            seed: changes nothing.
            progress: likewise.

        Raises:
            ModelError: the package is not installed.
        """
        del progress
        chosen = packaged(side_of(params, store.size))
        network = build_network(NETWORK, chosen, classes=1, store=store, seed=seed)
        tensors = {**network.state_dict(), "side": torch.tensor(store.size)}
        return cls(tensors, params, network)

    @torch.inference_mode()
    def extract(self, pixels: NDArray[np.uint8]) -> Any:
        """Map (B, S, S, 3) uint8 images to (B, dimension) float16 rows."""
        rows = np.empty((len(pixels), self.dimension), dtype=np.float16)
        device = self.network.mean.device
        step = images_at_once(self.network, pixels.shape[1])
        for start in range(0, len(pixels), step):
            block = pixels[start : start + step]
            images, shown = scaled(resident(block, device)), on_image(block)
            with autocast(self.precision, device, self.network):
                pooled, maps = _looked_at(self.network, images, shown)
            parts = [pooled.float().clamp(min=0).sqrt(), *(one.flatten(1).float() for one in maps)]
            rows[start : start + step] = torch.cat(parts, dim=1).half().cpu().numpy()
        return rows

    def save(self, path: Any, metadata: Mapping[str, str]) -> None:
        """Write the weights to one safetensors file, atomically."""
        tensorfile.write(path, self.tensors, metadata)


def packaged(side: int) -> PackagedParams:
    """Return the parameters of the network that makes maps of images of a side."""
    return PackagedParams(input_size=side, tuned="all")


def _looked_at(
    network: Network, images: Tensor, shown: NDArray[np.bool_] | None
) -> tuple[Tensor, list[Tensor]]:
    """Return pooled features (B, 1280) and maps [(B, 40, h, w), …] of (B, 3, S, S) in 0..1.

    Features are averages over what is `shown`, (B, S, S), of bars beside the images nothing.
    """
    return taken(network.backbone, network.prepared(images), shown)


def taken(
    backbone: Any, images: Tensor, shown: NDArray[np.bool_] | None = None
) -> tuple[Tensor, list[Tensor]]:
    """Run a timm EfficientNet over normalised images, and keep the maps of three stages."""
    x = backbone.bn1(backbone.conv_stem(images))
    maps: list[Tensor] = [x] * len(LEVELS)
    for number, stage in enumerate(backbone.blocks):
        x = stage(x)
        if number in _TAPS:
            maps[_TAPS[number]] = x
    last = backbone.bn2(backbone.conv_head(x))
    pooled: Tensor
    if shown is None:
        pooled = backbone.global_pool(last)
    else:
        weights = torch.from_numpy(shown)[:, None].to(last.device, torch.float32)
        weights = functional.interpolate(weights, last.shape[-2:], mode="area")
        pooled = (last.float() * weights).sum(dim=(2, 3)) / weights.sum(dim=(2, 3))
    return pooled, maps
