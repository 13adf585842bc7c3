"""Several kinds of features of one pool, between which the verdicts choose.

What ImageNet shows is told apart best by a network that was trained on it, and what it does not
show, textures or digits, sometimes by features of the pool itself. Which of the two a pool is, its
first verdicts tell better than any rule about its images.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from models.catalog.params.networks import (
    AutoParams,
    PackagedParams,
    PatchKMeansParams,
)
from models.files import tensorfile
from models.heads.feature_choice import LEAST_FOR_NETWORK
from models.heads.head import Scaling
from models.media.images.extractor import NetworkExtractor
from models.media.images.networks.build import build_network, restore_network
from models.media.images.networks.nets import Network
from models.media.images.patch_kmeans import PatchKMeans
from models.media.images.store import PixelStore
from models.protocols import Float32Array, Indices, Progress

# Features of the pool are of details, and cost as much as there are pixels.
_MOST_FOR_POOL: Final = 64
_SCALED_ON: Final = 1_024


class AutoFeatures:
    """Embeddings of both kinds side by side, each with mean squared norm one.

    Columns 0..S-1 are the network's, the others the pool's.
    """

    def __init__(
        self, tensors: Mapping[str, Tensor], params: AutoParams, network: Network | None = None
    ) -> None:
        """Take what `fit` has fitted, by names that begin with `network.` and `pool.`.

        Args:
            tensors: all of it.
            params: see the schema.
            network: made of the same tensors, if it is there already.
        """
        self.tensors = dict(tensors)
        self._pool = PatchKMeans(tensorfile.part(tensors, "pool."), _pool_params(params))
        self._network: NetworkExtractor | None = None
        state, packaged = tensorfile.part(tensors, "network."), PackagedParams()
        if network is None and state:
            network = restore_network(
                params.network, packaged, classes=1, image_size=int(tensors["side"]), state=state
            )
        if network is not None:
            self._network = NetworkExtractor(network, packaged.precision, rooted=True)
        self._scales = [float(value) for value in tensors["scales"]]
        self.split = 0 if self._network is None else self._network.dimension
        self.dimension = self.split + self._pool.dimension

    @classmethod
    def fit(
        cls,
        store: PixelStore,
        params: AutoParams,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> Self:
        """Learn features of the pool, and take those of the network where images are large enough.

        Args:
            store: the pool; as for `PatchKMeans.fit`.
            params: see the schema.
            seed: decides what is fitted.
            progress: called after each iteration; may raise `Cancelled`.
        """
        pool = PatchKMeans.fit(
            _Shrunk(store.whole), _pool_params(params), seed=seed, progress=progress
        )
        tensors = {f"pool.{name}": tensor for name, tensor in pool.tensors.items()}
        network = None
        if store.size >= LEAST_FOR_NETWORK:
            network = build_network(
                params.network, PackagedParams(), classes=1, store=store, seed=seed
            )
            state = network.state_dict()
            tensors |= {f"network.{name}": tensor for name, tensor in state.items()}
        tensors["side"] = torch.tensor(store.size)
        tensors["scales"] = torch.ones(2, dtype=torch.float64)
        fitted = cls(tensors, params, network)
        sample = fitted.extract(store[slice(0, None, max(1, len(store) // _SCALED_ON))])
        fitted._scales = [
            Scaling.fit(part).scale if part.shape[1] else 1.0
            for part in (sample[:, : fitted.split], sample[:, fitted.split :])
        ]
        fitted.tensors["scales"] = torch.tensor(fitted._scales, dtype=torch.float64)
        return fitted

    def extract(self, pixels: NDArray[np.uint8]) -> Float32Array:
        """Map (B, S, S, 3) uint8 images to (B, D) float32 embeddings."""
        parts = [self._pool.extract(_shrunk(pixels)) * np.float32(self._scales[1])]
        if self._network is not None:
            parts.insert(0, self._network.extract(pixels) * np.float32(self._scales[0]))
        return np.concatenate(parts, axis=1)

    @property
    def network(self) -> tuple[NetworkExtractor, float] | None:
        """What makes the first columns, and by what they are multiplied."""
        return None if self._network is None else (self._network, self._scales[0])

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write what was fitted to one safetensors file, atomically."""
        tensorfile.write(path, self.tensors, metadata)


class _Shrunk(PixelStore):
    """A store whose images are made smaller as they are read."""

    def __init__(self, store: PixelStore) -> None:
        self.path, self.count, self.fit = store.path, store.count, store.fit
        self.size = min(store.size, _MOST_FOR_POOL)
        self._store = store

    def __getitem__(self, indices: Indices | slice | Sequence[int]) -> NDArray[np.uint8]:
        return _shrunk(self._store[indices])


def _shrunk(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scale (B, S, S, 3) images down to 64 px, if they are larger."""
    if pixels.shape[1] <= _MOST_FOR_POOL:
        return pixels
    images = torch.from_numpy(pixels).permute(0, 3, 1, 2)
    side = (_MOST_FOR_POOL, _MOST_FOR_POOL)
    smaller = functional.interpolate(images, side, mode="bilinear", antialias=True)
    return smaller.permute(0, 2, 3, 1).contiguous().numpy()


def _pool_params(params: AutoParams) -> PatchKMeansParams:
    return PatchKMeansParams(flip=params.flip)
