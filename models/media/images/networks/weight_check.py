"""Whether weights can be had and fit, found out before a round needs them."""

from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

import torch
from torch import nn

from models.catalog.params.networks import BackboneParams
from models.media.images.networks.nets import (
    missing,
    timm_backbone,
    timm_headless,
    torchvision_backbone,
    torchvision_headless,
)
from models.media.images.weight_files.fitting import left_aside, require_finite
from models.media.images.weight_files.header import preprocessing_of, read_header
from models.media.images.weight_files.published import place_of

# Every network takes images of this size, or has one of its own.
_SIDE: Final = 224
_SECONDS: Final = 10.0


def check_file(file: Path, library: str, architecture: str) -> tuple[str, ...]:
    """Say which tensors of a file a network of this architecture leaves aside: those of its head.

    Args:
        file: a safetensors file.
        library: "timm", "torchvision" or "open_clip".
        architecture: its name in the library.

    Raises:
        ModelError: there is no such architecture, or the file is not of it.
    """
    if library == "open_clip":
        # Loads for seconds what nothing else needs.
        from models.media.images.networks.clip import check_clip

        return check_clip(file, architecture)
    header = read_header(file)
    preprocessing_of(header.metadata)
    model, heads = _skeleton(library, architecture)
    aside = left_aside(header, model, heads, architecture)
    require_finite(file, header)
    return aside


def _skeleton(library: str, architecture: str) -> tuple[nn.Module, tuple[str, ...]]:
    """The network without numbers, or with random ones where it cannot be built without."""
    try:
        with torch.device("meta"):
            return _headless(library, architecture)
    except (NotImplementedError, RuntimeError):
        return _headless(library, architecture)


def _headless(library: str, architecture: str) -> tuple[nn.Module, tuple[str, ...]]:
    if library == "timm":
        return timm_headless(architecture)
    model, _, heads = torchvision_headless(architecture)
    return model, heads


def check_published(library: str, architecture: str) -> None:
    """Bring published weights onto this machine, unless they are there, and build their network.

    Raises:
        ModelError: they cannot be had; says where they were looked for.
    """
    # First, for an unknown name: what follows would say something else of it.
    _skeleton(library, architecture)
    place = place_of(library, architecture)
    if place is None:
        raise missing(architecture, None, "choose another architecture")
    if not place.is_there:
        # At once: the libraries try for a minute before they give up.
        try:
            with urlopen(Request(place.url, method="HEAD"), timeout=_SECONDS):
                pass
        except (OSError, ValueError) as error:
            reason = str(getattr(error, "reason", error))
            raise missing(architecture, place, reason) from error
    params = BackboneParams(architecture=architecture, mode="frozen")
    build = timm_backbone if library == "timm" else torchvision_backbone
    build(params, classes=1, image_size=_SIDE)
