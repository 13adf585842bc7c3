"""Networks that have learned from images and their captions, wherever their weights are.

Weights are a file that an admin has uploaded, or lie in the cache of the Hugging Face hub.
"""

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from models.device import best_device
from models.errors import NotReady
from models.media.images.networks.weights import tensors_only
from models.protocols import Float32Array


class Captions(Protocol):
    """Images and captions to rows of unit length, whose products say how well they fit."""

    def images(self, pixels: NDArray[Any]) -> Float32Array:
        """Map (B, S, S, 3) uint8 images to (B, E) float32 rows of unit length."""
        ...

    def texts(self, captions: list[str]) -> Float32Array:
        """Map T captions to (T, E) float32 rows of unit length."""
        ...


def uploaded(file: Path, architecture: str) -> Captions:
    """Open weights that were uploaded, by the package open_clip.

    Args:
        file: of safetensors.
        architecture: as open_clip calls it.

    Raises:
        ModelError: there is no such architecture, or the file is not of it.
    """
    from models.media.images.networks.clip import Clip

    return Clip(file, architecture)


def of_hub(weights: str) -> Captions:
    """Open weights in the cache of this machine by the package transformers; downloads nothing.

    Args:
        weights: their name on the hub, owner/name.

    Raises:
        NotReady: the package or the weights are missing.
    """
    try:
        from transformers import AutoImageProcessor, AutoModel, AutoTokenizer
    except ImportError as error:
        raise NotReady(
            "Purity clip needs the package transformers for weights of the hub; install "
            "karat[clip] where the workers run, or choose weights that an admin has uploaded."
        ) from error
    tensors_only()
    try:
        parts = [
            part.from_pretrained(weights, local_files_only=True)
            for part in (AutoModel, AutoTokenizer, AutoImageProcessor)
        ]
    except (OSError, ValueError) as error:
        raise NotReady(
            f"Purity clip finds no weights {weights} on this machine; download them once with: "
            f"hf download {weights}, or choose weights that an admin has uploaded."
        ) from error
    return _OfHub(*parts)


class _OfHub:
    """A network of the package transformers, and what prepares its inputs."""

    def __init__(self, network: Any, tokenizer: Any, processor: Any) -> None:
        self._network = network.to(best_device()).eval()
        self._tokenizer, self._processor = tokenizer, processor

    @torch.inference_mode()
    def texts(self, captions: list[str]) -> Float32Array:
        tokens = self._tokenizer(captions, padding=True, truncation=True, return_tensors="pt")
        return _unit(self._network.get_text_features(**tokens.to(self._network.device)))

    @torch.inference_mode()
    def images(self, pixels: NDArray[Any]) -> Float32Array:
        device = self._network.device
        images = torch.from_numpy(np.ascontiguousarray(pixels)).to(device).permute(0, 3, 1, 2)
        prepared = self._processor(images=images, return_tensors="pt", device=device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            return _unit(self._network.get_image_features(**prepared))


def _unit(features: Any) -> Float32Array:
    rows: Float32Array = functional.normalize(features.pooler_output.float(), dim=1).cpu().numpy()
    return rows
