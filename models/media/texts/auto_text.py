"""Two kinds of features of one pool of texts, between which the verdicts choose.

What English says is told apart best by a network that has read much of it; other languages, codes
and logs by their words and pieces of words. Which of the two a pool is, its first verdicts tell.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np
import torch
from torch import Tensor

from models.catalog.params.networks import AutoTextParams, HashedNgramsParams, MiniLMParams
from models.files import tensorfile
from models.heads.head import Scaling
from models.media.texts.hashed_ngrams import HashedNgrams
from models.media.texts.minilm import MiniLMFeatures
from models.media.texts.store import TextStore
from models.protocols import Float32Array, Progress

_SCALED_ON: Final = 1_024


class AutoTextFeatures:
    """Embeddings of both kinds side by side, each with mean squared norm one.

    Columns 0..383 are the network's, the others the pool's.
    """

    def __init__(self, tensors: Mapping[str, Tensor], params: AutoTextParams) -> None:
        """Take what `fit` has fitted, by names that begin with `network.` and `pool.`.

        Args:
            tensors: all of it.
            params: see the schema.

        Raises:
            ModelError: as `MiniLMFeatures`.
        """
        self.tensors = dict(tensors)
        self._network = MiniLMFeatures(
            tensorfile.part(tensors, "network."), MiniLMParams(windows=params.windows)
        )
        self._pool = HashedNgrams(tensorfile.part(tensors, "pool."), HashedNgramsParams())
        self._scales = [float(value) for value in tensors["scales"]]
        self.characters = max(self._network.characters, self._pool.characters)
        self.split = self._network.dimension
        self.dimension = self.split + self._pool.dimension

    @classmethod
    def fit(
        cls,
        store: TextStore,
        params: AutoTextParams,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> Self:
        """Learn features of the pool, and bring those of the network to the same scale.

        Args:
            store: the pool; at least one text.
            params: see the schema.
            seed: decides what is fitted.
            progress: counts texts; may raise `Cancelled`.

        Raises:
            ModelError: there are no texts, or the weights of the network are not installed.
        """
        pool = HashedNgrams.fit(store, HashedNgramsParams(), seed=seed, progress=progress)
        tensors = {f"pool.{name}": tensor for name, tensor in pool.tensors.items()}
        network = MiniLMFeatures({}, MiniLMParams(windows=params.windows))
        tensors |= {f"network.{name}": tensor for name, tensor in network.tensors.items()}
        tensors["scales"] = torch.ones(2, dtype=torch.float64)
        fitted = cls(tensors, params)
        rows = np.arange(0, len(store), max(1, len(store) // _SCALED_ON))
        parts = [
            fitted.extract(texts) for _, texts in store.take(rows).beginnings(fitted.characters)
        ]
        sample = np.concatenate(parts)
        fitted._scales = [
            Scaling.fit(part).scale for part in np.split(sample, [fitted.split], axis=1)
        ]
        fitted.tensors["scales"] = torch.tensor(fitted._scales, dtype=torch.float64)
        return fitted

    def extract(self, texts: Sequence[str]) -> Float32Array:
        """Map B texts to (B, D) float32 embeddings."""
        network, pool = (np.float32(scale) for scale in self._scales)
        return np.concatenate(
            [self._network.extract(texts) * network, self._pool.extract(texts) * pool], axis=1
        )

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write what was fitted to one safetensors file, atomically."""
        tensorfile.write(path, self.tensors, metadata)
