"""Predicting the loss of a logistic head: `loss_prediction` in frozen mode.

Ours, after D. Yoo, I. S. Kweon, "Learning Loss for Active Learning", CVPR 2019: their module, on
the two stages that there are. An embedding alone says little about the loss (a rank correlation
with that of unseen CIFAR-10 images of 0.13 to 0.38 with 100 to 2,000 labels); beside the sorted
probabilities of the head it is 0.43 to 0.75, which is no more than their entropy has.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.heads.head import LogisticHead
from models.heads.loss_prediction import LossPrediction, pair_loss
from models.numerics.probability import softmax
from models.protocols import Float32Array, Indices

LEAST_TO_PREDICT: Final = 10
"""With fewer answers there is nothing to learn from, and all predictions are 0."""

_STEPS: Final = 300
_BATCH_SIZE: Final = 256
_LEARNING_RATE: Final = 1e-3
_WEIGHT_DECAY: Final = 0.01
_BLOCK: Final = 16_384
_PREFIX: Final = "loss_prediction."


@dataclass(frozen=True)
class HeadLosses:
    """A loss-prediction module on scaled embeddings and sorted probabilities."""

    head: LogisticHead
    module: LossPrediction

    @classmethod
    def learn(
        cls, head: LogisticHead, embeddings: Float32Array, labels: Indices, *, seed: int
    ) -> "HeadLosses":
        """Learn from the losses of a head on the answers that it was fitted to.

        Args:
            head: fitted.
            embeddings: (n, D) float32, unscaled.
            labels: (n,) int64 in 0..C-1.
            seed: decides the initial weights and the batches.
        """
        logits = torch.from_numpy(head.logits(embeddings))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            losses = cls(head, _module(head))
            if len(labels) < LEAST_TO_PREDICT:
                torch.nn.init.zeros_(losses.module.last.weight)
                torch.nn.init.zeros_(losses.module.last.bias)
            else:
                target = functional.cross_entropy(
                    logits, torch.from_numpy(labels), reduction="none"
                )
                _train(losses.module, losses._stages(embeddings), target)
        return losses

    @torch.inference_mode()
    def predict(self, embeddings: Float32Array) -> Float32Array:
        """Map (N, D) embeddings to (N,) float32, higher = larger loss; only their order counts."""
        result = np.empty(len(embeddings), dtype=np.float32)
        for start in range(0, len(embeddings), _BLOCK):
            block = slice(start, start + _BLOCK)
            result[block] = self.module(self._stages(embeddings[block])).numpy()
        return result

    def tensors(self) -> dict[str, Tensor]:
        """Return what `from_tensors` needs beside the head."""
        return {_PREFIX + name: value for name, value in self.module.state_dict().items()}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor], head: LogisticHead) -> "HeadLosses | None":
        """Rebuild from what `tensors` returned; None when there is nothing of the kind."""
        state = {
            name.removeprefix(_PREFIX): value
            for name, value in tensors.items()
            if name.startswith(_PREFIX)
        }
        if not state:
            return None
        module = _module(head)
        module.load_state_dict(state)
        return cls(head, module)

    def _stages(self, embeddings: Float32Array) -> list[Tensor]:
        probabilities = np.sort(softmax(self.head.logits(embeddings)), axis=1)
        return [
            torch.from_numpy(self.head.scaling.apply(embeddings)),
            torch.from_numpy(probabilities.astype(np.float32)),
        ]


def _module(head: LogisticHead) -> LossPrediction:
    return LossPrediction(head.weight.shape)


def _train(module: LossPrediction, stages: list[Tensor], losses: Tensor) -> None:
    optimizer = torch.optim.AdamW(
        module.parameters(), lr=_LEARNING_RATE, weight_decay=_WEIGHT_DECAY
    )
    for _ in range(_STEPS):
        rows = torch.randint(len(losses), (_BATCH_SIZE,))
        loss = pair_loss(module([stage[rows] for stage in stages]), losses[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
