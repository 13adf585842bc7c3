"""Where tensors live."""

from typing import TypeVar

import torch
from torch import nn

ModuleT = TypeVar("ModuleT", bound=nn.Module)


def best_device() -> torch.device:
    """Return the first CUDA device when there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def place(module: ModuleT) -> ModuleT:
    """Move a network to the best device, its convolutions in channels-last order."""
    return module.to(best_device()).to(memory_format=torch.channels_last)
