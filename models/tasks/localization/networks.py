"""Networks that keep a map of where on the image each feature is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.catalog import find
from models.catalog.params.localize import LocalizeParams
from models.catalog.params.networks import TinyParams
from models.catalog.resolve import resolve
from models.device import place
from models.errors import ModelError
from models.files import tensorfile
from models.media.images.networks.build import build_network
from models.media.images.store import PixelStore

Kind = Literal["cam", "regression"]

LEAST_MAP_SIDE: Final = 8
"""Places a side of the map of cnn_tiny; of a coarser one no box can be read."""

_FORMAT: Final = "karat-localizer"


class Localizer(nn.Module):
    """A trunk that ends in a map, and a head: on the mean of the map, or on all of it.

    Attributes:
        kind: "cam", a classifier over the mean of the map; "regression", a box from the whole map.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, trunk: nn.Module, kind: Kind, size: int, classes: int) -> None:
        """Put a head on a trunk.

        Args:
            trunk: (B, 3, S, S) float32 -> (B, D, h, w).
            kind: see the class.
            size: S.
            classes: C; of regression nothing hangs on it.
        """
        super().__init__()
        self.trunk, self.kind, self.size, self.classes = trunk, kind, size, classes
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("std", torch.ones(3))
        with torch.no_grad():
            _, channels, height, width = trunk.eval()(torch.zeros(1, 3, size, size)).shape
        self.map_shape: tuple[int, int, int] = (channels, height, width)
        outputs = (channels, classes) if kind == "cam" else (channels * height * width, 4)
        self.head = nn.Linear(*outputs)

    def map(self, images: Tensor) -> Tensor:
        """Map (B, 3, S, S) float32 pixels in 0..1 to (B, D, h, w) activations."""
        found: Tensor = self.trunk((images - self.mean[:, None, None]) / self.std[:, None, None])
        return found

    def features(self, activations: Tensor) -> Tensor:
        """Return what the head reads of (B, D, h, w): (B, D) means, or all of it in a row."""
        kept = activations.mean(dim=(2, 3)) if self.kind == "cam" else activations.flatten(1)
        return kept.float()

    def outputs(self, features: Tensor) -> Tensor:
        """Return (B, C) logits, or (B, 4) boxes in fractions of the side.

        A box is regressed as its centre and the logarithm-like of its sides, so that none is turned
        inside out.
        """
        with torch.autocast(features.device.type, enabled=False):
            raw: Tensor = self.head(features)
        if self.kind == "cam":
            return raw
        half = functional.softplus(raw[:, 2:]) / 2
        return torch.cat([raw[:, :2] - half, raw[:, :2] + half], dim=1)

    def begin_with(self, mean_box: NDArray[np.float64]) -> None:
        """Let boxes begin near (4,) `mean_box`, in fractions; the map then says how each differs.

        A classifier stays as it is.
        """
        if self.kind == "cam":
            return
        box = torch.from_numpy(mean_box).float()
        sides = (box[2:] - box[:2]).clamp(min=1e-3)
        with torch.no_grad():
            self.head.weight.mul_(0.1)
            self.head.bias[:2] = (box[:2] + box[2:]) / 2
            self.head.bias[2:] = sides.expm1().log()

    def save(self, path: Path, name: str, params: Mapping[str, Any]) -> None:
        """Write the weights to one safetensors file, atomically."""
        metadata = tensorfile.describe(
            name,
            params,
            format=_FORMAT,
            localize=self.kind,
            classes=self.classes,
            image_size=self.size,
        )
        tensorfile.write(path, self.state_dict(), metadata)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote.

        Raises:
            ModelError: it holds no such network.
        """
        tensors, metadata = tensorfile.read(path)
        if metadata.get("format") != _FORMAT:
            raise ModelError(f"{path} is not a saved localizer.")
        size, params = (
            int(metadata["image_size"]),
            LocalizeParams.model_validate_json(metadata["params"]),
        )
        kind: Kind = "cam" if metadata["localize"] == "cam" else "regression"
        network = cls(_trunk(params, size), kind, size, int(metadata["classes"]))
        network.load_state_dict(tensors)
        return place(network).eval()


def build_localizer(
    params: LocalizeParams, *, store: PixelStore, classes: int, seed: int
) -> Localizer:
    """Build a network with the pixel statistics of the pool.

    Args:
        params: of the job.
        store: the pool.
        classes: C.
        seed: decides the initial weights.
    """
    statistics = build_network("cnn_tiny", TinyParams(width=4), classes=1, store=store, seed=seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Localizer(_trunk(params, store.size), params.localize, store.size, classes)
    network.mean.copy_(statistics.mean)
    network.std.copy_(statistics.std)
    return network


def _trunk(params: LocalizeParams, size: int) -> nn.Module:
    """Return the network without what averages its map."""
    if params.network == "cnn_tiny":
        return _tiny_trunk(params.width, size)
    network: Any = resolve(find("model", params.network))(
        params.training_params(), classes=1, image_size=size
    )
    *layers, _pool, _flatten = network.backbone.children()
    return nn.Sequential(*layers)


def _tiny_trunk(width: int, size: int) -> nn.Module:
    """Return the convolutions of cnn_tiny, halving only while the map stays fine enough.

    The first ones halve: what follows is then cheap, and the map no coarser.
    """
    layers: list[nn.Module] = []
    inputs, side = 3, size
    for factor in (1, 2, 4, 4):
        stride = 2 if side >= 2 * LEAST_MAP_SIDE else 1
        side = -(-side // stride)
        layers += [
            nn.Conv2d(inputs, width * factor, 3, stride, 1, bias=False),
            nn.BatchNorm2d(width * factor),
            nn.ReLU(inplace=True),
        ]
        inputs = width * factor
    return nn.Sequential(*layers)
