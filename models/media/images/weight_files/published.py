"""Where the libraries look for published weights on this machine, before they download them."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import torch


@dataclass(frozen=True)
class Place:
    """Published weights of one architecture.

    Attributes:
        url: where they are published.
        path: where the library looks for them first; a hub's own revision is part of it.
    """

    url: str
    path: Path

    @property
    def is_there(self) -> bool:
        """Whether nothing has to be downloaded."""
        if "*" not in self.path.parts:
            return self.path.is_file()
        before, _, after = str(self.path).partition("*")
        return any(Path(before).glob(f"*{after}"))


def place_of(library: str, architecture: str) -> Place | None:
    """Return where the weights are that a library would take; None if it has published none.

    Args:
        library: "timm" or "torchvision".
        architecture: a name that the library knows.
    """
    return _timm(architecture) if library == "timm" else _torchvision(architecture)


def _torchvision(architecture: str) -> Place:
    from torchvision import models as zoo

    default: Any = zoo.get_model_weights(architecture).DEFAULT
    return _checkpoint(default.url)


def _timm(architecture: str) -> Place | None:
    from huggingface_hub import constants
    from timm.models import get_pretrained_cfg

    config = get_pretrained_cfg(architecture)
    if config is None:
        return None
    if config.hf_hub_id:
        repository, _, revision = config.hf_hub_id.partition("@")
        file = config.hf_hub_filename or "model.safetensors"
        folder = f"models--{repository.replace('/', '--')}"
        path = Path(constants.HF_HUB_CACHE, folder, "snapshots", revision or "*", file)
        url = f"{constants.ENDPOINT}/{repository}/resolve/{revision or 'main'}/{file}"
        return Place(url, path)
    return _checkpoint(str(config.url)) if config.url else None


def _checkpoint(url: str) -> Place:
    name = os.path.basename(urlsplit(url).path)
    return Place(url, Path(torch.hub.get_dir(), "checkpoints", name))
