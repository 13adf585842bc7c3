"""Zero-shot purity by a network that has learned from images and their captions.

Source: Y. Ming et al., "Delving into Out-of-Distribution Detection with Vision-Language
Representations", NeurIPS 2022, section 3, when only the classes are named; S. Esmaeilpour et al.,
"Zero-Shot Out-of-Distribution Detection Based on the Pre-trained Model CLIP", AAAI 2022, when
names of OOD are given too (here by a person, there by a network).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.device import best_device
from models.errors import NotReady
from models.networks.weights import tensors_only
from models.params.scores import ClipParams
from models.protocols import Float32Array, PoolView

_BLOCK = 128
_TEMPERATURE_WITH_OOD = 0.01
_TEMPERATURE_WITHOUT = 1.0


def score(view: PoolView, params: ClipParams) -> Float32Array:
    """Return the probability that an image shows one of the classes rather than something else.

    The softmax runs over the cosine similarities of the image with all captions, divided by the
    temperature. With names of OOD the score is the sum over the classes, without any it is their
    maximum. One pass of the network over all candidates, in blocks.

    Returns:
        (N,) float32 in 0..1, higher = more in-distribution.

    Raises:
        NotReady: no class is named, or it alone; the package or the weights are missing, or the
            view names no model whose images could be read.
    """
    classes, ood = _names(params.classes), _names(params.ood)
    if not classes:
        raise NotReady(
            "Purity clip compares images with names of the classes and has none; set its "
            "parameter classes."
        )
    if len(classes + ood) < 2:
        raise NotReady(
            "Purity clip weighs names against each other and has one; say in its parameter ood "
            "what else the pool shows."
        )
    if view.model is None or view.indices is None:
        raise NotReady(
            "Purity clip looks at images and these scores were read from a file; score the pool "
            "again."
        )
    encoder = _Encoder.load(params.weights)
    captions = encoder.texts([params.template.replace("{}", name) for name in classes + ood])
    temperature = params.temperature or (_TEMPERATURE_WITH_OOD if ood else _TEMPERATURE_WITHOUT)
    result = np.empty(len(view.indices), dtype=np.float32)
    for start in range(0, len(result), _BLOCK):
        images = encoder.images(view.model.pixels(view.indices[start : start + _BLOCK]))
        probability = (images @ captions.T / temperature).softmax(dim=1)[:, : len(classes)]
        purity = probability.sum(dim=1) if ood else probability.amax(dim=1)
        result[start : start + _BLOCK] = purity.cpu().numpy()
    return result


@dataclass(frozen=True)
class _Encoder:
    """A network of the transformers package, and what prepares its inputs."""

    network: Any
    tokenizer: Any
    processor: Any

    @classmethod
    def load(cls, weights: str) -> "_Encoder":
        """Read weights from the cache of this machine, never from the network."""
        try:
            from transformers import AutoImageProcessor, AutoModel, AutoTokenizer
        except ImportError as error:
            raise NotReady(
                "Purity clip needs the package transformers; install karat[clip] where the workers "
                "run."
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
                f"hf download {weights}."
            ) from error
        network, tokenizer, processor = parts
        return cls(network.to(best_device()).eval(), tokenizer, processor)

    @torch.inference_mode()
    def texts(self, captions: list[str]) -> Tensor:
        """Return (T, E) float32 unit rows."""
        tokens = self.tokenizer(captions, padding=True, truncation=True, return_tensors="pt")
        tokens = tokens.to(self.network.device)
        return _unit(self.network.get_text_features(**tokens))

    @torch.inference_mode()
    def images(self, pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> Tensor:
        """Return (B, E) float32 unit rows of (B, S, S, 3) uint8 images."""
        device = self.network.device
        images = torch.from_numpy(pixels).to(device).permute(0, 3, 1, 2)
        prepared = self.processor(images=images, return_tensors="pt", device=device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            return _unit(self.network.get_image_features(**prepared))


def _unit(features: Any) -> Tensor:
    rows: Tensor = features.pooler_output
    return functional.normalize(rows.float(), dim=1)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
