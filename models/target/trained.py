"""What training leaves: models that score the pool and are saved."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from models.errors import ModelError
from models.files import tensorfile
from models.heads.head import LogisticHead
from models.heads.head_losses import HeadLosses
from models.media.base import Store
from models.media.images.networks.nets import Network
from models.media.images.store import ImageRows, images_of
from models.media.images.training.perturbation import moved_to_class
from models.media.images.training.train import images_at_once, predict
from models.protocols import Float32Array, Indices, LinearHead, Outputs, Progress

_NETWORK_BLOCK = 256
_HEAD_BLOCK = 16_384


class NetworkModel:
    """A trained network over a pixel store."""

    def __init__(
        self, network: Network, store: ImageRows, name: str, params: Mapping[str, Any]
    ) -> None:
        """Take a network in evaluation mode."""
        self.network, self.store, self.name, self.params = network, store, name, params
        self.notes: tuple[str, ...] = ()
        self.classes = network.classes

    def infer(self, indices: Indices, *, progress: Progress | None = None) -> Outputs:
        """Score rows of the store: one pass, un-augmented."""
        network, count = self.network, len(indices)
        logits = np.empty((count, self.classes), dtype=np.float32)
        embeddings = np.empty((count, network.dimension), dtype=np.float32)
        ood = np.empty(count, dtype=np.float32) if network.has_ood_output else None
        losses = np.empty(count, dtype=np.float32) if network.loss_prediction is not None else None
        rows = images_at_once(network, self.store.size)
        for start in range(0, count, rows):
            if progress is not None:
                progress(start, count)
            block = slice(start, start + rows)
            found = predict(network, self.store[indices[block]], self.params["precision"])
            for kept, new in zip((logits, embeddings, ood, losses), found, strict=True):
                if kept is not None and new is not None:
                    kept[block] = new.numpy()
        if progress is not None:
            progress(count, count)
        return Outputs(logits, embeddings, ood, losses)

    def linear_head(self) -> LinearHead:
        """Return the last layer, without the output for OOD."""
        head = self.network.head
        return LinearHead(
            head.weight[: self.classes].detach().cpu().float().numpy().T.copy(),
            head.bias[: self.classes].detach().cpu().float().numpy().copy(),
        )

    def perturbed_logits(
        self, indices: Indices, *, temperature: float, epsilon: float
    ) -> Float32Array:
        """Move pixels towards the predicted class (`TargetModel.perturbed_logits`).

        In float32 whatever the precision of the model: bfloat16 rounds such steps away.
        """
        logits = np.empty((len(indices), self.classes), dtype=np.float32)
        device = self.network.mean.device
        for start in range(0, len(indices), _NETWORK_BLOCK):
            block = slice(start, start + _NETWORK_BLOCK)
            x = torch.from_numpy(self.store[indices[block]]).to(device).permute(0, 3, 1, 2)
            moved = moved_to_class(
                lambda images: self.network(images)[0][:, : self.classes],
                (x.float() / 255).contiguous(memory_format=torch.channels_last),
                temperature=temperature,
                epsilon=epsilon,
            )
            with torch.inference_mode():
                logits[block] = self.network(moved)[0][:, : self.classes].cpu().numpy()
        return logits

    def pixels(self, indices: Indices) -> NDArray[np.uint8]:
        """Return rows of the store: (n, S, S, 3) uint8."""
        return self.store[indices]

    def save(self, path: Path) -> None:
        """Write weights, name, params and classes to one safetensors file, atomically."""
        metadata = tensorfile.describe(
            self.name,
            self.params,
            format="karat-target",
            classes=self.classes,
            image_size=self.store.size,
            fit=self.store.fit,
        )
        tensorfile.write(path, self.network.state_dict(), metadata)


class HeadModel:
    """A logistic head over the cached embeddings of a pool."""

    def __init__(
        self,
        head: LogisticHead,
        embeddings: NDArray[np.float32],
        store: Store,
        name: str,
        params: Mapping[str, Any],
        losses: HeadLosses | None = None,
        *,
        columns: tuple[int, int] | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Take a head over columns of the pool's embeddings.

        Args:
            head: for D features.
            embeddings: (N, D) of the pool.
            store: its examples.
            name: of the catalog.
            params: its parameters.
            losses: what predicts losses.
            columns: from and to before, of the pool's file that `embeddings` are; None = all.
            notes: what was decided in training.
        """
        self.columns, self.notes = columns, notes
        self.head, self.embeddings, self.store = head, embeddings, store
        self.name, self.params, self.losses = name, params, losses
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
        losses = None if self.losses is None else self.losses.predict(rows)
        return Outputs(logits, rows, self.head.ood_logits(rows), losses)

    def linear_head(self) -> LinearHead:
        """Return the head for embeddings as they are, with the scaling folded in.

        The logit of a class without a training example is 0 here; `infer` gives it the probability
        of Laplace's rule, which is not linear.
        """
        scaling = self.head.scaling
        weight = self.head.weight * np.float32(scaling.scale)
        return LinearHead(weight, self.head.bias - scaling.mean @ weight)

    def perturbed_logits(
        self, indices: Indices, *, temperature: float, epsilon: float
    ) -> Float32Array:
        """Move embeddings towards the predicted class (`TargetModel.perturbed_logits`).

        Classes without a training example take no part in the gradient.
        """
        linear, present = self.linear_head(), self.head.counts > 0
        weight = torch.from_numpy(linear.weight[:, present])
        bias = torch.from_numpy(linear.bias[present])
        logits = np.empty((len(indices), self.classes), dtype=np.float32)
        for start in range(0, len(indices), _HEAD_BLOCK):
            block = slice(start, start + _HEAD_BLOCK)
            rows = np.array(self.embeddings[indices[block]], dtype=np.float32)
            moved = moved_to_class(
                lambda x: x @ weight + bias,
                torch.from_numpy(rows),
                temperature=temperature,
                epsilon=epsilon * self.head.scaling.unit,
            )
            logits[block] = self.head.logits(moved.numpy())
        return logits

    def pixels(self, indices: Indices) -> NDArray[np.uint8]:
        """Return rows of a store of images: (n, S, S, 3) uint8."""
        return images_of(self.store)[indices]

    def save(self, path: Path) -> None:
        """Write the head, name, params and classes to one safetensors file, atomically."""
        tensors = self.head.tensors()
        if self.losses is not None:
            tensors |= self.losses.tensors()
        facts: dict[str, object] = {"format": "karat-target", "classes": self.classes}
        if self.columns is not None:
            facts["columns"] = json.dumps(self.columns)
        tensorfile.write(path, tensors, tensorfile.describe(self.name, self.params, **facts))
