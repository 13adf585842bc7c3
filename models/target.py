"""Target models: train one, score with it, save and load it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from models import tensorfile
from models.catalog import parse, validate
from models.data import PixelStore
from models.device import place
from models.embed import build_network, embed_pool, restore_network, uses_embeddings
from models.errors import ModelError
from models.head import LogisticHead, Scaling, fit_head
from models.nets import Network
from models.params.networks import HeadParams, TrainingParams
from models.protocols import Float32Array, Indices, LinearHead, Outputs, Progress, TargetModel
from models.train import predict, train

__all__ = ["embed_pool", "load_target", "train_target", "uses_embeddings"]

_NETWORK_BLOCK = 256
_HEAD_BLOCK = 16_384
_SCALING_ROWS = 10_000


def train_target(
    store: PixelStore,
    indices: Indices,
    labels: Indices,
    *,
    classes: int,
    name: str,
    params: Mapping[str, Any],
    seed: int,
    embeddings: NDArray[np.float32] | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> TargetModel:
    """Train a target model on the in-distribution answers.

    Args:
        store: the pool.
        indices: (n,) rows of the store.
        labels: (n,) int64 in 0..classes-1; a class may have no example.
        classes: C.
        name: a model of the catalog.
        params: its parameters.
        seed: same seed, same model (bit for bit on a CPU).
        embeddings: (N, D) of the whole pool, needed in frozen mode (`uses_embeddings`).
        checkpoint: resumable state of a network's training; the caller removes it in the end.
        progress: called every few steps; may raise `Cancelled`.

    Raises:
        ModelError: no labeled example, labels out of range, embeddings missing, or training
            diverged.
    """
    settings = parse("model", name, params)
    indices, labels = np.asarray(indices, np.int64), np.asarray(labels, np.int64)
    _check_labels(indices, labels, classes)
    stored = validate("model", name, params)
    if uses_embeddings(name, params):
        assert isinstance(settings, HeadParams)
        rows = _pool_embeddings(embeddings, name)
        sample = np.asarray(rows[:: max(1, len(rows) // _SCALING_ROWS)])
        head = fit_head(
            np.asarray(rows[indices]),
            labels,
            classes=classes,
            l2=settings.l2,
            scaling=Scaling.fit(sample),
        )
        if progress is not None:
            progress(1, 1)
        return HeadModel(head, rows, name, stored)
    assert isinstance(settings, TrainingParams)
    network = build_network(name, settings, classes=classes, store=store, seed=seed)
    train(
        network,
        store[indices],
        labels,
        params=settings,
        seed=seed,
        checkpoint=checkpoint,
        progress=progress,
    )
    return NetworkModel(network, store, name, stored)


def load_target(
    path: Path, store: PixelStore, *, embeddings: NDArray[np.float32] | None = None
) -> TargetModel:
    """Read what `TargetModel.save` wrote.

    Args:
        path: the safetensors file.
        store: the pool to score; images of the size that the model was trained on.
        embeddings: (N, D) of the pool, needed in frozen mode.

    Raises:
        ModelError: not a target model, wrong image size, or embeddings missing.
    """
    tensors, metadata = tensorfile.read(path)
    if metadata.get("format") != "karat-target":
        raise ModelError(f"{path} is not a saved target model.")
    name, params = metadata["name"], json.loads(metadata["params"])
    classes = int(metadata["classes"])
    if uses_embeddings(name, params):
        head = LogisticHead(
            Scaling(tensors["mean"].numpy(), float(tensors["scale"])),
            tensors["weight"].numpy(),
            tensors["bias"].numpy(),
            tensors["counts"].numpy(),
        )
        return HeadModel(head, _pool_embeddings(embeddings, name), name, params)
    if int(metadata["image_size"]) != store.size:
        raise ModelError(
            f"The model was trained on {metadata['image_size']} px images and the pool has "
            f"{store.size} px; train it again."
        )
    network = restore_network(
        name, parse("model", name, params), classes=classes, image_size=store.size, state=tensors
    )
    return NetworkModel(place(network).eval(), store, name, params)


class NetworkModel:
    """A trained network over a pixel store."""

    def __init__(
        self, network: Network, store: PixelStore, name: str, params: Mapping[str, Any]
    ) -> None:
        """Take a network in evaluation mode."""
        self.network, self.store, self.name, self.params = network, store, name, params
        self.classes = network.head.out_features

    def infer(self, indices: Indices, *, progress: Progress | None = None) -> Outputs:
        """Score rows of the store: one pass, un-augmented."""
        logits = np.empty((len(indices), self.classes), dtype=np.float32)
        embeddings = np.empty((len(indices), self.network.dimension), dtype=np.float32)
        for start in range(0, len(indices), _NETWORK_BLOCK):
            if progress is not None:
                progress(start, len(indices))
            block = slice(start, start + _NETWORK_BLOCK)
            outputs = predict(self.network, self.store[indices[block]], self.params["precision"])
            logits[block], embeddings[block] = outputs[0].numpy(), outputs[1].numpy()
        if progress is not None:
            progress(len(indices), len(indices))
        return Outputs(logits, embeddings)

    def linear_head(self) -> LinearHead:
        """Return the last layer."""
        head = self.network.head
        return LinearHead(
            head.weight.detach().cpu().float().numpy().T.copy(),
            head.bias.detach().cpu().float().numpy().copy(),
        )

    def save(self, path: Path) -> None:
        """Write weights, name, params and classes to one safetensors file, atomically."""
        metadata = tensorfile.describe(
            self.name,
            self.params,
            format="karat-target",
            classes=self.classes,
            image_size=self.store.size,
        )
        tensorfile.write(path, self.network.state_dict(), metadata)


class HeadModel:
    """A logistic head over the cached embeddings of a pool."""

    def __init__(
        self,
        head: LogisticHead,
        embeddings: NDArray[np.float32],
        name: str,
        params: Mapping[str, Any],
    ) -> None:
        """Take a head and the (N, D) embeddings of the pool."""
        self.head, self.embeddings, self.name, self.params = head, embeddings, name, params
        self.classes = len(head.bias)
        if embeddings.shape[1] != len(head.weight):
            raise ModelError(
                f"The head was trained on {len(head.weight)} features and the embeddings have "
                f"{embeddings.shape[1]}; train it again."
            )

    def infer(self, indices: Indices, *, progress: Progress | None = None) -> Outputs:
        """Score rows of the store from their embeddings."""
        rows: Float32Array = np.asarray(self.embeddings[indices], dtype=np.float32)
        logits = np.empty((len(rows), self.classes), dtype=np.float32)
        for start in range(0, len(rows), _HEAD_BLOCK):
            if progress is not None:
                progress(start, len(rows))
            logits[start : start + _HEAD_BLOCK] = self.head.logits(
                rows[start : start + _HEAD_BLOCK]
            )
        if progress is not None:
            progress(len(rows), len(rows))
        return Outputs(logits, rows)

    def linear_head(self) -> LinearHead:
        """Return the head for embeddings as they are, with the scaling folded in.

        The logit of a class without a training example is 0 here; `infer` gives it the probability
        of Laplace's rule, which is not linear.
        """
        scaling = self.head.scaling
        weight = self.head.weight * np.float32(scaling.scale)
        return LinearHead(weight, self.head.bias - scaling.mean @ weight)

    def save(self, path: Path) -> None:
        """Write the head, name, params and classes to one safetensors file, atomically."""
        tensors = {
            "mean": torch.from_numpy(self.head.scaling.mean),
            "scale": torch.tensor(self.head.scaling.scale, dtype=torch.float64),
            "weight": torch.from_numpy(self.head.weight),
            "bias": torch.from_numpy(self.head.bias),
            "counts": torch.from_numpy(self.head.counts),
        }
        metadata = tensorfile.describe(
            self.name, self.params, format="karat-target", classes=self.classes
        )
        tensorfile.write(path, tensors, metadata)


def _check_labels(indices: Indices, labels: Indices, classes: int) -> None:
    if indices.shape != labels.shape or indices.ndim != 1:
        raise ModelError(f"Got {indices.shape} indices for {labels.shape} labels; one each.")
    if len(labels) == 0:
        raise ModelError(
            "There is no labeled in-distribution example to train on; label some examples with a "
            "class first."
        )
    if labels.min() < 0 or labels.max() >= classes:
        raise ModelError(
            f"Labels run from {labels.min()} to {labels.max()}, expected 0..{classes - 1}; leave "
            "out-of-distribution answers out of training."
        )


def _pool_embeddings(embeddings: NDArray[np.float32] | None, name: str) -> NDArray[np.float32]:
    if embeddings is None:
        raise ModelError(f"The model {name} is frozen and needs embeddings; run embed_pool first.")
    return embeddings
