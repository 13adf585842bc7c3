"""The training loop, from top to bottom."""

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.networks import TrainingParams
from models.device import autocast, best_device, computes_in_bfloat16, place
from models.errors import ModelError
from models.heads.loss_prediction import SHIELDED_FROM, pair_loss
from models.media.images.networks.nets import Network
from models.media.images.training.batches import ImageBatches, Images, resident, scaled
from models.media.images.training.cuda_graph import Repeated
from models.media.images.training.regularizers import (
    feature_penalty,
    still_statistics,
    uniformity_loss,
)
from models.media.images.training.replicas import ALONE, Replica, share_statistics
from models.media.images.training.resume import (
    OUTSIDE,
    Batches,
    counted,
    lane_generator,
    restore,
    seeded,
    store,
)
from models.protocols import Indices, Progress


def train(
    network: Network,
    pixels: Images,
    labels: Indices,
    *,
    params: TrainingParams,
    seed: int,
    ood_pixels: Images | None = None,
    schedule: Callable[[int, int], float] | None = None,
    every: int = 0,
    observe: Callable[[int], None] | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
    replica: Replica = ALONE,
    make_objective: Callable[[Network, TrainingParams], "Objective"] | None = None,
) -> Network:
    """Train for exactly `params.steps` iterations of SGD; leaves the network in evaluation mode.

    The same seed gives the same weights, on a CPU bit for bit, whether or not the run was
    interrupted and resumed from its checkpoint.

    Args:
        network: with its pixel statistics set; trained in place.
        pixels: n images of one size, n >= 1.
        labels: (n,) int64 in 0..C-1, and C for OOD when the network has an output for it.
        params: schedule, optimiser and augmentation (thesis, section 4.4).
        seed: decides batches, augmentation and dropout.
        ood_pixels: m images of that size for TAUFE and OAT, without which they are off.
        schedule: from the step and their number to the factor of the learning rate; default: x 0.1
            at 50 % and at 75 %.
        every: after how many steps `observe` is called.
        observe: gets the number of steps done, with the network in evaluation mode. It is called
            again for a step that is repeated after an interruption.
        checkpoint: where to keep resumable state; resumed from when it exists.
        progress: called every few steps; may raise `Cancelled`.
        replica: which of several processes this is; all are called with the same arguments, and
            only the first with `progress`.
        make_objective: what is minimised, of the network on its device; default: `Objective`.

    Raises:
        ModelError: the loss is no longer finite.
    """
    device = best_device()
    place(network).train()
    if replica.count > 1:
        share_statistics(network)
    images = ImageBatches(pixels, device)
    target = torch.from_numpy(labels).to(device)
    outside = None
    if ood_pixels is not None and len(ood_pixels) and params.regularized:
        outside = ImageBatches(ood_pixels, device)
    optimizer = sgd(network, params)
    task = (make_objective or Objective)(network, params)
    objective = replica.wrapped(task)
    learn = Repeated(_learning_step(objective, optimizer), device, record=replica.count == 1)
    batches = Batches(len(target), params.batch_size, seed, device)
    run = fingerprint(params, labels, seed, 0 if outside is None else len(outside), task.facts)

    def save(step: int) -> None:
        if checkpoint is not None and replica.rank == 0:
            store(checkpoint, network, optimizer, step, run)

    with seeded(seed, device):
        start = restore(checkpoint, network, optimizer, run)
        for step in counted(start, params.steps, save=save, progress=progress):
            decay = (schedule or decay_of)(step, params.steps)
            for group in optimizer.param_groups:
                group["lr"] = params.learning_rate * decay

            rows = batches.rows(step)
            batch = [augmented(images[rows], params), target[rows]]
            if outside is not None:
                batch.append(drawn_outside(outside, params, seed, step))
            shielded = step >= SHIELDED_FROM * params.steps
            # Drawn as a whole in every process, so that all draw alike.
            loss = learn(*map(replica.share, batch), key=decay, shielded=shielded)
            require_finite(loss, step, params.steps, params.learning_rate)
            if observe is not None and (step + 1) % every == 0:
                network.eval()
                observe(step + 1)
                network.train()
    return network.eval()


def sgd(module: nn.Module, params: TrainingParams) -> torch.optim.Optimizer:
    """Return SGD over a module that is on its device."""
    return torch.optim.SGD(
        module.parameters(),
        lr=params.learning_rate,
        momentum=params.momentum,
        weight_decay=params.weight_decay,
        fused=next(module.parameters()).device.type in {"cpu", "cuda"},
    )


def require_finite(loss: Tensor, step: int, steps: int, learning_rate: float) -> None:
    """Look now and then whether training goes well: reading a loss waits for the device.

    Args:
        loss: of step `step` of `steps`, counted from 0.
        step: see above.
        steps: see above.
        learning_rate: for the message.

    Raises:
        ModelError: the loss is not finite.
    """
    if (step % 100 == 99 or step + 1 == steps) and not torch.isfinite(loss):
        raise diverged(step + 1, learning_rate)


def diverged(step: int, learning_rate: float) -> ModelError:
    """Return the error that says so."""
    return ModelError(
        f"Training diverged by step {step}; lower learning_rate (now {learning_rate:g})."
    )


