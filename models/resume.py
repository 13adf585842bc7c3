"""What training needs to go on after a kill as if nothing had happened."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from models import tensorfile


class Batches:
    """Batch t is slice t of an endless stream of shuffled passes over the set.

    Every batch is full, however few examples there are, and follows from the seed and t alone.
    """

    def __init__(
        self, count: int, batch_size: int, seed: int, device: torch.device | None = None
    ) -> None:
        """Take the size of the set, that of a batch, the seed, and where the rows are needed."""
        self.count, self.batch_size, self.seed = count, batch_size, seed
        self.device = device or torch.device("cpu")
        self._passes: dict[int, Tensor] = {}

    def rows(self, step: int) -> Tensor:
        """Return the (batch_size,) int64 rows of a step."""
        first = step * self.batch_size
        last = first + self.batch_size - 1
        wanted = range(first // self.count, last // self.count + 1)
        self._passes = {
            n: self._passes[n] if n in self._passes else self._shuffled(n) for n in wanted
        }
        return torch.cat(
            [
                shuffled[max(0, first - n * self.count) : last + 1 - n * self.count]
                for n, shuffled in self._passes.items()
            ]
        )

    def _shuffled(self, number: int) -> Tensor:
        mixed = np.random.SeedSequence([self.seed, number]).generate_state(1)[0]
        shuffled = torch.randperm(self.count, generator=torch.Generator().manual_seed(int(mixed)))
        return shuffled.to(self.device)


def store(
    path: Path, module: nn.Module, optimizer: torch.optim.Optimizer, step: int, run: str
) -> None:
    """Write weights, momentum and the state of the random generators, atomically.

    Args:
        path: where to.
        module: what is trained.
        optimizer: over `module.parameters()`, with momentum.
        step: the next step.
        run: identifies the run, so that another one does not resume it by mistake.
    """
    tensors = {f"module.{name}": value for name, value in module.state_dict().items()}
    for number, parameter in enumerate(module.parameters()):
        momentum = optimizer.state[parameter].get("momentum_buffer")
        if momentum is not None:
            tensors[f"momentum.{number}"] = momentum
    tensors["random.cpu"] = torch.get_rng_state()
    device = _device(module)
    if device.type == "cuda":
        tensors["random.cuda"] = torch.cuda.get_rng_state(device)
    tensorfile.write(path, tensors, {"step": str(step), "run": run})


def restore(
    path: Path | None, module: nn.Module, optimizer: torch.optim.Optimizer, run: str
) -> int:
    """Load the state that `store` wrote for `run` and return the next step; 0 without any."""
    if path is None or not path.exists():
        return 0
    tensors, metadata = tensorfile.read(path)
    if metadata["run"] != run:
        return 0
    prefix = "module."
    module.load_state_dict(
        {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}
    )
    for number, parameter in enumerate(module.parameters()):
        momentum = tensors.get(f"momentum.{number}")
        if momentum is not None:
            like = torch.empty_like(parameter).copy_(momentum)
            optimizer.state[parameter]["momentum_buffer"] = like
    torch.set_rng_state(tensors["random.cpu"])
    device = _device(module)
    if "random.cuda" in tensors and device.type == "cuda":
        torch.cuda.set_rng_state(tensors["random.cuda"], device)
    return int(metadata["step"])


def _device(module: nn.Module) -> torch.device:
    return next(module.parameters()).device
