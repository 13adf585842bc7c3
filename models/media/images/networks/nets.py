"""Networks. Each maps normalised images to logits and penultimate embeddings."""

from collections.abc import Callable
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.networks import BackboneParams, TinyParams, TrainingParams
from models.errors import ModelError
from models.heads.loss_prediction import LossPrediction, Stages
from models.media.images.networks.weights import tensors_only
from models.media.images.weight_files.fitting import fill
from models.media.images.weight_files.published import Place, place_of

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)


class Network(nn.Module):
    """A backbone, its pixel statistics and a linear head."""

    mean: Tensor
    std: Tensor

    def __init__(
        self, backbone: nn.Module, dimension: int, classes: int, *, input_size: int | None = None
    ) -> None:
        """Put a head on a backbone.

        Args:
            backbone: (B, 3, H, W) float32 -> (B, dimension).
            dimension: D.
            classes: C.
            input_size: side that the backbone needs; None = any.
        """
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(dimension, classes)
        self.dimension, self.classes = dimension, classes
        self.input_size = input_size
        self.loss_prediction: LossPrediction | None = None
        self._stages = Stages((), ())
        # Whether `mean` and `std` came with the weights or are to be taken from the pool.
        self.has_statistics = False
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("std", torch.ones(3))

    def set_statistics(self, mean: Tensor, std: Tensor) -> None:
        """Set the channel mean and standard deviation, (3,) each, of pixels in 0..1."""
        self.mean.copy_(mean)
        self.std.copy_(std)
        self.has_statistics = True

    @property
    def has_ood_output(self) -> bool:
        """Whether the head has one output more than there are classes."""
        return self.head.out_features > self.classes

    def add_ood_output(self) -> None:
        """Exchange the head for one with an output for OOD, the last: a k+1 classifier."""
        self.head = nn.Linear(self.dimension, self.classes + 1)

    def add_loss_prediction(self, image_size: int) -> None:
        """Add a module that predicts losses from four stages of the backbone.

        Raises:
            ModelError: the backbone has no four stages.
        """
        self._stages = Stages.find(self.backbone, self.input_size or image_size)
        self.loss_prediction = LossPrediction(self._stages.widths)

    def embed(self, images: Tensor) -> Tensor:
        """Map (B, 3, S, S) float32 pixels in 0..1 to embeddings (B, D) float32."""
        embeddings: Tensor = self.backbone(self.prepared(images))
        return embeddings.float()

    def prepared(self, images: Tensor) -> Tensor:
        """Normalise (B, 3, H, W) float32 pixels in 0..1, and scale them as the backbone needs.

        The longer side of images that are not square becomes what it needs.
        """
        images = (images - self.mean[:, None, None]) / self.std[:, None, None]
        height, width = images.shape[-2:]
        longer = max(height, width)
        if self.input_size is not None and longer != self.input_size:
            sides = [max(1, round(side * self.input_size / longer)) for side in (height, width)]
            images = functional.interpolate(images, sides, mode="bilinear", antialias=True)
        return images

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Map (B, 3, S, S) float32 pixels in 0..1 to logits (B, C) and embeddings (B, D)."""
        embeddings = self.embed(images)
        return self._outputs(embeddings)[:, : self.classes], embeddings

    def all_outputs(
        self, images: Tensor, *, shielded: bool = False
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Run `forward`, with the output for OOD, and predict the loss of each image on the way.

        Args:
            images: (B, 3, S, S) float32 in 0..1.
            shielded: keep the gradient of the predictions out of the backbone.

        Returns:
            Logits (B, C) or, with an output for OOD, (B, C + 1); embeddings (B, D); and (B,)
            predicted losses, higher = larger, None without a module for them. All float32.
        """
        with self._stages.watched(self.backbone) as taken:
            embeddings = self.embed(images)
        predicted: Tensor | None = None
        if self.loss_prediction is not None:
            features = [taken[name] for name in self._stages.names]
            if shielded:
                features = [value.detach() for value in features]
            with _full_precision(embeddings):
                predicted = self.loss_prediction(features)
        return self._outputs(embeddings), embeddings, predicted

    def _outputs(self, embeddings: Tensor) -> Tensor:
        # In bfloat16 logits would be so coarse that scores of different examples tie.
        with _full_precision(embeddings):
            outputs: Tensor = self.head(embeddings)
        return outputs


