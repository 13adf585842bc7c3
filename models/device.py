"""Where tensors live, and how precisely they are computed."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Final, TypeVar

import torch
from torch import nn

ModuleT = TypeVar("ModuleT", bound=nn.Module)

# Below about this many parameters converting to bfloat16 costs a CPU what computing in it saves.
_LEAST_PARAMETERS: Final = 100_000


def best_device() -> torch.device:
    """Return the first CUDA device when there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def place(module: ModuleT) -> ModuleT:
    """Move a network to the best device, its convolutions in channels-last order."""
    return module.to(best_device()).to(memory_format=torch.channels_last)


def computes_in_bfloat16(
    precision: str, device: torch.device, network: nn.Module | None = None
) -> bool:
    """Say what `precision` comes to.

    Args:
        precision: "float32", "bfloat16", or "auto": bfloat16 where it is faster. That is on GPUs
            that have it, and on CPUs with such instructions unless the network is tiny. It hangs
            on the hardware and the network alone, never on a measurement: a resumed run computes
            as the one that was killed.
        device: where the network is.
        network: what computes; None = one of unknown size, in float32 on a CPU.
    """
    if precision != "auto":
        return precision == "bfloat16"
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    if device.type != "cpu" or network is None or not cpu_has_bfloat16():
        return False
    return sum(value.numel() for value in network.parameters()) >= _LEAST_PARAMETERS


def autocast(
    precision: str, device: torch.device, network: nn.Module | None = None
) -> AbstractContextManager[object]:
    """Compute in bfloat16 where `computes_in_bfloat16` says so."""
    if not computes_in_bfloat16(precision, device, network):
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)


@cache
def cpu_has_bfloat16() -> bool:
    """Say whether the CPU multiplies bfloat16 itself, by AVX512_BF16 or AMX."""
    available: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    return available and (
        torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    )
