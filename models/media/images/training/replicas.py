"""One of several processes that train the same network on shares of each batch."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, distributed, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.parallel import DistributedDataParallel

from models.device import best_device


@dataclass(frozen=True)
class Replica:
    """Which process this is.

    All processes draw the same batches from the same seed and learn from their shares of each.
    With gradients averaged and batch statistics taken over all shares, every step is that of one
    process on the whole batch, but for rounding.

    Attributes:
        rank: 0..count-1; 0 reports and keeps checkpoints.
        count: of processes.
    """

    rank: int = 0
    count: int = 1

    def share(self, batch: Tensor) -> Tensor:
        """Return this process's (B / count, ...) of a batch (B, ...).

        Every count-th example, which leaves partners of a loss over pairs (i, i + B / 2) together.
        """
        return batch if self.count == 1 else batch[self.rank :: self.count]

    def weight(self, size: int) -> float:
        """Return what makes a mean over this process's share count in the mean over all.

        Args:
            size: of how many this process's mean is; shares may differ in it.
        """
        if self.count == 1:
            return 1.0
        total = torch.tensor(float(size), device=best_device())
        distributed.all_reduce(total)
        return size * self.count / float(total)

    def wrapped(self, objective: nn.Module) -> nn.Module:
        """Return a module that computes a loss, with gradients averaged over the processes."""
        if self.count == 1:
            return objective
        return DistributedDataParallel(objective, forward_sync_buffers=False)


ALONE: Final = Replica()


@contextmanager
def joined(meeting: Path, rank: int, count: int) -> Iterator[Replica]:
    """Join the processes that were launched together, each with a GPU of its own if there are any.

    Args:
        meeting: a file that none of them has made yet.
        rank: which of them this is, from 0.
        count: how many they are.
    """
    on_gpu = best_device().type == "cuda"
    if on_gpu:
        torch.cuda.set_device(rank)
    distributed.init_process_group(
        "nccl" if on_gpu else "gloo",
        init_method=meeting.absolute().as_uri(),
        rank=rank,
        world_size=count,
    )
    try:
        yield Replica(rank, count)
    finally:
        distributed.destroy_process_group()


def share_statistics(network: nn.Module) -> None:
    """Make batch normalisation take its statistics over the batches of all processes.

    PyTorch's own module for this runs on GPUs only; on a CPU ours takes its place.
    """
    for parent in list(network.modules()):
        for name, child in parent.named_children():
            if isinstance(child, _BatchNorm):
                setattr(parent, name, _converted(child))


def _converted(norm: _BatchNorm) -> _BatchNorm:
    if best_device().type == "cuda":
        converted: _BatchNorm = nn.SyncBatchNorm.convert_sync_batchnorm(norm)  # type: ignore[no-untyped-call]
        return converted
    shared = _SharedBatchNorm(
        norm.num_features, norm.eps, norm.momentum, norm.affine, norm.track_running_stats
    )
    shared.load_state_dict(norm.state_dict())
    return shared.train(norm.training)


class _SharedBatchNorm(_BatchNorm):
    """Batch normalisation of (B, C, ...) over the shares of all processes, equal in size."""

    def _check_input_dim(self, input: Tensor) -> None:
        del input

    def forward(self, input: Tensor) -> Tensor:
        """Normalise; like its base class outside training."""
        if not self.training:
            return super().forward(input)
        x = input.float()
        shape = [1, -1, *[1] * (x.dim() - 2)]
        others = [axis for axis in range(x.dim()) if axis != 1]
        count = distributed.get_world_size()
        mean = _sum(x.mean(dim=others)) / count
        centred = x - mean.view(shape)
        variance = _sum(centred.square().mean(dim=others)) / count
        self._follow(mean, variance, x.numel() // x.shape[1] * count)
        out = centred * (variance + self.eps).rsqrt().view(shape)
        if self.affine:
            out = out * self.weight.view(shape) + self.bias.view(shape)
        return out.to(input.dtype)

    @torch.no_grad()
    def _follow(self, mean: Tensor, variance: Tensor, values: int) -> None:
        """Move the running averages."""
        if not self.track_running_stats:
            return
        assert self.running_mean is not None
        assert self.running_var is not None
        assert self.num_batches_tracked is not None
        self.num_batches_tracked.add_(1)
        # Without a momentum the averages are over all batches so far.
        weight = 1 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
        self.running_mean.lerp_(mean, weight)
        self.running_var.lerp_(variance * (values / (values - 1)), weight)


class _Sum(torch.autograd.Function):
    """The sum over all processes; each one's gradient flows back to all."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        del ctx
        total = value.clone()
        distributed.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        del ctx
        total = gradients[0].contiguous().clone()
        distributed.all_reduce(total)
        return total


def _sum(value: Tensor) -> Tensor:
    total: Tensor = _Sum.apply(value)
    return total
