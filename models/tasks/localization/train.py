"""The training loop of what localizes, from top to bottom."""

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.localize import NO_SOFTMAX, LocalizeParams
from models.device import best_device, computes_in_bfloat16, place
from models.errors import ModelError
from models.media.images.training.batches import ImageBatches, Images, scaled
from models.media.images.training.regularizers import (
    feature_penalty,
    still_statistics,
    uniformity_loss,
)
from models.media.images.training.resume import (
    INSIDE,
    OUTSIDE,
    Batches,
    counted,
    lane_generator,
    restore,
    seeded,
    store,
)
from models.media.images.training.train import require_finite, sgd
from models.protocols import Indices, Progress
from models.tasks.localization.box_losses import box_loss
from models.tasks.localization.networks import Localizer

_LARGEST_GRADIENT: Final = 1.0


@dataclass(frozen=True)
class Examples:
    """What is learned from.

    Attributes:
        pixels: n images of one size, n >= 1.
        classes: (n,) int64 in 0..C-1.
        boxes: (n, 4) float64 left, top, right, bottom in fractions of the side.
        ood_pixels: m images of that size.
    """

    pixels: Images
    classes: Indices
    boxes: NDArray[np.float64]
    ood_pixels: Images


def train_localizer(
    network: Localizer,
    examples: Examples,
    params: LocalizeParams,
    method: str,
    *,
    seed: int,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Localizer:
    """Train for exactly `params.steps` iterations of SGD; leaves the network in evaluation mode.

    The same seed gives the same weights, on a CPU bit for bit, whether or not the run was
    interrupted. In-distribution images are drawn and shifted alike whatever the method is: what
    the OOD images take at random comes from a generator of their own.

    Args:
        network: trained in place.
        examples: what is learned from.
        params: of the job.
        method: of `params.METHODS`.
        seed: decides batches and augmentation.
        checkpoint: where to keep resumable state; resumed from when it exists.
        progress: called every few steps; may raise `Cancelled`.

    Raises:
        ModelError: OAT for boxes, no OOD image for a method that needs some, or the loss is no
            longer finite.
    """
    if method == "oat" and network.kind == "regression":
        raise ModelError(f"{NO_SOFTMAX}; compare standard and taufe.")
    if method != "standard" and len(examples.ood_pixels) == 0:
        raise ModelError(f"There is no OOD image for {method} to learn from.")
    device, training = best_device(), params.training_params()
    place(network).train()
    images = ImageBatches(examples.pixels, device)
    classes = torch.from_numpy(examples.classes).to(device)
    boxes = torch.from_numpy(examples.boxes).float().to(device)
    outside = ImageBatches(examples.ood_pixels, device) if method != "standard" else None
    optimizer = sgd(network, training)
    batches = Batches(len(images), params.batch_size, seed, device)
    half = computes_in_bfloat16(params.precision, device, network)
    mixed = partial(torch.autocast, device.type, dtype=torch.bfloat16, enabled=half)
    run = _fingerprint(examples, params, method, seed)

    def save(step: int) -> None:
        if checkpoint is not None:
            store(checkpoint, network, optimizer, step, run)

    with seeded(seed, device):
        start = restore(checkpoint, network, optimizer, run)
        for step in counted(start, params.steps, save=save, progress=progress):
            decay = 0.1 ** ((2 * step >= params.steps) + (4 * step >= 3 * params.steps))
            for group in optimizer.param_groups:
                group["lr"] = params.rate * decay

            rows = batches.rows(step)
            draw = lane_generator(seed, step, INSIDE)
            x, moved = shifted(images[rows], boxes[rows], params, draw)
            with mixed():
                features = network.features(network.map(scaled(x)))  # (B, D) or (B, D * h * w)
            outputs = network.outputs(features)
            if network.kind == "cam":
                loss = functional.cross_entropy(outputs, classes[rows])
            else:
                loss = box_loss(
                    outputs,
                    moved,
                    loss=params.loss,
                    side=network.size,
                    iou_weight=params.iou_weight,
                    distance_weight=params.distance_weight,
                )
            if outside is not None:
                draw = lane_generator(seed, step, OUTSIDE)
                drawn = torch.randint(len(outside), (params.batch_size,), generator=draw)
                x_ood, _ = shifted(outside[drawn], boxes[rows], params, draw)
                with mixed(), still_statistics(network):
                    activations = network.map(scaled(x_ood))
                loss = loss + _ood_loss(network, activations, params, method)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            if network.kind == "regression":
                # A head on a whole map answers to all of it at once, and one bad batch would push
                # every feature below zero for good.
                nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
            optimizer.step()
            require_finite(loss.detach(), step, params.steps, params.rate)
    return network.eval()


def _ood_loss(
    network: Localizer, activations: Tensor, params: LocalizeParams, method: str
) -> Tensor:
    """Return what OOD images with (B, D, h, w) activations add to the loss."""
    weight = params.ood_weights(network.size)[method]
    if method == "oat":
        return weight * uniformity_loss(network.outputs(network.features(activations)))
    pulled = activations.float() if params.penalty == "map" else network.features(activations)
    return weight * feature_penalty(pulled)


def shifted(
    images: Tensor, boxes: Tensor, params: LocalizeParams, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Shift by up to S / 8 with black padding, and mirror, each image with its box.

    Args:
        images: (B, 3, S, S), any dtype, black = 0.
        boxes: (B, 4) float32 in fractions of the side. What is moved beyond the edge stays there:
            nothing is clipped.
        params: `augment` and `flip` switch the two.
        generator: of the CPU.

    Returns:
        Both, moved.
    """
    count, _, size, _ = images.shape
    pad = size // 8 if params.augment else 0
    corner = torch.randint(0, 2 * pad + 1, (2, count, 1), generator=generator)
    mirrored = torch.rand(count, 1, generator=generator) < (0.5 if params.flip else 0.0)
    corner, mirrored = corner.to(images.device), mirrored.to(images.device)
    span = torch.arange(size, device=images.device).expand(count, size)
    rows, columns = corner[0] + span, corner[1] + span  # (B, S) each
    columns = torch.where(mirrored, columns.flip(1), columns)
    padded = functional.pad(images, (pad, pad, pad, pad))
    which = torch.arange(count, device=images.device)[:, None, None]
    taken = padded[which, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)
    by = (pad - torch.cat([corner[1], corner[0]], dim=1)) / size  # (B, 2): right, down
    moved = boxes + by.repeat(1, 2)
    turned = torch.stack([1 - moved[:, 2], moved[:, 1], 1 - moved[:, 0], moved[:, 3]], dim=1)
    return taken, torch.where(mirrored, turned, moved)


def _fingerprint(examples: Examples, params: LocalizeParams, method: str, seed: int) -> str:
    """Identify a run, so that a checkpoint of another one is not resumed by mistake."""
    facts = params.model_dump_json().encode() + examples.classes.tobytes()
    facts += examples.boxes.tobytes() + f"{method} {seed} {len(examples.ood_pixels)}".encode()
    return hashlib.sha256(facts).hexdigest()
