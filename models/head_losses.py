"""Predicting the loss of a logistic head from embeddings: `loss_prediction` in frozen mode.

Ours, after D. Yoo, I. S. Kweon, "Learning Loss for Active Learning", CVPR 2019. Their module learns
from the losses of a network while it trains. A head is fitted to its optimum at once, and its
losses on what it was fitted to say little about other examples; so the module, on the embedding as
its only stage, learns from the losses of examples that were held out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from models.head import Scaling, fit_head
from models.loss_prediction import LossPrediction, pair_loss
from models.probability import log_softmax
from models.protocols import Float32Array, Indices

LEAST_TO_PREDICT: Final = 10
"""With fewer answers there is nothing to learn from, and all predictions are 0."""

_FOLDS: Final = 5
_STEPS: Final = 300
_BATCH_SIZE: Final = 256
_LEARNING_RATE: Final = 1e-3
_WEIGHT_DECAY: Final = 0.01
_BLOCK: Final = 16_384
_PREFIX: Final = "loss_prediction."


@dataclass(frozen=True)
class HeadLosses:
    """A loss-prediction module on scaled embeddings."""

    scaling: Scaling
    module: LossPrediction

    @classmethod
    def learn(
        cls,
        embeddings: Float32Array,
        labels: Indices,
        *,
        classes: int,
        l2: float,
        scaling: Scaling,
        seed: int,
    ) -> "HeadLosses":
        """Learn from the in-distribution answers.

        Args:
            embeddings: (n, D) float32, unscaled.
            labels: (n,) int64 in 0..classes-1.
            classes: C.
            l2: of the head.
            scaling: statistics of the pool.
            seed: decides the folds, the initial weights and the batches.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            module = LossPrediction([embeddings.shape[1]])
            losses = cls(scaling, module)
            if len(labels) < LEAST_TO_PREDICT:
                torch.nn.init.zeros_(module.last.weight)
                torch.nn.init.zeros_(module.last.bias)
                return losses
            target = held_out_losses(
                embeddings, labels, classes=classes, l2=l2, scaling=scaling, seed=seed
            )
            _train(module, losses._inputs(embeddings), torch.from_numpy(target))
        return losses

    @torch.inference_mode()
    def predict(self, embeddings: Float32Array) -> Float32Array:
        """Map (N, D) embeddings to (N,) float32, higher = larger loss; only their order counts."""
        result = np.empty(len(embeddings), dtype=np.float32)
        for start in range(0, len(embeddings), _BLOCK):
            block = slice(start, start + _BLOCK)
            result[block] = self.module([self._inputs(embeddings[block])]).numpy()
        return result

    def tensors(self) -> dict[str, Tensor]:
        """Return what `from_tensors` needs beside the tensors of the head."""
        return {_PREFIX + name: value for name, value in self.module.state_dict().items()}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor], scaling: Scaling) -> "HeadLosses | None":
        """Rebuild from what `tensors` returned; None when there is nothing of the kind."""
        state = {
            name.removeprefix(_PREFIX): value
            for name, value in tensors.items()
            if name.startswith(_PREFIX)
        }
        if not state:
            return None
        module = LossPrediction([len(scaling.mean)])
        module.load_state_dict(state)
        return cls(scaling, module)

    def _inputs(self, embeddings: Float32Array) -> Tensor:
        # Unit variance of a feature instead of unit length of a row: what layers start out for.
        rows = self.scaling.apply(embeddings) * np.float32(np.sqrt(embeddings.shape[1]))
        return torch.from_numpy(rows)


def held_out_losses(
    embeddings: Float32Array,
    labels: Indices,
    *,
    classes: int,
    l2: float,
    scaling: Scaling,
    seed: int,
) -> Float32Array:
    """Return the cross-entropy of each example under a head fitted without its fold.

    Arguments as of `HeadLosses.learn`; n >= 2.

    Returns:
        (n,) float32, >= 0.
    """
    order = np.random.default_rng(seed).permutation(len(labels))
    losses = np.empty(len(labels), dtype=np.float32)
    for fold in range(min(_FOLDS, len(labels))):
        out = order[fold::_FOLDS]
        kept = np.setdiff1d(order, out)
        head = fit_head(embeddings[kept], labels[kept], classes=classes, l2=l2, scaling=scaling)
        probabilities = log_softmax(head.logits(embeddings[out]))
        losses[out] = -np.take_along_axis(probabilities, labels[out, None], axis=1)[:, 0]
    return losses


def _train(module: LossPrediction, inputs: Tensor, losses: Tensor) -> None:
    optimizer = torch.optim.AdamW(
        module.parameters(), lr=_LEARNING_RATE, weight_decay=_WEIGHT_DECAY
    )
    for _ in range(_STEPS):
        rows = torch.randint(len(losses), (_BATCH_SIZE,))
        loss = pair_loss(module([inputs[rows]]), losses[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
