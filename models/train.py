"""The training loop, from top to bottom."""

import hashlib
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from models.device import best_device, place
from models.errors import ModelError
from models.nets import Network
from models.params.networks import TrainingParams
from models.protocols import Indices, Progress
from models.resume import Batches, restore, store

_REPORT_EVERY = 10
_CHECKPOINT_SECONDS = 15.0


def train(
    network: Network,
    pixels: NDArray[np.uint8],
    labels: Indices,
    *,
    params: TrainingParams,
    seed: int,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Network:
    """Train for exactly `params.steps` iterations of SGD; leaves the network in evaluation mode.

    The same seed gives the same weights, on a CPU bit for bit, whether or not the run was
    interrupted and resumed from its checkpoint.

    Args:
        network: with its pixel statistics set; trained in place.
        pixels: (n, S, S, 3) uint8, n >= 1.
        labels: (n,) int64 in 0..C-1.
        params: schedule, optimiser and augmentation (thesis, section 4.4).
        seed: decides batches, augmentation and dropout.
        checkpoint: where to keep resumable state; resumed from when it exists.
        progress: called every few steps; may raise `Cancelled`.

    Raises:
        ModelError: the loss is no longer finite.
    """
    device = best_device()
    place(network).train()
    # The labeled set is small: it stays on the device as uint8, (n, 3, S, S).
    images = torch.from_numpy(pixels).to(device).permute(0, 3, 1, 2)
    target = torch.from_numpy(labels).to(device)
    optimizer = torch.optim.SGD(
        network.parameters(),
        lr=params.learning_rate,
        momentum=params.momentum,
        weight_decay=params.weight_decay,
    )
    batches = Batches(len(target), params.batch_size, seed)
    run = _fingerprint(params, labels, seed)
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        start = restore(checkpoint, network, optimizer, run)
        saved_at = time.monotonic()
        for step in range(start, params.steps):
            if progress is not None and step % _REPORT_EVERY == 0:
                progress(step, params.steps)
            for group in optimizer.param_groups:
                group["lr"] = params.learning_rate * _decay(step, params.steps)

            rows = batches.rows(step).to(device)
            x = augmented(images[rows].float() / 255, params)
            with autocast(params.precision, device):
                logits, _ = network(x.contiguous(memory_format=torch.channels_last))
            loss = functional.cross_entropy(logits.float(), target[rows])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()

            # Reading the loss waits for the device, so do it only now and then.
            if (step % 100 == 99 or step + 1 == params.steps) and not torch.isfinite(loss):
                raise ModelError(
                    f"Training diverged by step {step + 1}; lower learning_rate "
                    f"(now {params.learning_rate:g})."
                )
            if checkpoint is not None and time.monotonic() - saved_at >= _CHECKPOINT_SECONDS:
                store(checkpoint, network, optimizer, step + 1, run)
                saved_at = time.monotonic()
    if progress is not None:
        progress(params.steps, params.steps)
    return network.eval()


def augmented(images: Tensor, params: TrainingParams) -> Tensor:
    """Shift by up to S / 8 with black padding, and mirror, each image on its own.

    Args:
        images: (B, 3, S, S) float32 in 0..1.
        params: `augment` and `flip` switch the two.
    """
    count, _, size, _ = images.shape
    if params.augment:
        pad = size // 8
        padded = functional.pad(images, (pad, pad, pad, pad))
        corner = torch.randint(0, 2 * pad + 1, (2, count, 1), device=images.device)
        span = torch.arange(size, device=images.device)
        rows, columns = corner[0] + span, corner[1] + span  # (B, S) each
        which = torch.arange(count, device=images.device)[:, None, None]
        # Indices around a slice put the indexed axes first: (B, S, S, 3).
        images = padded[which, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)
    if params.flip:
        mirrored = torch.rand(count, 1, 1, 1, device=images.device) < 0.5
        images = torch.where(mirrored, images.flip(3), images)
    return images


@torch.inference_mode()
def predict(
    network: Network, pixels: NDArray[np.uint8], precision: str = "auto"
) -> tuple[Tensor, Tensor]:
    """Return logits (B, C) and embeddings (B, D), float32, of (B, S, S, 3) uint8 images."""
    device = network.mean.device
    x = torch.from_numpy(pixels).to(device).permute(0, 3, 1, 2).float() / 255
    with autocast(precision, device):
        logits, embeddings = network(x.contiguous(memory_format=torch.channels_last))
    return logits.float().cpu(), embeddings.float().cpu()


def autocast(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Compute in bfloat16 where `precision` asks for it, or leaves the choice and a GPU has it."""
    if precision == "auto":
        capable = device.type == "cuda" and torch.cuda.is_bf16_supported()
        precision = "bfloat16" if capable else "float32"
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)


def _decay(step: int, steps: int) -> float:
    """Learning-rate factor: x 0.1 at 50 % and at 75 % of all steps."""
    return float(0.1 ** ((2 * step >= steps) + (4 * step >= 3 * steps)))


def _fingerprint(params: TrainingParams, labels: Indices, seed: int) -> str:
    """Identify a run, so that a checkpoint of another one is not resumed by mistake."""
    facts = params.model_dump_json().encode() + labels.tobytes() + str(seed).encode()
    return hashlib.sha256(facts).hexdigest()
