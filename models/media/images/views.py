"""Strong random views of images, made in batches where the images are.

Source: T. Chen et al., "A Simple Framework for Contrastive Learning of Visual Representations",
ICML 2020, appendix A; the strengths for small images are those of CSI, NeurIPS 2020, appendix A.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from models.catalog.params.contrastive import ContrastiveParams

ROTATIONS = 4

_JITTERED = 0.8
_LUMA = (0.299, 0.587, 0.114)
# RGB to luma and two chroma axes (YIQ); a turn of the chroma plane changes nothing but the hue.
_TO_YIQ = (_LUMA, (0.5959, -0.2746, -0.3213), (0.2115, -0.5227, 0.3112))


def shifted_views(
    images: Tensor, params: ContrastiveParams, shares: Tensor | None = None
) -> Tensor:
    """Make one view of every rotation of every image, each view on its own.

    Images are mirrored before they are turned: a mirror image of a quarter turn to the left would
    otherwise pass for a quarter turn to the right.

    Args:
        images: (B, 3, S, S) uint8.
        params: strengths; K = 4 with `rotations`, else 1.
        shares: (B, 2) float32 in 0..1, of width and height that the image takes up; around it,
            evenly, are bars, of which views show nothing. Default: all of both.

    Returns:
        (K * B, 3, S, S) float32 in 0..1: all images turned by 0, then all by 90 degrees, and so on.
    """
    views = images.float() / 255
    if shares is None:
        shares = torch.ones(len(views), 2, device=views.device)
    if params.flip:
        mirrored = torch.rand(len(views), 1, 1, 1, device=views.device) < 0.5
        views = torch.where(mirrored, views.flip(3), views)
    if params.rotations:
        views = torch.cat([torch.rot90(views, turns, (2, 3)) for turns in range(ROTATIONS)])
        shares = torch.cat([shares.flip(1) if turns % 2 else shares for turns in range(ROTATIONS)])
    return recoloured(cropped(views, params, shares), params)


def cropped(images: Tensor, params: ContrastiveParams, shares: Tensor) -> Tensor:
    """Scale a random rectangle of each image to the whole.

    Its area is uniform in smallest_crop..1 of the image's, and the logarithm of its aspect ratio in
    that of 3:4 to 4:3, or of what fits at this area; where nothing between these fits, it is what
    comes nearest.

    Args:
        images: (B, 3, S, S) float32.
        params: `smallest_crop`.
        shares: (B, 2) float32, as of `shifted_views`.
    """
    draw = torch.rand(4, len(images), device=images.device)
    area = params.smallest_crop + (1 - params.smallest_crop) * draw[0]
    wide, high = shares[:, 0], shares[:, 1]
    area = area * (wide * high)
    # Square roots of the ratio, by their logarithms.
    side, most = area.log() / 2, math.log(4 / 3) / 2
    largest, smallest = wide.log() - side, side - high.log()
    upper = torch.minimum(largest, smallest.clamp(min=most))
    lower = torch.maximum(smallest, largest.clamp(max=-most))
    middle, half = (upper + lower) / 2, (upper - lower) / 2
    stretch = torch.exp(middle + (2 * draw[1] - 1) * half)
    width, height = area.sqrt() * stretch, area.sqrt() / stretch
    across = (2 * draw[2] - 1) * (wide - width)
    down = (2 * draw[3] - 1) * (high - height)
    zero = torch.zeros_like(width)
    rows = torch.stack([width, zero, across, zero, height, down], dim=1)
    grid = functional.affine_grid(rows.view(-1, 2, 3), list(images.shape), align_corners=False)
    return functional.grid_sample(images, grid, padding_mode="border", align_corners=False)


def recoloured(images: Tensor, params: ContrastiveParams) -> Tensor:
    """Change the colours of most images, and take the colour of some.

    Args:
        images: (B, 3, S, S) float32 in 0..1.
        params: `colour` and `grey`.
    """
    count, device = len(images), images.device
    draw = 2 * torch.rand(4, count, device=device) - 1
    draw = draw * (torch.rand(count, device=device) < _JITTERED)
    brightness, contrast, saturation = 1 + params.colour * draw[:3]
    return with_colours(
        images,
        brightness=brightness,
        contrast=contrast,
        saturation=saturation,
        hue=params.colour / 4 * draw[3],
        grey=torch.rand(count, device=device) < params.grey,
    )


def with_colours(
    images: Tensor,
    *,
    brightness: Tensor,
    contrast: Tensor,
    saturation: Tensor,
    hue: Tensor,
    grey: Tensor,
) -> Tensor:
    """Change brightness, contrast about the mean luma, saturation and hue, in this order.

    All of it is linear in the pixels, so that one 3 x 3 matrix and one offset per image do it;
    values are clipped once, at the end.

    Args:
        images: (B, 3, S, S) float32 in 0..1.
        brightness: (B,) factor, 1 = as it is; likewise the next two.
        contrast: (B,).
        saturation: (B,).
        hue: (B,) turn of the chroma plane, in parts of a whole turn.
        grey: (B,) bool, which images lose their colour.
    """
    device = images.device
    luma = torch.tensor(_LUMA, device=device)
    to_grey = luma.expand(3, 3)  # each channel becomes the luma
    matrix = torch.lerp(to_grey, torch.eye(3, device=device), saturation[:, None, None])
    matrix = _hue_turn(2 * math.pi * hue) @ matrix
    matrix = torch.where(grey[:, None, None], to_grey @ matrix, matrix)

    flat = images.flatten(2)  # (B, 3, S * S)
    mean_luma = luma @ flat.mean(dim=2).T  # (B,)
    # What comes after contrast leaves grey as it is, and with it the offset.
    offset = (1 - contrast) * brightness * mean_luma
    matrix = matrix * (brightness * contrast)[:, None, None]
    changed = torch.baddbmm(offset[:, None, None].expand(-1, 3, 1), matrix, flat)
    return changed.clamp_(0, 1).view_as(images)


def _hue_turn(angle: Tensor) -> Tensor:
    """Matrices (B, 3, 3) on RGB that turn the chroma plane by (B,) angles."""
    to_yiq = torch.tensor(_TO_YIQ, dtype=torch.float64, device=angle.device)
    zero, one = torch.zeros_like(angle), torch.ones_like(angle)
    cosine, sine = angle.cos(), angle.sin()
    turn = torch.stack([one, zero, zero, zero, cosine, -sine, zero, sine, cosine], dim=1)
    turned: Tensor = torch.linalg.inv(to_yiq) @ turn.view(-1, 3, 3).double() @ to_yiq
    return turned.float()
