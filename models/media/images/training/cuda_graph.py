"""Repeating a training step on a GPU without launching its kernels one by one."""

import logging
from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor

_EAGER_STEPS: Final = 3
_LOG = logging.getLogger(__name__)


class Repeated:
    """A step on batches of one shape; on a GPU it is recorded once and then replayed.

    A small batch keeps a large GPU waiting for Python: a replayed CUDA graph needs one launch a
    step. Constants, such as the learning rate, are recorded too, so a step with another key is
    recorded anew. The first steps of each key run eagerly, which lets the libraries choose their
    kernels and the optimizer make its state. Where recording fails, every step runs eagerly.
    """

    def __init__(
        self, step: Callable[..., Tensor], device: torch.device, *, record: bool = True
    ) -> None:
        """Take a step: tensors on `device` and keyword flags to a loss without a gradient.

        Args:
            step: what is repeated.
            device: where.
            record: whether to, on a GPU; a step that waits for other processes is not recorded.
        """
        self._step = step
        self._records = record and device.type == "cuda"
        self._key: object = None
        self._eager = 0
        self._graph: torch.cuda.CUDAGraph | None = None
        self._inputs: list[Tensor] = []
        self._loss = torch.empty(0)

    def __call__(self, *batch: Tensor, key: object, **flags: bool) -> Tensor:
        """Take the step; the returned loss is overwritten by the next one.

        Args:
            batch: what the step takes.
            key: everything else that the step depends on and that changes now and then.
            flags: passed to the step; part of the key.
        """
        if not self._records:
            return self._step(*batch, **flags)
        key = (key, tuple(flags.items()))
        if key != self._key:
            self._key, self._eager, self._graph = key, 0, None
        if self._eager < _EAGER_STEPS:
            self._eager += 1
            return self._beside(*batch, **flags)
        if self._graph is None and not self._record(*batch, **flags):
            return self._step(*batch, **flags)
        assert self._graph is not None
        for kept, new in zip(self._inputs, batch, strict=True):
            kept.copy_(new)
        self._graph.replay()
        return self._loss

    def _beside(self, *batch: Tensor, **flags: bool) -> Tensor:
        """Run eagerly on a stream of its own, as whatever is recorded later has to be."""
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            loss = self._step(*batch, **flags)
        torch.cuda.current_stream().wait_stream(stream)
        return loss

    def _record(self, *batch: Tensor, **flags: bool) -> bool:
        graph = torch.cuda.CUDAGraph()
        self._inputs = [value.clone() for value in batch]
        try:
            with torch.cuda.graph(graph):
                self._loss = self._step(*self._inputs, **flags)
        except RuntimeError as error:
            _LOG.warning("No CUDA graph of the training step, which runs slower now: %s", error)
            self._records = False
            return False
        self._graph = graph
        return True
