"""A short training of heads on frozen features with noisy labels, and what it shows.

The counterpart of `models.pruning.warm_up` where there is no network to train. Images are embedded
as they are and in one strongly augmented view; of texts the strong view is the text. What is
recorded is described in `models.pruning.view`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from models.catalog.params.prune import PruneParams
from models.features.chosen import chosen_features, embed_rows
from models.features.embed import restore_extractor
from models.media.base import Store
from models.media.embedding_files import write_embeddings
from models.media.images.store import images_of
from models.media.images.strong_view import StrongRows
from models.numerics.probability import log_softmax
from models.protocols import Float32Array, Indices, Progress
from models.pruning.course import label_margins, label_probabilities
from models.pruning.grand import last_layer_norms
from models.pruning.progress import share_of
from models.pruning.view import PruningView
from models.relabeling.opinions import Axes

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
        evaluation: (E,) rows of the store that judge what is learned, and are embedded too.
    """

    store: Store
    indices: Indices
    labels: Indices
    classes: int
    params: PruneParams
    seed: int
    work: Path
    evaluation: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def train(self, progress: Progress | None = None) -> None:
        """Embed all examples, which is what takes long, and leave that in `work`.

        Args:
            progress: counts examples, those of images twice; may raise `Cancelled`.

        Raises:
            ModelError: a model for another medium, or weights that cannot be had.
        """
        views = 2 if self.augments else 1
        embed_rows(
            self.store,
            np.concatenate([self.indices, self.evaluation]),
            self.params.network,
            self.params.feature_params(),
            seed=self.seed,
            out=self._features,
            progress=share_of(progress, 0, views),
        )
        if self.augments:
            images = images_of(self.store)
            write_embeddings(
                StrongRows(images, self.indices, self.seed),
                partial(restore_extractor, self._features, images.size),
                out=self._strong,
                progress=share_of(progress, 1, views),
            )

    def look(self, progress: Progress | None = None) -> PruningView:
        """Warm the heads up, and record what they say of each example.

        Args:
            progress: counts epochs of all heads; may raise `Cancelled`.

        Returns:
            Everything: the features were learned without labels.
        """
        params = self.params
        features, strong, _ = self._chosen
        # In the mean of all axes and examples a feature is one away from its mean.
        factor = np.float32((features.size / max(float(np.square(features).sum()), 1e-12)) ** 0.5)
        inputs = features * factor
        # Heads are asked of the strong view too, and never learn from it.
        asked = np.concatenate([inputs, strong * factor]) if self.augments else inputs
        count = len(inputs)
        correct, probabilities, margins, norms, logits = [], [], [], [], []
        for number in range(params.models):
            for epoch, said in enumerate(self._epochs(asked, self.seed + number), start=1):
                if number == 0:
                    mine = said[:count]
                    correct.append(mine.argmax(axis=1) == self.labels)
                    probabilities.append(label_probabilities(mine, self.labels))
                    margins.append(label_margins(mine, self.labels))
                if progress is not None:
                    progress(number * params.epochs + epoch, params.models * params.epochs)
            norms.append(last_layer_norms(said[:count], inputs, self.labels))
            logits.append(said)
        plain, augmented = logits[0][:count], logits[0][-count:]
        own = np.take_along_axis(log_softmax(plain), self.labels[:, None], axis=1)[:, 0]
        return PruningView(
            labels=self.labels,
            classes=self.classes,
            seed=self.seed,
            embeddings=strong,
            logits=augmented,
            plain_embeddings=features,
            plain_logits=plain,
            losses=(-own).astype(np.float32),
            correct=np.stack(correct),
            label_probabilities=np.stack(probabilities),
            margins=np.stack(margins),
            gradient_norms=np.stack(norms),
            self_supervised=features,
        )

    @property
    def augments(self) -> bool:
        """Whether examples have a strongly augmented view."""
        return self.store.medium == "image"

    @property
    def evaluation_features(self) -> Float32Array:
        """(E, d) float32 features of what judges, on the same axes as those of `look`."""
        return self._chosen[2]

    @cached_property
    def _chosen(self) -> tuple[Float32Array, Float32Array, Float32Array]:
        """Features as they are, and in their strong view, (N, d) float32 each; those that judge.

        They lie on the leading axes, as in relabeling: along the others a head learns wrong labels
        by heart within a few epochs. Where a model leaves a choice of features, the labels make it.
        """
        found = chosen_features(
            np.load(self._features, mmap_mode="r"),
            self.labels,
            self.params.network,
            classes=self.classes,
            image_size=self.store.size,
            seed=self.seed,
        )
        count = len(self.labels)
        axes = Axes.fit(found.embeddings[:count])
        plain, judging = np.split(axes.apply(found.embeddings), [count])
        if not self.augments:
            return plain, plain, judging
        strong = np.load(self._strong, mmap_mode="r")[:, slice(*found.columns)]
        return plain, axes.apply(np.asarray(strong)), judging

    def _epochs(self, inputs: Float32Array, seed: int) -> Iterator[Float32Array]:
        """Train one head on the first N of (M, d) inputs; (M, C) logits after each epoch."""
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
            order = torch.randperm(len(y), generator=generator)
            for rows in torch.split(order, self.params.batch_size):
                optimizer.zero_grad()
                functional.cross_entropy(head(x[rows]), y[rows]).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
            with torch.inference_mode():
                yield head(x).numpy()

    @property
    def _features(self) -> Path:
        return self.work / "features.npy"

    @property
    def _strong(self) -> Path:
        return self.work / "strong.npy"
