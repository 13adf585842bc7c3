"""How long work would take, measured on a little of it."""

import math
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

import psutil
import torch

from models.device import best_device

_FEW: Final = 2
_MOST_STEPS: Final = 50
_SECONDS: Final = 3.0
_LONG: Final = 10.0
_FEW_EXAMPLES: Final = 4
_LONG_FOR_FEW: Final = 2.0
_SAMPLE_SECONDS: Final = 0.02


def timed(run: Callable[[int], object], size: int) -> float:
    """Return the seconds that `run(size)` takes; it must wait for the device itself."""
    started = time.perf_counter()
    run(size)
    return time.perf_counter() - started


def step_seconds(run: Callable[[int], object]) -> float:
    """Measure one step of a training.

    Args:
        run: trains from scratch for so many steps. What it does before and after them drops out,
            being the same however many they are; one step is run first, in which libraries get
            ready and fast kernels are looked for.

    Returns:
        Seconds of one step, > 0.
    """
    run(1)
    few = timed(run, _FEW)
    if few > _LONG:
        return few / _FEW
    steps = _FEW + min(_MOST_STEPS, max(_FEW, round(_SECONDS * _FEW / max(few, 1e-6))))
    slope = (timed(run, steps) - few) / (steps - _FEW)
    # What varies from run to run may be more than the steps themselves, if those are tiny.
    return max(slope, 1e-6)


def long_step_seconds(run: Callable[[int], object], size: int) -> float | None:
    """Measure one step of a training on a few of its examples, where all would take minutes.

    Args:
        run: does one step on so many examples. What it does before and after it drops out.
        size: how many examples a step has.

    Returns:
        Seconds of one step, > 0; None where steps are short enough to be measured as they are.
    """
    if size <= 2 * _FEW_EXAMPLES:
        return None
    run(_FEW_EXAMPLES)
    few = timed(run, _FEW_EXAMPLES)
    if few < _LONG_FOR_FEW:
        return None
    many = timed(run, 2 * _FEW_EXAMPLES)
    each = (many - few) / _FEW_EXAMPLES
    # Where something else on the machine has slowed the fewer down.
    return size * (each if each > 0 else many / (2 * _FEW_EXAMPLES))


def extended_seconds(
    run: Callable[[int], object], size: int, target: int, *, highest_power: float = 1.0
) -> float:
    """Measure work on `size` examples and extend it to `target`.

    Args:
        run: does the work for so many examples.
        size: how many can be afforded now, >= 1.
        target: how many there are.
        highest_power: of the number of examples by which the work may grow. The power is measured
            between a quarter of `size` and `size`, and taken to be between 1 and this.
    """
    if size >= target:
        return timed(run, target)
    quarter = max(1, size // 4)
    run(quarter)
    few, many = timed(run, quarter), timed(run, size)
    power = 1.0
    if highest_power > 1 and size > quarter and few > 0:
        measured = math.log(many / few) / math.log(size / quarter)
        power = min(highest_power, max(1.0, measured))
    return float(many * (target / size) ** power)


def affine_seconds(run: Callable[[int], object], size: int, target: int) -> float:
    """Measure work of which a part is the same however many examples there are.

    Args:
        run: does the work for so many examples.
        size: how many can be afforded now, >= 2.
        target: how many there are.
    """
    if size >= target:
        return timed(run, target)
    few, many = timed(run, size // 2), timed(run, size)
    slope = max(0.0, (many - few) / (size - size // 2))
    return many + slope * (target - size)


class PeakMemory:
    """Measures the most memory in use while it is entered.

    On a GPU that is what PyTorch has reserved there; on a CPU it is all that the process holds.
    """

    def __init__(self) -> None:
        """Measure nothing yet."""
        self._device = best_device()
        self._process = psutil.Process()
        self._peak = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    @property
    def bytes(self) -> int:
        """The peak so far."""
        if self._device.type == "cuda":
            return int(torch.cuda.max_memory_reserved(self._device))
        return max(self._peak, int(self._process.memory_info().rss))

    @property
    def device(self) -> str:
        """Name of the device, for people."""
        if self._device.type == "cuda":
            return torch.cuda.get_device_name(self._device)
        return "CPU"

    def __enter__(self) -> Self:
        """Begin to measure."""
        if self._device.type == "cuda":
            # What earlier work has left in the cache is not the measured work's.
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(self._device)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop measuring."""
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._stop.wait(_SAMPLE_SECONDS):
            self._peak = max(self._peak, int(self._process.memory_info().rss))