class Objective(nn.Module):
    """What is minimised: the loss of a network on one batch.

    Attributes:
        facts: what decides it beside the parameters, to tell its runs from others.
    """

    facts = ""

    def __init__(self, network: Network, params: TrainingParams) -> None:
        """Take a network that is on its device, and what to train it by."""
        super().__init__()
        self.network, self.params = network, params
        device = network.mean.device
        half = computes_in_bfloat16(params.precision, device, network)
        self.mixed = partial(torch.autocast, device.type, dtype=torch.bfloat16, enabled=half)

    def forward(
        self, x: Tensor, y: Tensor, x_ood: Tensor | None = None, *, shielded: bool
    ) -> Tensor:
        """Map (B, 3, S, S) pixels in 0..255, (B,) labels and OOD pixels, if any, to the loss."""
        network, params = self.network, self.params
        with self.mixed():
            outputs, _, predicted = network.all_outputs(scaled(x), shielded=shielded)
        losses = functional.cross_entropy(outputs, y, reduction="none")  # (B,)
        loss = losses.mean()
        if predicted is not None:
            loss = loss + params.loss_prediction_weight * pair_loss(predicted, losses)
        if x_ood is not None:
            loss = loss + self.outside(scaled(x_ood))
        return loss

    def outside(self, images: Tensor) -> Tensor:
        """Map (B, 3, S, S) OOD pixels in 0..1 to what they add to the loss: TAUFE or OAT."""
        network, params = self.network, self.params
        with self.mixed(), still_statistics(network):
            features = network.embed(images)
        loss = torch.zeros((), device=features.device)
        if params.taufe > 0:
            loss = loss + params.taufe * feature_penalty(features)
        if params.oat > 0:
            # In float32, like the head on in-distribution images.
            loss = loss + params.oat * uniformity_loss(network.head(features))
        return loss


def _learning_step(objective: nn.Module, optimizer: torch.optim.Optimizer) -> Callable[..., Tensor]:
    """Return the step on what `objective` takes; it returns the loss, without a gradient."""

    def learn(*batch: Tensor, shielded: bool) -> Tensor:
        loss: Tensor = objective(*batch, shielded=shielded)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return loss.detach()

    return learn


def drawn_outside(outside: ImageBatches, params: TrainingParams, seed: int, step: int) -> Tensor:
    """Draw the OOD batch of a step, (B, 3, S, S) uint8, with replacement and augmented.

    Apart from all else, so that views of labeled images are those of a training without OOD.
    """
    # On the CPU whatever the device is, which then waits for nothing.
    apart = lane_generator(seed, step, OUTSIDE)
    drawn = torch.randint(len(outside), (params.batch_size,), generator=apart)
    return augmented(outside[drawn], params, apart)


def augmented(
    images: Tensor, params: TrainingParams, generator: torch.Generator | None = None
) -> Tensor:
    """Shift by up to S / 8 with black padding, and mirror, each image on its own.

    Args:
        images: (B, 3, S, S), any dtype, black = 0.
        params: `augment` and `flip` switch the two.
        generator: draws the shifts, wherever it is; None = that of the images' device.

    Returns:
        (B, 3, S, S) of the same dtype, in channels-last order.
    """
    if not (params.augment or params.flip):
        return images
    count, _, size, _ = images.shape
    device = images.device
    draws = device if generator is None else generator.device
    span = torch.arange(size, device=device).expand(count, size)
    rows = columns = span
    if params.augment:
        pad = size // 8
        images = functional.pad(images, (pad, pad, pad, pad))
        corner = torch.randint(0, 2 * pad + 1, (2, count, 1), generator=generator, device=draws)
        corner = corner.to(device)
        rows, columns = corner[0] + span, corner[1] + span  # (B, S) each
    if params.flip:
        mirrored = (torch.rand(count, 1, generator=generator, device=draws) < 0.5).to(device)
        columns = torch.where(mirrored, columns.flip(1), columns)
    which = torch.arange(count, device=device)[:, None, None]
    # Indices around a slice put the indexed axes first: (B, S, S, 3).
    return images[which, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)


class Prediction(NamedTuple):
    """What a network says about a block of B images; tensors on the CPU, float32.

    Attributes:
        logits: (B, C).
        embeddings: (B, D).
        ood_logits: (B,); None without an output for OOD.
        predicted_losses: (B,); None without a loss-prediction module.
    """

    logits: Tensor
    embeddings: Tensor
    ood_logits: Tensor | None
    predicted_losses: Tensor | None


@torch.inference_mode()
def predict(network: Network, pixels: NDArray[np.uint8], precision: str = "auto") -> Prediction:
    """Run (B, S, S, 3) uint8 images through a network in evaluation mode."""
    device = network.mean.device
    with autocast(precision, device, network):
        outputs, embeddings, predicted = network.all_outputs(scaled(resident(pixels, device)))
    outputs, embeddings = outputs.cpu(), embeddings.cpu()
    return Prediction(
        outputs[:, : network.classes],
        embeddings,
        outputs[:, network.classes] if network.has_ood_output else None,
        None if predicted is None else predicted.cpu(),
    )


def images_at_once(network: Network, size: int) -> int:
    """Return how many images of side `size` make one block of inference.

    On a CPU the activations of a block should stay in its caches and memory; a GPU wants to be
    filled. What counts is the side that the network sees, which may enlarge them.
    """
    pixels = 2**18 if network.mean.device.type == "cpu" else 2**23
    return max(16, pixels // (network.input_size or size) ** 2)


def decay_of(step: int, steps: int) -> float:
    """Learning-rate factor: x 0.1 at 50 % and at 75 % of all steps."""
    return float(0.1 ** ((2 * step >= steps) + (4 * step >= 3 * steps)))


def fingerprint(
    params: TrainingParams, labels: Indices, seed: int, outside: int, facts: str = ""
) -> str:
    """Identify a run, so that a checkpoint of another one is not resumed by mistake."""
    known = params.model_dump_json().encode() + labels.tobytes()
    return hashlib.sha256(known + f"{seed} {outside}{facts}".encode()).hexdigest()
