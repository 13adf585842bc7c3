"""Random views, against libraries where they have the same operation."""

import colorsys

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.testing import assert_close
from torchvision.transforms import functional as reference

from models.catalog.params.contrastive import ContrastiveParams
from models.media.images.views import cropped, recoloured, shifted_views, with_colours

PLAIN = {"flip": False, "smallest_crop": 1.0, "colour": 0.0, "grey": 0.0}


@pytest.fixture
def images() -> Tensor:
    torch.manual_seed(0)
    return torch.randint(0, 256, (6, 3, 16, 16), dtype=torch.uint8)


def colours(images: Tensor, **changed: float) -> Tensor:
    """Images of middling values, so that nothing is clipped, with one property changed."""
    plain = {"brightness": 1.0, "contrast": 1.0, "saturation": 1.0, "hue": 0.0, "grey": 0.0}
    values = {name: torch.full((len(images),), v) for name, v in {**plain, **changed}.items()}
    grey = values.pop("grey") > 0
    return with_colours(images, **values, grey=grey)


def test_every_image_comes_in_four_rotations(images: Tensor) -> None:
    views = shifted_views(images, ContrastiveParams(**PLAIN))
    for turns in range(4):
        expected = torch.rot90(images.float() / 255, turns, (2, 3))
        assert_close(views[6 * turns : 6 * turns + 6], expected, atol=1e-4, rtol=0)


def test_without_rotations_there_is_one_view_of_each(images: Tensor) -> None:
    views = shifted_views(images, ContrastiveParams(**PLAIN, rotations=False))
    assert_close(views, images.float() / 255, atol=1e-4, rtol=0)


def test_images_are_mirrored_before_they_are_turned(images: Tensor) -> None:
    """Else a mirrored quarter turn to the left would be labeled a quarter turn to the right."""
    torch.manual_seed(2)
    views = shifted_views(images, ContrastiveParams(**{**PLAIN, "flip": True})).view(
        4, *images.shape
    )
    mirrored = (views[0] - images.flip(3) / 255).abs().amax(dim=(1, 2, 3)) < 1e-3
    assert 0 < mirrored.sum() < len(images)
    for turns in range(4):
        assert_close(views[turns], torch.rot90(views[0], turns, (2, 3)), atol=1e-3, rtol=0)


def test_a_crop_is_a_part_of_its_image_with_at_least_its_share() -> None:
    # The value of a pixel tells where it comes from.
    ramp = torch.linspace(0, 1, 64)
    grid = torch.stack([ramp.expand(64, 64), ramp[:, None].expand(64, 64), torch.zeros(64, 64)])
    torch.manual_seed(0)
    views = cropped(
        grid.expand(500, -1, -1, -1), ContrastiveParams(smallest_crop=0.25), torch.ones(500, 2)
    )
    width = views[:, 0, 0, -1] - views[:, 0, 0, 0]
    height = views[:, 1, -1, 0] - views[:, 1, 0, 0]
    area, ratio = width * height, width / height
    assert views.min() >= 0
    assert views.max() <= 1
    assert 0.2 < area.min() < 0.3
    assert area.max() > 0.9
    assert 0.73 < ratio.min() < 0.77
    assert 1.3 < ratio.max() < 1.37
    # Somewhere else each time, up to every edge.
    left, top = views[:, 0, 0, 0], views[:, 1, 0, 0]
    assert left.std() > 0.1
    assert top.std() > 0.1
    assert left.min() < 0.02
    assert (left + width).max() > 0.98


@pytest.mark.parametrize("factor", [0.6, 1.4])
@pytest.mark.parametrize("name", ["brightness", "contrast", "saturation"])
def test_colours_change_as_in_torchvision(images: Tensor, name: str, factor: float) -> None:
    middling = images.float() / 255 * 0.3 + 0.35
    expected = getattr(reference, f"adjust_{name}")(middling, factor)
    assert_close(colours(middling, **{name: factor}), expected, atol=1e-3, rtol=0)


def test_hue_turns_the_chroma_plane() -> None:
    red = torch.tensor([0.55, 0.45, 0.4]).view(1, 3, 1, 1)
    turned = colours(red, hue=0.1).flatten()
    luma, i, q = colorsys.rgb_to_yiq(*red.flatten().tolist())
    angle = 0.2 * np.pi
    i, q = i * np.cos(angle) - q * np.sin(angle), i * np.sin(angle) + q * np.cos(angle)
    assert turned.tolist() == pytest.approx(colorsys.yiq_to_rgb(luma, i, q), abs=0.01)


def test_grey_images_have_no_colour_and_stay_grey(images: Tensor) -> None:
    pixels = images.float() / 255
    grey = colours(pixels, grey=1.0)
    assert_close(grey, reference.rgb_to_grayscale(pixels, 3), atol=1e-3, rtol=0)
    changed = colours(grey * 0.4 + 0.3, contrast=1.3, saturation=0.6, hue=0.1)
    assert_close(changed[:, 0], changed[:, 2], atol=1e-5, rtol=0)


def test_each_image_gets_colours_of_its_own(images: Tensor) -> None:
    torch.manual_seed(0)
    same = (images[:1].float() / 255).expand(400, -1, -1, -1)
    views = recoloured(same, ContrastiveParams())
    as_it_was = (views - same).abs().amax(dim=(1, 2, 3)) < 1e-5
    without_colour = (views[:, 0] - views[:, 1]).abs().amax(dim=(1, 2)) < 1e-5
    # A fifth is not recoloured and another fifth loses its colour, each on its own.
    assert as_it_was.float().mean() == pytest.approx(0.2 * 0.8, abs=0.05)
    assert without_colour.float().mean() == pytest.approx(0.2, abs=0.05)
    assert views.min() >= 0
    assert views.max() <= 1
