"""What training needs to go on after a kill as if nothing had happened."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from models.errors import Cancelled
from models.files import tensorfile
from models.protocols import Progress

_BUFFER: Final = "momentum_buffer"
_MOMENTUM: Final = "momentum"
# What optimisers keep of a parameter: SGD the first, AdamW the others.
_KEPT: Final = {_MOMENTUM: _BUFFER, **{name: name for name in ("step", "exp_avg", "exp_avg_sq")}}
INSIDE: Final = 0
OUTSIDE: Final = 1
_REPORT_EVERY = 10
_CHECKPOINT_SECONDS = 15.0


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


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Draw from the seed within, and leave the random generators outside as they are."""
    on_gpu = device.type == "cuda"
    with (
        torch.random.fork_rng([device] if on_gpu else []),
        # Every batch has one shape, so the first steps may try which kernels are fastest.
        torch.backends.cudnn.flags(enabled=True, benchmark=on_gpu),
    ):
        torch.manual_seed(seed)
        yield


def lane_generator(
    seed: int, step: int, lane: int, device: torch.device | None = None
) -> torch.Generator:
    """Return one that hangs on the step and lane alone, so that a resumed run draws as the killed.

    Args:
        seed: of the run.
        step: counted from 0.
        lane: `INSIDE` or `OUTSIDE`, which draw whatever the other does.
        device: where it draws; None = the CPU.
    """
    mixed = np.random.SeedSequence([seed, step, lane]).generate_state(1)[0]
    return torch.Generator(device or "cpu").manual_seed(int(mixed))


def counted(
    start: int,
    steps: int,
    *,
    save: Callable[[int], None],
    progress: Progress | None,
    report_every: int = _REPORT_EVERY,
) -> Iterator[int]:
    """Count the steps of training, keeping what is needed to go on, and reporting.

    Args:
        start: the first step.
        steps: one more than the last.
        save: keeps everything, gets the next step; called every few seconds, and when `progress`
            raises `Cancelled`.
        progress: called every few steps, before anything random is drawn for the step, and in the
            end.
        report_every: how many steps these few are.
    """
    saved_at = time.monotonic()
    for step in range(start, steps):
        if progress is not None and step % report_every == 0:
            try:
                progress(step, steps)
            except Cancelled:
                save(step)
                raise
        yield step
        if time.monotonic() - saved_at >= _CHECKPOINT_SECONDS:
            save(step + 1)
            saved_at = time.monotonic()
    if progress is not None:
        progress(steps, steps)


def store(
    path: Path, module: nn.Module, optimizer: torch.optim.Optimizer, step: int, run: str
) -> None:
    """Write weights, the state of the optimiser and that of the random generators, atomically.

    Args:
        path: where to.
        module: what is trained.
        optimizer: over `module.parameters()`; what it keeps of each is tensors.
        step: the next step.
        run: identifies the run, so that another one does not resume it by mistake.
    """
    tensors = {f"module.{name}": value for name, value in module.state_dict().items()}
    for number, parameter in enumerate(module.parameters()):
        for name, value in optimizer.state[parameter].items():
            if value is not None:
                tensors[f"{_MOMENTUM if name == _BUFFER else name}.{number}"] = value
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
        for stored, name in _KEPT.items():
            value = tensors.get(f"{stored}.{number}")
            if value is not None:
                # Steps are counted on the CPU, whatever the parameter is on.
                like = torch.empty_like(parameter) if value.shape == parameter.shape else value
                optimizer.state[parameter][name] = like.copy_(value)
    torch.set_rng_state(tensors["random.cpu"])
    device = _device(module)
    if "random.cuda" in tensors and device.type == "cuda":
        torch.cuda.set_rng_state(tensors["random.cuda"], device)
    return int(metadata["step"])


def _device(module: nn.Module) -> torch.device:
    return next(module.parameters()).device
