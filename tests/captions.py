"""A network of captions that is small and has learned nothing."""

import json
from typing import Any, Final

import open_clip
import torch
from safetensors.torch import save

CONFIG: Final = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 32, "patch_size": 8, "head_width": 16},
    "text_cfg": {"context_length": 16, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 1},
}


def tiny(seed: int = 0) -> Any:
    """As open_clip makes it."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return open_clip.CLIP(**CONFIG).eval()


def weights(network: Any, **config: Any) -> bytes:
    """Its file, which says what it is of."""
    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    return save(tensors, {"model_cfg": json.dumps({**CONFIG, **config})})


def prepared(pixels: Any) -> torch.Tensor:
    """(B, 3, 32, 32) of (B, 32, 32, 3) uint8 images, as CLIP wants them."""
    images = torch.from_numpy(pixels).permute(0, 3, 1, 2).float() / 255
    mean, std = (
        torch.tensor(one).view(3, 1, 1)
        for one in (open_clip.OPENAI_DATASET_MEAN, open_clip.OPENAI_DATASET_STD)
    )
    return (images - mean) / std
