"""Several kinds of features of one pool, between which the verdicts choose.

What ImageNet shows is told apart best by a network that was trained on it, and what it does not
show, textures or digits, sometimes by features of the pool itself. Which of the two a pool is, its
first verdicts tell better than any rule about its images.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from models import tensorfile
from models.features.embed import NetworkExtractor
from models.features.patch_kmeans import PatchKMeans
from models.heads.head import Scaling
from models.heads.penalty import search_penalty
from models.media.image import PixelStore
from models.networks.build import build_network, restore_network
from models.networks.nets import Network
from models.params.networks import (
    NETWORK_DIMENSION,
    AutoParams,
    PackagedParams,
    PatchKMeansParams,
)
from models.protocols import Float32Array, Indices, Progress

POOL: Final = "patch_kmeans"
BOTH: Final = "both"

LEAST_FOR_NETWORK: Final = 24
"""Images of fewer pixels a side have features of the pool alone: the network sees blurs."""

# Features of the pool are of details, and cost as much as there are pixels.
_MOST_FOR_POOL: Final = 64
_SCALED_ON: Final = 1_024
# So many standard errors between two losses are no accident.
_SURE: Final = 2.0
# The network was the better one of every pool of photographs that was looked at, so others take
# its place by more than luck: of twenty answers chance alone prefers them every third time.
_DEPARTING: Final = 1.0


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
        self._pool = PatchKMeans(_part(tensors, "pool."), _pool_params(params))
        self._network: NetworkExtractor | None = None
        state, packaged = _part(tensors, "network."), PackagedParams()
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

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write what was fitted to one safetensors file, atomically."""
        tensorfile.write(path, self.tensors, metadata)


def split_of(image_size: int) -> int:
    """Return how many leading columns are the network's in a pool of images of so many pixels."""
    return NETWORK_DIMENSION if image_size >= LEAST_FOR_NETWORK else 0


@dataclass(frozen=True)
class Chosen:
    """Which features the verdicts prefer.

    Attributes:
        name: `network`'s name, "patch_kmeans" or "both".
        columns: Of the embeddings: from, and to before.
        losses: Mean cross-entropy of each candidate on answers left out, in nats; empty with too
            few answers to compare by.
        is_sure: Whether each other candidate is worse by more than two standard errors.
    """

    name: str
    columns: tuple[int, int]
    losses: Mapping[str, float]
    is_sure: bool

    @property
    def note(self) -> str:
        """What to say of it."""
        if not self.losses:
            return f"Features: {self.name}, until there are 20 answers to compare by."
        by_loss = sorted(self.losses.items(), key=lambda item: item[1])
        losses = ", ".join(f"{name} {loss:.2f}" for name, loss in by_loss)
        if self.is_sure:
            return f"Features: {self.name}, surely the best. Log loss of each: {losses}."
        if by_loss[0][0] != self.name:
            return (
                f"Features: {self.name}, as no other is better by more than chance. "
                f"Log loss of each: {losses}."
            )
        return f"Features: {self.name}, so far the best. Log loss of each: {losses}."


def choose_features(
    embeddings: NDArray[np.float32],
    indices: Indices,
    labels: Indices,
    *,
    classes: int,
    split: int,
    network: str,
    seed: int,
) -> Chosen | None:
    """Choose the candidate with the smallest cross-validated cross-entropy on the answers.

    The network, unless another is better by more than a standard error.

    Args:
        embeddings: (N, D) of the pool, as `AutoFeatures` makes them.
        indices: (n,) answered rows.
        labels: (n,) int64 in 0..classes; `classes` is OOD, which counts as one class more.
        classes: C.
        split: how many leading columns are the network's.
        network: its name.
        seed: decides the answers and the folds.

    Returns:
        None if there is but one candidate.
    """
    if split == 0:
        return None
    width = embeddings.shape[1]
    candidates = {network: (0, split), POOL: (split, width), BOTH: (0, width)}
    losses = {}
    for name, (start, stop) in candidates.items():
        part = embeddings[:, start:stop]
        found = search_penalty(
            np.asarray(part[indices]),
            labels,
            classes=classes,
            scaling=Scaling.of_pool(part),
            seed=seed,
        )
        if found is not None:
            losses[name] = found.losses
    if not losses:
        return Chosen(network, candidates[network], {}, is_sure=False)
    best = min(losses, key=lambda name: float(losses[name].mean()))
    if not _is_worse(losses[network] - losses[best], _DEPARTING):
        best = network
    is_sure = all(_is_worse(losses[name] - losses[best], _SURE) for name in losses if name != best)
    means = {name: float(values.mean()) for name, values in losses.items()}
    return Chosen(best, candidates[best], means, is_sure)


def _is_worse(apart: NDArray[np.float64], errors: float) -> bool:
    """Say whether (n,) differences of losses are above zero by so many standard errors."""
    error = float(apart.std(ddof=1)) / np.sqrt(len(apart))
    return bool(apart.mean() > errors * error)


class _Shrunk(PixelStore):
    """A store whose images are made smaller as they are read."""

    def __init__(self, store: PixelStore) -> None:
        super().__init__(store.path, store.size, store.count)
        self.size = min(store.size, _MOST_FOR_POOL)

    def __getitem__(self, indices: Indices | slice) -> NDArray[np.uint8]:  # type: ignore[override]
        return _shrunk(super().__getitem__(indices))


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


def _part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
