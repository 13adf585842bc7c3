"""What semi-supervised learners share: sharpened guesses, mixed images, and their loss.

Source: D. Berthelot et al., "MixMatch: A Holistic Approach to Semi-Supervised Learning", NeurIPS
2019.
"""

import torch
from torch import Tensor


def sharpened(probabilities: Tensor, temperature: float) -> Tensor:
    """Raise (B, C) probabilities to the power 1 / temperature and normalise them (equation 7)."""
    # By the largest, which then is 1: at low temperatures all powers of a row may vanish.
    powers = (probabilities / probabilities.amax(dim=1, keepdim=True)).pow(1 / temperature)
    return powers / powers.sum(dim=1, keepdim=True)


def mixed_up(images: Tensor, targets: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    """Mix each row with a random other one, of which it keeps the larger part (equations 8 to 11).

    Args:
        images: (R, 3, S, S) float32.
        targets: (R, C) float32.
        alpha: both parameters of the Beta distribution of the share.
    """
    rate = torch.full((len(images),), alpha, device=images.device)
    share = torch.distributions.Beta(rate, rate).sample()
    share = torch.maximum(share, 1 - share)
    partner = torch.randperm(len(images), device=images.device)
    wide = share[:, None, None, None]
    mixed = wide * images + (1 - wide) * images[partner]
    return mixed, share[:, None] * targets + (1 - share[:, None]) * targets[partner]


def mixed_loss(logits: Tensor, targets: Tensor, *, labeled: int, weight: Tensor | float) -> Tensor:
    """Cross-entropy of labeled rows and squared error of the others (equations 3 to 5).

    The squared error is the mean over rows and classes.

    Args:
        logits: (R, C) of mixed images.
        targets: (R, C) mixed.
        labeled: how many rows come first and count as labeled, > 0.
        weight: of the squared error.
    """
    logs = logits.log_softmax(dim=1)
    loss = -(targets[:labeled] * logs[:labeled]).sum(dim=1).mean()
    if len(logits) > labeled:
        error = logs[labeled:].exp() - targets[labeled:]
        loss = loss + weight * error.square().mean()
    return loss
