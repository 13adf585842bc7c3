"""MixMatch, from top to bottom: learning from labeled and unlabeled images together.

Source: D. Berthelot et al., "MixMatch: A Holistic Approach to Semi-Supervised Learning", NeurIPS
2019, algorithm 1; with TAUFE as in the thesis, section 3.5.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from models.catalog.params.networks import TrainingParams
from models.catalog.params.regularize import MixMatchParams
from models.device import best_device, place
from models.media.images.networks.nets import Network
from models.media.images.store import ImageRows
from models.media.images.training.batches import ImageBatches, Images, fetched, scaled
from models.media.images.training.mixing import mixed_loss, mixed_up, sharpened
from models.media.images.training.regularizers import still_statistics
from models.media.images.training.resume import Batches, counted, restore, seeded, store
from models.media.images.training.train import (
    Objective,
    augmented,
    decay_of,
    drawn_outside,
    fingerprint,
    require_finite,
    sgd,
)
from models.protocols import Indices, Progress


@dataclass(frozen=True)
class Unlabeled:
    """Images without a label.

    Attributes:
        pixels: the pool.
        rows: (u,) int64 of it, u >= 1; none of them should be OOD.
    """

    pixels: ImageRows
    rows: Indices


def train_mixmatch(
    network: Network,
    pixels: Images,
    labels: Indices,
    *,
    params: TrainingParams,
    seed: int,
    unlabeled: Unlabeled,
    mixing: MixMatchParams,
    ood_pixels: Images | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Network:
    """Train for exactly `params.steps` iterations of SGD; leaves the network in evaluation mode.

    The same seed gives the same weights, on a CPU bit for bit, whether or not the run was
    interrupted. OOD images are drawn apart, so that all else is drawn alike with and without them.

    Args:
        network: with its pixel statistics set; trained in place.
        pixels: n images of one size, n >= 1.
        labels: (n,) int64 in 0..C-1.
        params: schedule, optimiser, augmentation, TAUFE and OAT.
        seed: decides batches, augmentation and mixing.
        unlabeled: as many of them as labeled images are in each batch.
        mixing: how guesses are made and mixed.
        ood_pixels: m images of that size for TAUFE and OAT; never part of what is mixed.
        checkpoint: where to keep resumable state; resumed from when it exists.
        progress: called every few steps; may raise `Cancelled`.

    Raises:
        ModelError: the loss is no longer finite.
    """
    device = best_device()
    place(network).train()
    images = ImageBatches(pixels, device)
    target = functional.one_hot(torch.from_numpy(labels).to(device), network.classes).float()
    outside = None
    if ood_pixels is not None and len(ood_pixels) and params.regularized:
        outside = ImageBatches(ood_pixels, device)
    optimizer = sgd(network, params)
    objective = MixMatchObjective(network, params, mixing)
    known = Batches(len(images), params.batch_size, seed, device)
    # The other stream is of another seed: of two sets of one size it would be in step.
    unknown = Batches(len(unlabeled.rows), params.batch_size, seed + 1)
    facts = mixing.model_dump_json() + str(unlabeled.rows.tolist())
    run = fingerprint(params, labels, seed, 0 if outside is None else len(outside), facts)

    def save(step: int) -> None:
        if checkpoint is not None:
            store(checkpoint, network, optimizer, step, run)

    with seeded(seed, device):
        start = restore(checkpoint, network, optimizer, run)
        for step in counted(start, params.steps, save=save, progress=progress):
            for group in optimizer.param_groups:
                group["lr"] = params.learning_rate * decay_of(step, params.steps)

            rows = known.rows(step)
            x = scaled(augmented(images[rows], params))
            drawn = unlabeled.rows[unknown.rows(step).numpy()]
            others = fetched(unlabeled.pixels, drawn, device)
            views = [scaled(augmented(others, params)) for _ in range(mixing.augmentations)]
            loss = objective.mixed_batch(x, target[rows], views, objective.weight(step))
            if outside is not None:
                loss = loss + objective.outside(scaled(drawn_outside(outside, params, seed, step)))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            require_finite(loss.detach(), step, params.steps, params.learning_rate)
    return network.eval()


class MixMatchObjective(Objective):
    """The loss of labeled and unlabeled images that are mixed."""

    def __init__(self, network: Network, params: TrainingParams, mixing: MixMatchParams) -> None:
        """Take a network that is on its device, and what to train it by."""
        super().__init__(network, params)
        self.mixing = mixing

    def weight(self, step: int) -> float:
        """Return what the unlabeled images weigh in a step: rises in a line to `lambda_u`."""
        ramp = self.mixing.ramp_steps
        return self.mixing.lambda_u * (min(1.0, step / ramp) if ramp else 1.0)

    def guesses(self, views: list[Tensor]) -> Tensor:
        """Map views (B, 3, S, S) of the same images to sharpened guesses (B, C), no gradient.

        In training mode, as the loss is; but running averages move by what is learned from only.
        """
        with torch.no_grad(), still_statistics(self.network):
            mean = torch.stack([self._logits(one).softmax(dim=1) for one in views]).mean(dim=0)
        return sharpened(mean, self.mixing.temperature)

    def mixed_batch(self, x: Tensor, y: Tensor, views: list[Tensor], weight: float) -> Tensor:
        """Return the loss of a batch.

        All rows pass through the network at once: batch normalisation sees the mixture.

        Args:
            x: (B, 3, S, S) labeled pixels in 0..1.
            y: (B, C) their classes, one-hot.
            views: each (B, 3, S, S) pixels in 0..1 of the same unlabeled images.
            weight: of these.
        """
        targets = torch.cat([y, *[self.guesses(views)] * len(views)])
        mixed, wanted = mixed_up(torch.cat([x, *views]), targets, self.mixing.alpha)
        return mixed_loss(self._logits(mixed), wanted, labeled=len(x), weight=weight)

    def _logits(self, images: Tensor) -> Tensor:
        with self.mixed():
            logits: Tensor = self.network(images.contiguous(memory_format=torch.channels_last))[0]
        return logits
