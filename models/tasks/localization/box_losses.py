"""What a network that regresses one box is trained by.

Source: thesis, section 3.4, task II, which names the losses in words; Z. Zheng et al.,
"Distance-IoU Loss: Faster and Better Learning for Bounding Box Regression", AAAI 2020.
"""

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

BoxLoss = Literal["l1", "l1_iou", "d_iou"]


def box_loss(
    found: Tensor,
    truth: Tensor,
    *,
    loss: BoxLoss,
    side: int,
    iou_weight: float,
    distance_weight: float,
) -> Tensor:
    """Return the mean loss of B boxes.

    Smooth L1 is that of pixels, linear beyond one pixel, divided by the side of the image. Beside
    it the other terms weigh more than beside a loss in pixels of 224, for which their authors'
    weights of 0.4 were chosen.

    Args:
        found: (B, 4) float32 left, top, right, bottom in fractions of the side.
        truth: (B, 4) likewise.
        loss: which.
        side: of the image, in pixels.
        iou_weight: of 1 - IoU.
        distance_weight: of the squared distance of the centres beside the squared diagonal of the
            smallest box around both, each pair's own.
    """
    total = functional.smooth_l1_loss(found, truth, beta=1 / side)
    if loss == "l1":
        return total
    total = total + iou_weight * (1 - box_iou(found, truth)).mean()
    if loss == "l1_iou":
        return total
    apart = (found[:, :2] + found[:, 2:] - truth[:, :2] - truth[:, 2:]) / 2
    low = torch.minimum(found[:, :2], truth[:, :2])
    high = torch.maximum(found[:, 2:], truth[:, 2:])
    share = apart.square().sum(dim=1) / (high - low).square().sum(dim=1)
    return total + distance_weight * share.mean()


def box_iou(found: Tensor, truth: Tensor) -> Tensor:
    """Return the (B,) intersection over union of (B, 4) boxes whose areas are above 0."""
    low = torch.maximum(found[:, :2], truth[:, :2])
    high = torch.minimum(found[:, 2:], truth[:, 2:])
    shared = (high - low).clamp(min=0).prod(dim=1)
    areas = [(one[:, 2:] - one[:, :2]).prod(dim=1) for one in (found, truth)]
    return shared / (areas[0] + areas[1] - shared)
