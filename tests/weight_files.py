"""Files of weights: of networks that are small, and of headers that were tampered with."""

import json
from pathlib import Path
from typing import Any

import timm
import torch
from safetensors.torch import save_file

TINY = "test_resnet"
"""Of timm, with half a million random numbers here."""


def tiny_weights(
    path: Path,
    *,
    seed: int = 0,
    architecture: str = TINY,
    metadata: dict[str, str] | None = None,
    without: str | None = None,
) -> torch.nn.Module:
    """Write random weights of a network of timm, its head included, and return the network.

    Args:
        path: Where to.
        seed: Decides the numbers.
        architecture: Of timm.
        metadata: What the file says beside them.
        without: A tensor to leave out.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: torch.nn.Module = timm.create_model(architecture, pretrained=False)
        for name, buffer in model.named_buffers():
            # As of a network that has learned: those of a new one are all alike.
            if name.endswith("running_mean"):
                buffer.normal_(std=0.1)
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = {name: one.contiguous() for name, one in model.state_dict().items()}
    if without is not None:
        del tensors[without]
    save_file(tensors, path, metadata)
    return model.eval()


def file_of(header: Any, room: int = 0) -> bytes:
    """A file with this header, as JSON or as bytes, and so many bytes of tensors."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(room)
