"""A short training of heads on frozen features with noisy labels, and what it shows.

The counterpart of `models.pruning.warm_up` where there is no network to train, and nothing to
augment: a strong view of an example is the example. What is recorded is described in
`models.pruning.view`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from models.heads.head import Scaling
from models.media.base import Store
from models.params.prune import PruneParams
from models.probability import log_softmax
from models.protocols import Float32Array, Indices, Progress
from models.pruning.grand import last_layer_norms
from models.pruning.view import PruningView
from models.relabeling.features import embed_rows

_MOMENTUM: Final = 0.9
_WEIGHT_DECAY: Final = 5e-4
_INITIAL: Final = 0.01


@dataclass(frozen=True)
class FrozenWarmUp:
    """The features of all examples, and one or more heads that learn their labels.

    Attributes:
        store: the pool.
        indices: (N,) rows of the store, ascending.
        labels: (N,) int64 in 0..classes-1, some of them wrong.
        classes: C.
        params: features, epochs, and how many heads.
        seed: of the features and the first head; the others count on from it.
        work: directory for the features, from which a call that was interrupted goes on. The caller
            removes it in the end.
    """

    store: Store
    indices: Indices
    labels: Indices
    classes: int
    params: PruneParams
    seed: int
    work: Path

    def train(self, progress: Progress | None = None) -> None:
        """Embed all examples, which is what takes long, and leave that in `work`.

        Args:
            progress: counts examples; may raise `Cancelled`.

        Raises:
            ModelError: a model for another medium, or weights that are not installed.
        """
        embed_rows(
            self.store,
            self.indices,
            self.params.network,
            flip=self.params.flip,
            seed=self.seed,
            out=self._features,
            progress=progress,
        )

    def look(self, progress: Progress | None = None) -> PruningView:
        """Warm the heads up, and record what they say of each example.

        Args:
            progress: counts epochs of all heads; may raise `Cancelled`.

        Returns:
            Everything: the features were learned without labels.
        """
        params = self.params
        features: Float32Array = np.load(self._features)
        inputs = Scaling.fit(features).apply(features) * np.float32(features.shape[1] ** 0.5)
        correct, norms, logits = [], [], []
        for number in range(params.models):
            for epoch, said in enumerate(self._epochs(inputs, self.seed + number), start=1):
                if number == 0:
                    correct.append(said.argmax(axis=1) == self.labels)
                if progress is not None:
                    progress(number * params.epochs + epoch, params.models * params.epochs)
            norms.append(last_layer_norms(said, inputs, self.labels))
            logits.append(said)
        own = np.take_along_axis(log_softmax(logits[0]), self.labels[:, None], axis=1)[:, 0]
        return PruningView(
            labels=self.labels,
            classes=self.classes,
            seed=self.seed,
            embeddings=features,
            logits=logits[0],
            plain_embeddings=features,
            plain_logits=logits[0],
            losses=(-own).astype(np.float32),
            correct=np.stack(correct),
            gradient_norms=np.stack(norms),
            self_supervised=features,
        )

    def _epochs(self, inputs: Float32Array, seed: int) -> Iterator[Float32Array]:
        """Train one head by stochastic gradient descent; (N, C) logits after each epoch."""
        generator = torch.Generator().manual_seed(seed)
        x, y = torch.from_numpy(inputs), torch.from_numpy(self.labels)
        head = nn.Linear(x.shape[1], self.classes)
        with torch.no_grad():
            head.weight.normal_(0, _INITIAL, generator=generator)
            head.bias.zero_()
        optimizer = torch.optim.SGD(
            head.parameters(),
            lr=self.params.learning_rate,
            momentum=_MOMENTUM,
            weight_decay=_WEIGHT_DECAY,
        )
        for _ in range(self.params.epochs):
            order = torch.randperm(len(x), generator=generator)
            for rows in torch.split(order, self.params.batch_size):
                optimizer.zero_grad()
                functional.cross_entropy(head(x[rows]), y[rows]).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
            with torch.inference_mode():
                yield head(x).numpy()

    @property
    def _features(self) -> Path:
        return self.work / "features.npy"
