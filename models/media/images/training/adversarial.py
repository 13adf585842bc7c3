"""Projected gradient descent: images moved, within a small ball, to where the loss is large.

Source: A. Madry et al., "Towards Deep Learning Models Resistant to Adversarial Attacks", ICLR 2018,
section 2.1; with TAUFE as in the thesis, section 3.5.
"""

from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from models.catalog.params.networks import TrainingParams
from models.catalog.params.regularize import AttackParams
from models.media.images.networks.nets import Network
from models.media.images.store import ImageRows
from models.media.images.training.batches import fetched
from models.media.images.training.regularizers import still_statistics
from models.media.images.training.train import Objective, images_at_once
from models.protocols import Indices, Progress

_KEPT: Final = 8
"""How many times the memory of looking an attack takes: a gradient needs what every layer said."""


def attacked(
    loss: Callable[[Tensor], Tensor],
    images: Tensor,
    *,
    epsilon: float,
    step: float,
    steps: int,
    generator: torch.Generator | None = None,
    watch: Callable[[int], None] | None = None,
) -> Tensor:
    """Climb the loss by the sign of its gradient, from a random start in the ball around an image.

    Args:
        loss: maps (B, 3, S, S) pixels in 0..1 to a scalar.
        images: (B, 3, S, S) uint8.
        epsilon: radius of the ball in the maximum norm, in the pixels' 0..255.
        step: how far each step goes, in the same units.
        steps: how many.
        generator: draws the start; None = that of the device.
        watch: called before each step with its number.

    Returns:
        (B, 3, S, S) float32 in 0..255, no more than `epsilon` from the images.
    """
    # In 0..255 the ball has whole numbers for borders, so that nothing is rounded out of it.
    images = images.float()
    low, high = (images - epsilon).clamp(min=0), (images + epsilon).clamp(max=255)
    noise = torch.empty_like(images).uniform_(-epsilon, epsilon, generator=generator)
    moved = (images + noise).clamp(low, high)
    for number in range(steps):
        if watch is not None:
            watch(number)
        with torch.enable_grad():
            moved.requires_grad_()
            (gradient,) = torch.autograd.grad(loss(moved / 255), moved)
        moved = (moved.detach() + step * gradient.sign()).clamp(low, high)
    return moved


class AdversarialObjective(Objective):
    """The loss on attacked images, as in adversarial training; OOD images stay what they are.

    The attack sees the network in training mode, and leaves its running averages alone.
    """

    def __init__(self, network: Network, params: TrainingParams, attack: AttackParams) -> None:
        """Take a network that is on its device, what to train it by, and the attack."""
        super().__init__(network, params)
        self.attack = attack
        self.facts = attack.model_dump_json()

    def forward(
        self, x: Tensor, y: Tensor, x_ood: Tensor | None = None, *, shielded: bool
    ) -> Tensor:
        """Map uint8 pixels (B, 3, S, S), (B,) labels and OOD pixels, if any, to the loss."""

        def misled(images: Tensor) -> Tensor:
            with self.mixed():
                logits = self.network(images)[0]
            return functional.cross_entropy(logits, y)

        x = self._attacked(misled, x)
        if x_ood is not None and self.attack.attack_ood:
            x_ood = self._attacked(self.outside, x_ood)
        return super().forward(x, y, x_ood, shielded=shielded)

    def _attacked(self, loss: Callable[[Tensor], Tensor], images: Tensor) -> Tensor:
        attack = self.attack
        with still_statistics(self.network):
            return attacked(
                loss, images, epsilon=attack.epsilon, step=attack.attack_step,
                steps=attack.attack_steps,
            )  # fmt: skip


def attacked_accuracy(
    network: Network,
    pixels: ImageRows,
    rows: Indices,
    labels: Indices,
    attack: AttackParams,
    *,
    seed: int,
    progress: Progress | None = None,
) -> float:
    """Return which share of images is still classified right when each was attacked.

    In float32 and evaluation mode, whatever the precision in training.

    Args:
        network: in evaluation mode.
        pixels: the pool.
        rows: (n,) of it, n >= 1.
        labels: (n,) int64 in 0..C-1.
        attack: as many steps as `judging_steps`.
        seed: of the random starts.
        progress: counts the steps of all blocks; may raise `Cancelled`.
    """
    device, steps = network.mean.device, attack.judging_steps
    size = max(1, images_at_once(network, pixels.size) // _KEPT)
    starts = range(0, len(rows), size)
    generator = torch.Generator(device).manual_seed(seed)
    right = 0
    for number, start in enumerate(starts):
        block = slice(start, start + size)
        y = torch.from_numpy(labels[block]).to(device)

        def misled(images: Tensor, y: Tensor = y) -> Tensor:
            return functional.cross_entropy(network(images)[0], y)

        def watch(step: int, done: int = number * steps) -> None:
            if progress is not None:
                progress(done + step, len(starts) * steps)

        moved = attacked(
            misled, fetched(pixels, rows[block], device), epsilon=attack.epsilon,
            step=attack.attack_step, steps=steps, generator=generator, watch=watch,
        )  # fmt: skip
        with torch.no_grad():
            right += int((network(moved / 255)[0].argmax(dim=1) == y).sum())
    if progress is not None:
        progress(len(starts) * steps, len(starts) * steps)
    return right / len(rows)