def _full_precision(like: Tensor) -> torch.autocast:
    return torch.autocast(like.device.type, enabled=False)


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions and a shortcut (He et al., CVPR 2016, Figure 2)."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        """Build a block; a strided or widening one gets a 1x1 shortcut."""
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, inputs, H, W) to (B, outputs, H / stride, W / stride)."""
        out = functional.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        return functional.relu(out + self.shortcut(x))


def resnet18_small(params: TrainingParams, *, classes: int, image_size: int) -> Network:
    """Build ResNet-18 with a 3x3 stem and no max-pool, for images up to 64 px.

    Source: He et al., CVPR 2016, in the CIFAR form that the thesis trains (section 4.4).
    """
    del params, image_size
    layers: list[nn.Module] = [
        nn.Conv2d(3, 64, 3, 1, 1, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
    ]
    width = 64
    for outputs in (64, 128, 256, 512):
        layers.append(ResidualBlock(width, outputs, 1 if outputs == 64 else 2))
        layers.append(ResidualBlock(outputs, outputs, 1))
        width = outputs
    return Network(_pooled(layers), 512, classes)


class PreactivationBlock(nn.Module):
    """Normalisation and ReLU before each of two 3x3 convolutions, and a shortcut.

    Source: K. He et al., "Identity Mappings in Deep Residual Networks", ECCV 2016, Figure 4(e); a
    strided or widening block projects what was normalised.
    """

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        """Build a block; a strided or widening one gets a 1x1 shortcut."""
        super().__init__()
        self.norm1 = nn.BatchNorm2d(inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.projection: nn.Module | None = None
        if stride != 1 or inputs != outputs:
            self.projection = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, inputs, H, W) to (B, outputs, H / stride, W / stride)."""
        normed = functional.relu(self.norm1(x))
        shortcut = x if self.projection is None else self.projection(normed)
        out: Tensor = self.conv1(normed)
        out = self.conv2(functional.relu(self.norm2(out)))
        return out + shortcut


def preact_resnet18(params: TrainingParams, *, classes: int, image_size: int) -> Network:
    """Build the pre-activation ResNet-18 with a 3x3 stem and no max-pool, for images up to 64 px.

    Source: K. He et al., "Identity Mappings in Deep Residual Networks", ECCV 2016, in the CIFAR
    form that learners from noisy labels train (thesis, section 5.3.1).
    """
    del params, image_size
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 3, 1, 1, bias=False)]
    width = 64
    for outputs in (64, 128, 256, 512):
        layers.append(PreactivationBlock(width, outputs, 1 if outputs == 64 else 2))
        layers.append(PreactivationBlock(outputs, outputs, 1))
        width = outputs
    layers += [nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
    return Network(_pooled(layers), width, classes)


def cnn_tiny(params: TinyParams, *, classes: int, image_size: int) -> Network:
    """Build four convolutions of growing width; each halves the image, the first above 20 px."""
    first_stride = 2 if image_size > 20 else 1
    layers: list[nn.Module] = []
    inputs = 3
    for depth, outputs in enumerate((1, 2, 4, 4)):
        channels = params.width * outputs
        layers += [
            nn.Conv2d(inputs, channels, 3, 2 if depth else first_stride, 1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
        ]
        inputs = channels
    return Network(_pooled(layers), inputs, classes)


def _pooled(layers: list[nn.Module]) -> nn.Module:
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())


def torchvision_backbone(params: BackboneParams, *, classes: int, image_size: int) -> Network:
    """Build any torchvision classification network with a linear last layer."""
    del image_size
    weights = "DEFAULT" if params.wants_published else None
    model, dimension, heads = torchvision_headless(params.architecture, weights, params)
    size = params.input_size or getattr(model, "image_size", None)
    mean: tuple[float, ...] = IMAGENET_MEAN
    std: tuple[float, ...] = IMAGENET_STD
    if params.wants_file:
        said = fill(model, Path(params.weights), heads, params.architecture)
        mean, std = said.mean or mean, said.std or std
    network = Network(model, dimension, classes, input_size=size)
    if weights or params.wants_file:
        network.set_statistics(torch.tensor(mean), torch.tensor(std))
    return network


def torchvision_headless(
    architecture: str, weights: str | None = None, params: BackboneParams | None = None
) -> tuple[nn.Module, int, tuple[str, ...]]:
    """Build a network of torchvision, pooled, without its last layer and auxiliary outputs.

    Args:
        architecture: its name in the library.
        weights: "DEFAULT" for those that are published.
        params: what it is built for, for errors.

    Returns:
        The network, (B, 3, H, W) -> (B, D); D; and the names of the parts that were removed.

    Raises:
        ModelError: there is none of that name, it does not end in a linear layer, or its weights
            cannot be had.
    """
    from torchvision import models as zoo

    if architecture not in zoo.list_models(module=zoo):
        known = ", ".join(zoo.list_models(module=zoo)[:8])
        raise ModelError(
            f"torchvision has no classification network {architecture!r}; known: {known}, ... "
            "(torchvision.models.list_models())."
        )
    model = _downloaded("torchvision", lambda: zoo.get_model(architecture, weights=weights), params)
    auxiliary = ("aux1", "aux2", "AuxLogits")
    for part in auxiliary:
        if hasattr(model, part):
            setattr(model, part, None)
    if hasattr(model, "aux_logits"):
        model.aux_logits = False
    name, last = _last_linear(model, architecture)
    parent, _, attribute = name.rpartition(".")
    setattr(model.get_submodule(parent), attribute, nn.Identity())
    return model, last.in_features, (name, *auxiliary)


def _last_linear(model: nn.Module, architecture: str) -> tuple[str, nn.Linear]:
    linear = [(name, part) for name, part in model.named_modules() if isinstance(part, nn.Linear)]
    if not linear:
        raise ModelError(f"{architecture} does not end in a linear layer; choose another network.")
    return linear[-1]


def timm_backbone(params: BackboneParams, *, classes: int, image_size: int) -> Network:
    """Build any timm network, pooled, without its own head."""
    wanted = params.wants_published
    model, heads = timm_headless(params.architecture, pretrained=wanted, params=params)
    config: dict[str, Any] = model.pretrained_cfg
    size = params.input_size or (config["input_size"][-1] if config["fixed_input_size"] else None)
    mean, std = config["mean"], config["std"]
    if params.wants_file:
        said = fill(model, Path(params.weights), heads, params.architecture)
        mean, std = said.mean or mean, said.std or std
    side = size or image_size
    with torch.no_grad():
        dimension = model.eval()(torch.zeros(1, 3, side, side)).shape[1]
    network = Network(model.train(), dimension, classes, input_size=size)
    if wanted or params.wants_file:
        network.set_statistics(torch.tensor(mean), torch.tensor(std))
    return network


def timm_headless(
    architecture: str, *, pretrained: bool = False, params: BackboneParams | None = None
) -> tuple[Any, tuple[str, ...]]:
    """Build a network of timm, pooled, without its own head.

    Args:
        architecture: its name in the library.
        pretrained: with the weights that are published.
        params: what it is built for, for errors.

    Returns:
        The network, (B, 3, H, W) -> (B, D), and the names of the parts that were removed.

    Raises:
        ModelError: there is none of that name, or its weights cannot be had.
    """
    import timm

    if not timm.is_model(architecture):
        raise ModelError(
            f"timm has no network {architecture!r}; see timm.list_models() for the names."
        )
    model = _downloaded(
        "timm",
        lambda: timm.create_model(architecture, pretrained=pretrained, num_classes=0),
        params,
    )
    heads = model.pretrained_cfg.get("classifier") or ()
    return model, (heads,) if isinstance(heads, str) else tuple(heads)


def _downloaded(library: str, build: Callable[[], Any], params: BackboneParams | None) -> Any:
    """Call `build`; a failed download becomes an error that names the file and the remedy."""
    tensors_only()
    try:
        return build()
    except (OSError, RuntimeError, UnpicklingError) as error:
        if params is None or not params.wants_published:
            raise
        # What a URL could not be opened for, and not its wrapping.
        reason = str(getattr(error, "reason", error)).strip() or type(error).__name__
        raise missing(
            params.architecture, place_of(library, params.architecture), reason
        ) from error


def missing(architecture: str, place: Place | None, reason: str) -> ModelError:
    """Say that published weights cannot be had, where they were looked for, and what helps."""
    why = reason.splitlines()[0][:300].rstrip(". ")
    if place is not None and not place.is_there:
        return ModelError(
            f"The published weights of {architecture} cannot be had: {place.url} is not at "
            f"{place.path}, and cannot be downloaded ({why}). Have an admin upload the file "
            "(Admin, Weights) and choose it, or take a packaged network, as efficientnet_lite0."
        )
    where = (
        f"its library publishes none ({why})"
        if place is None
        else f"{place.path} cannot be read ({why})"
    )
    return ModelError(
        f"The published weights of {architecture} cannot be had: {where}. Have an admin upload the "
        "file (Admin, Weights) and choose it, or take a packaged network, as efficientnet_lite0."
    )
