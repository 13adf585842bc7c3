"""Target models: train one, and load what was saved of one."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.catalog import parse, validate
from models.catalog.params.networks import BackboneParams, HeadParams, OutputParams, TrainingParams
from models.device import place
from models.errors import ModelError, listed
from models.features.embed import uses_embeddings
from models.files import tensorfile
from models.heads.feature_choice import Chosen, choose_features, sides_of
from models.heads.head import LogisticHead, Scaling, fit_head
from models.heads.head_losses import LEAST_TO_PREDICT, HeadLosses
from models.heads.penalty import choose_penalty
from models.media.base import Store
from models.media.images.networks.build import build_network, restore_network
from models.media.images.networks.nets import Network
from models.media.images.store import frame_learned, images_of, require_frame
from models.media.images.training.parallel import train_together
from models.media.images.training.train import train
from models.media.images.weight_files.fitting import digest
from models.protocols import Indices, Progress, TargetModel
from models.target.trained import HeadModel, NetworkModel


def train_target(
    store: Store,
    indices: Indices,
    labels: Indices,
    *,
    classes: int,
    name: str,
    params: Mapping[str, Any],
    seed: int,
    ood_indices: Indices | None = None,
    auxiliary_indices: Indices | None = None,
    embeddings: NDArray[np.float32] | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
    processes: int = 1,
    trainer: Callable[..., Network] = train,
) -> TargetModel:
    """Train a target model on the in-distribution answers, and as it is told on the OOD answers.

    Parameters that need OOD answers do nothing while there are none: see `training_notes`.

    Args:
        store: the pool.
        indices: (n,) rows of the store.
        labels: (n,) int64 in 0..classes-1; a class may have no example.
        classes: C.
        name: a model of the catalog.
        params: its parameters.
        seed: same seed, same model (bit for bit on a CPU).
        ood_indices: (m,) rows of the store that were called OOD, for `ood_class`, `taufe`
            and `oat`.
        auxiliary_indices: (a,) rows of the store that were imported as OOD, for `taufe` and `oat`.
        embeddings: (N, D) of the whole pool, needed in frozen mode (`uses_embeddings`).
        checkpoint: resumable state of a network's training; the caller removes it in the end.
        progress: called every few steps; may raise `Cancelled`.
        processes: how many train a network, each with a share of the batches and a GPU of its own
            if there are any; the result is that of one but for rounding.
        trainer: trains a network, in this process; takes what `train` does.

    Raises:
        ModelError: no labeled example, labels out of range, embeddings missing, training diverged,
            or a batch cannot be shared.
    """
    settings = parse("model", name, params)
    indices, labels = np.asarray(indices, np.int64), np.asarray(labels, np.int64)
    _check_labels(indices, labels, classes)
    stored = validate("model", name, params)
    if isinstance(settings, BackboneParams) and settings.wants_file:
        # A path says nothing elsewhere, and a saved network needs no file.
        stored["weights"] = digest(settings.weights)
    ood = np.empty(0, np.int64) if ood_indices is None else np.asarray(ood_indices, np.int64)
    answered = np.concatenate([indices, ood])
    said = np.concatenate([labels, np.full(len(ood), classes)])
    if settings.ood_class:
        indices, labels = answered, said
    if uses_embeddings(name, params):
        assert isinstance(settings, HeadParams)
        rows = _pool_embeddings(embeddings, name)
        chosen = _chosen(settings, rows, answered, said, classes, store.size, seed)
        if chosen is not None:
            rows = rows[:, slice(*chosen.columns)]
        head, losses = _learned_head(rows, indices, labels, settings, classes=classes, seed=seed)
        if progress is not None:
            progress(1, 1)
        columns, notes = (None, ()) if chosen is None else (chosen.columns, (chosen.note,))
        return HeadModel(head, rows, store, name, stored, losses, columns=columns, notes=notes)
    assert isinstance(settings, TrainingParams)
    images = images_of(store)
    network = build_network(
        name,
        settings,
        classes=classes,
        store=images,
        seed=seed,
        ood_output=bool((labels == classes).any()),
        loss_prediction=settings.loss_prediction,
    )
    learn: Callable[..., Network] = partial(trainer, params=settings)
    if processes > 1:
        learn = partial(train_together, name=name, params=stored, processes=processes)
    regularizing = _regularizing(settings, ood, auxiliary_indices)
    learn(
        network,
        images.take(indices),
        labels,
        seed=seed,
        ood_pixels=images.take(regularizing) if len(regularizing) else None,
        checkpoint=checkpoint,
        progress=progress,
    )
    return NetworkModel(network, images, name, stored)


def _chosen(
    settings: HeadParams,
    rows: NDArray[np.float32],
    indices: Indices,
    labels: Indices,
    classes: int,
    image_size: int | None,
    seed: int,
) -> Chosen | None:
    """Choose among the features of a model that leaves a choice, by all answers; else None."""
    sides = sides_of(settings, image_size)
    if sides is None:
        return None
    return choose_features(rows, indices, labels, classes=classes, sides=sides, seed=seed)


def _learned_head(
    rows: NDArray[np.float32],
    indices: Indices,
    labels: Indices,
    settings: HeadParams,
    *,
    classes: int,
    seed: int,
) -> tuple[LogisticHead, HeadLosses | None]:
    """Fit the head of frozen mode over (N, D) embeddings, and what predicts its losses."""
    x = np.asarray(rows[indices])
    scaling, l2 = Scaling.of_pool(rows), settings.l2
    if l2 is None:
        l2 = choose_penalty(x, labels, classes=classes, scaling=scaling, seed=seed)
    head = fit_head(x, labels, classes=classes, l2=l2, scaling=scaling)
    if not settings.loss_prediction:
        return head, None
    inside = labels < classes
    return head, HeadLosses.learn(head, x[inside], labels[inside], seed=seed)


def _regularizing(settings: TrainingParams, ood: Indices, auxiliary: Indices | None) -> Indices:
    """Return the rows of the store that `taufe` and `oat` learn from."""
    parts = []
    if settings.regularized and settings.ood_from != "auxiliary_ood":
        parts.append(ood)
    if settings.regularized and settings.ood_from != "verdicts" and auxiliary is not None:
        parts.append(np.asarray(auxiliary, np.int64))
    return np.concatenate([np.empty(0, np.int64), *parts])


def training_notes(
    name: str,
    params: Mapping[str, Any],
    *,
    inside: int,
    ood: int,
    auxiliary: int = 0,
    missing: Sequence[str] = (),
) -> tuple[str, ...]:
    """Say what a model cannot do yet, for want of answers.

    Args:
        name: a model of the catalog.
        params: its parameters.
        inside: how many in-distribution answers there are.
        ood: how many OOD answers there are.
        auxiliary: how many images were imported as OOD.
        missing: names of the classes without an example.
    """
    settings = parse("model", name, params)
    notes = []
    if missing:
        notes.append(
            f"Classes without a label to train on ({len(missing)}): "
            f"{listed(missing, len(missing))}; the model cannot predict them."
        )
    if not isinstance(settings, OutputParams):
        return tuple(notes)
    # A head takes OOD answers as they come; a network is asked for an output of its own for them.
    if ood == 0 and settings.ood_class and isinstance(settings, TrainingParams):
        notes.append("No OOD answer yet: the model was trained without an output for OOD.")
    if isinstance(settings, TrainingParams) and settings.regularized:
        sources = {"verdicts": ood, "auxiliary_ood": auxiliary, "both": ood + auxiliary}
        if sources[settings.ood_from] == 0:
            remedy = "TAUFE" if settings.taufe > 0 else "OAT"
            notes.append(f"No OOD image to learn from yet: the model was trained without {remedy}.")
    if settings.loss_prediction and inside < LEAST_TO_PREDICT and uses_embeddings(name, params):
        notes.append("Too few answers yet to learn to predict losses: all predictions are equal.")
    return tuple(notes)


def load_target(
    path: Path, store: Store, *, embeddings: NDArray[np.float32] | None = None
) -> TargetModel:
    """Read what `TargetModel.save` wrote.

    Args:
        path: the safetensors file.
        store: the pool to score; of images, as the model was trained on them.
        embeddings: (N, D) of the pool, needed in frozen mode.

    Raises:
        ModelError: not a target model, wrong image size, fit or medium, or embeddings missing.
    """
    tensors, metadata = tensorfile.read(path)
    if metadata.get("format") != "karat-target":
        raise ModelError(f"{path} is not a saved target model.")
    name, params = metadata["name"], json.loads(metadata["params"])
    classes = int(metadata["classes"])
    if uses_embeddings(name, params):
        head = LogisticHead.from_tensors(tensors)
        losses = HeadLosses.from_tensors(tensors, head)
        rows, columns = _pool_embeddings(embeddings, name), None
        if "columns" in metadata:
            start, stop = columns = tuple(json.loads(metadata["columns"]))
            rows = rows[:, start:stop]
        return HeadModel(head, rows, store, name, params, losses, columns=columns)
    images = images_of(store)
    require_frame(images, frame_learned(metadata))
    network = restore_network(
        name, parse("model", name, params), classes=classes, image_size=images.size, state=tensors
    )
    return NetworkModel(place(network).eval(), images, name, params)


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
