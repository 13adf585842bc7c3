"""What the square that a model sees shows of an image, and where things of it are there."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from PIL import Image

from core.settings.project import Fit as StoredFit
from models.catalog.params.contrastive import ContrastiveParams
from models.catalog.params.networks import PatchKMeansParams, TinyParams
from models.frame import (
    FILL,
    Fit,
    Frame,
    into_square,
    on_image,
    out_of_square,
    unpadded,
    within_images,
    without_bars,
)
from models.media.images.extractor import NetworkExtractor
from models.media.images.networks.nets import cnn_tiny
from models.media.images.outlines import outline
from models.media.images.patch_kmeans import PatchKMeans
from models.media.images.store import PixelStore, fit_image
from models.media.images.strong_view import StrongView
from models.media.images.views import shifted_views
from models.ranking.pool_scores import PoolScores
from models.tasks.localization.map_box import silenced

FITS: tuple[Fit, ...] = ("crop", "pad")
fits = st.sampled_from(FITS)
frames = st.builds(Frame, st.integers(8, 512), fits)
lengths = st.integers(1, 5000)
places = st.floats(-100, 6000, allow_nan=False)


def noise(width: int, height: int, seed: int = 0) -> Image.Image:
    """An image of which no row or column is of the colour of bars."""
    drawn = np.random.default_rng(seed).integers(140, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(drawn)


@settings(max_examples=100, deadline=None)
@given(frames, lengths, lengths, places, places, st.floats(0.01, 5000), st.floats(0.01, 5000))
def test_a_box_goes_to_the_square_and_back(
    frame: Frame, width: int, height: int, x: float, y: float, w: float, h: float
) -> None:
    corners, sizes = np.array([[x, y, x + w, y + h]]), np.array([[width, height]])
    windows = frame.windows(sizes)
    shares = into_square(corners, windows)
    assert_allclose(out_of_square(shares, windows), corners, atol=1e-6)
    # The middle stays there, to half a pixel of the square.
    middle = into_square(np.array([[width / 2, height / 2] * 2]), windows)
    assert_allclose(middle, 0.5, atol=0.5 / frame.side + 1e-9)


@settings(max_examples=100, deadline=None)
@given(frames, lengths, lengths)
def test_padded_nothing_is_lost_and_cropped_nothing_is_added(
    frame: Frame, width: int, height: int
) -> None:
    sizes = np.array([[width, height]])
    left, top, right, bottom = into_square(
        np.array([[0.0, 0, width, height]]), frame.windows(sizes)
    )[0]
    if frame.fit == "pad":
        assert min(left, top) >= -1e-9
        assert max(right, bottom) <= 1 + 1e-9
        # The longer side fills the square.
        assert_allclose(max(right - left, bottom - top), 1)
    else:
        assert max(left, top) <= 1e-9
        assert min(right, bottom) >= 1 - 1e-9
        assert_allclose(min(right - left, bottom - top), 1)
    assert_array_equal(within_images(np.array([[-5.0, -5, 1e5, 1e5]]), sizes)[0, 2:], sizes[0])


@settings(max_examples=30, deadline=None)
@given(st.integers(8, 64), st.integers(1, 90), st.integers(1, 90))
def test_pixels_lie_where_the_frame_says(side: int, width: int, height: int) -> None:
    pixels = fit_image(noise(width, height), side, "pad")
    assert pixels.shape == (side, side, 3)
    left, top, w, h = Frame(side, "pad").places(np.array([[width, height]]))[0].tolist()
    assert unpadded(pixels[None])[0].tolist() == [left, top, left + w, top + h]
    beside = np.ones((side, side), dtype=bool)
    beside[top : top + h, left : left + w] = False
    assert (pixels[beside] == FILL).all()
    shown = on_image(pixels[None])
    assert_array_equal(beside, np.zeros_like(beside) if shown is None else ~shown[0])


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("size", [(90, 60), (60, 90), (64, 64), (61, 90), (400, 90)])
def test_a_thing_is_where_its_box_goes(fit: Fit, size: tuple[int, int]) -> None:
    width, height = size
    left, top, right, bottom = width // 2 - 6, height // 2 - 10, width // 2 + 12, height // 2 + 8
    image = Image.new("RGB", size)
    image.paste((255, 255, 255), (left, top, right, bottom))
    rows, columns = np.nonzero(fit_image(image, 240, fit)[:, :, 0] > 190)
    seen_at = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    box, sizes = np.array([[left, top, right, bottom]], float), np.array([size])
    shares = into_square(box, Frame(240, fit).windows(sizes))
    assert_allclose(shares[0] * 240, seen_at, atol=2.0)


def test_small_images_are_padded_without_losing_a_pixel() -> None:
    image = noise(21, 28)
    pixels = fit_image(image, 28, "pad")
    assert_array_equal(pixels[:, 3:24], np.asarray(image))
    # A strip still has a row, and is cheap.
    assert fit_image(Image.new("RGB", (100_000, 1)), 32, "pad")[15].tolist() == [[0, 0, 0]] * 32


def test_settings_and_models_know_the_same_fits() -> None:
    assert StoredFit == Fit


def test_images_are_parted_by_shape_and_each_comes_once() -> None:
    sizes = [(64, 64), (64, 40), (40, 64), (64, 41), (64, 2)]
    pixels = np.stack([fit_image(noise(*size, seed), 64, "pad") for seed, size in enumerate(sizes)])
    found = list(without_bars(pixels, least=9))
    assert sorted(int(one) for positions, _ in found for one in positions) == [0, 1, 2, 3, 4]
    shapes = {int(at): part.shape[1:3] for positions, part in found for at in positions}
    assert shapes == {0: (64, 64), 1: (40, 64), 2: (64, 40), 3: (42, 64), 4: (9, 64)}
    near = [fit_image(noise(160, height), 160, "pad") for height in (101, 102, 103, 104, 105)]
    ((_, alike),) = without_bars(np.stack(near))
    for one, part in zip(near, alike, strict=True):
        _, top, _, bottom = unpadded(one[None])[0]
        assert part.shape == (105, 160, 3)
        assert_array_equal(part[(part != FILL).any(axis=2)], one[top:bottom].reshape(-1, 3))
    whole = np.stack([np.asarray(noise(64, 64, seed)) for seed in range(3)])
    ((positions, same),) = without_bars(whole)
    assert positions.tolist() == [0, 1, 2]
    assert_array_equal(same, whole)


@pytest.mark.parametrize("edge", [slice(0, 3), slice(13, 16)])
def test_what_is_of_that_colour_at_one_edge_alone_is_of_the_image(edge: slice) -> None:
    pixels = np.stack([np.asarray(noise(16, 16))] * 2)
    pixels[0, edge] = pixels[1, :, edge] = FILL
    extent = unpadded(pixels)[:, 2:] - unpadded(pixels)[:, :2]
    assert (extent >= 15).all()


def test_an_image_that_is_nothing_but_the_colour_of_bars_is_whole() -> None:
    assert unpadded(np.full((1, 16, 16, 3), FILL, dtype=np.uint8)).tolist() == [[0, 0, 16, 16]]


@pytest.fixture
def barred() -> NDArray[np.uint8]:
    """Wide images, of two shapes."""
    return np.stack([fit_image(noise(32, 16 + seed % 2, seed), 32, "pad") for seed in range(6)])


@pytest.fixture
def padded(barred: NDArray[np.uint8], tmp_path: Path) -> PixelStore:
    """A pool of them."""
    path = tmp_path / "pixels.u8"
    with PixelStore.writer(path, 32) as writer:
        writer.write(0, barred)
    return PixelStore.open(path, 32, len(barred), fit="pad")


def test_features_are_of_images_and_not_of_bars(barred: NDArray[np.uint8]) -> None:
    torch.manual_seed(0)
    network = cnn_tiny(TinyParams(width=4), classes=2, image_size=32)
    network.set_statistics(torch.zeros(3), torch.ones(3))
    extractor, looks_at_all = (
        NetworkExtractor(network, "float32", whole=whole) for whole in (False, True)
    )
    inner = np.stack([one[8:24] for one in barred[::2]])
    found = extractor.extract(barred)
    assert_allclose(found[::2], looks_at_all.extract(inner), atol=1e-5)
    assert np.abs(found - looks_at_all.extract(barred)).max() > 1e-3


def test_patches_are_learned_and_counted_on_images_alone(
    barred: NDArray[np.uint8], padded: PixelStore
) -> None:
    params = PatchKMeansParams(features=8, iterations=2)
    fitted = PatchKMeans.fit(padded, params, seed=0)
    found = fitted.extract(barred)
    assert np.isfinite(found).all()
    # One by one it is the same: each is put back where it was.
    alone = np.concatenate([fitted.extract(barred[at : at + 1]) for at in range(len(barred))])
    assert_allclose(found, alone, atol=1e-3)


def test_a_strong_view_keeps_bars_where_they_are(padded: PixelStore) -> None:
    changed = 0
    for seed in range(8):
        seen = StrongView(padded, seed)[np.arange(len(padded))]
        assert_array_equal(unpadded(seen), unpadded(padded[:]))
        changed += (seen != padded[:]).any(axis=(1, 2, 3)).sum()
    assert changed > 4 * len(padded)


@pytest.mark.parametrize("rotations", [True, False])
def test_views_show_nothing_of_bars(rotations: bool) -> None:
    images = np.full((8, 64, 64, 3), 255, dtype=np.uint8)
    for at, size in enumerate([(64, 16), (16, 64), (64, 36), (64, 64)] * 2):
        images[at] = fit_image(Image.new("RGB", size, (0, 0, 0)), 64, "pad")
    shares = torch.tensor([[1, 0.25], [0.25, 1], [1, 36 / 64], [1, 1]] * 2)
    torch.manual_seed(0)
    params = ContrastiveParams(colour=0.0, grey=0.0, rotations=rotations)
    views = shifted_views(torch.from_numpy(images).permute(0, 3, 1, 2), params, shares)
    # Next to an edge a pixel is mixed with its neighbour.
    assert views[:, :, 4:-4, 4:-4].max() < 1e-3


def test_pictures_are_not_alike_because_both_have_bars() -> None:
    dark = [noise(64, 36, seed).point(lambda value: value // 8) for seed in range(2)]
    (one, other), means = outline(np.stack([fit_image(image, 64, "pad") for image in dark]))
    assert float(one @ other) < 0.5
    assert means.max() < 40


def test_a_map_says_nothing_of_bars() -> None:
    pixels = np.stack([fit_image(noise(64, 32), 64, "pad"), fit_image(noise(64, 64), 64, "pad")])
    maps = np.tile(np.arange(64, dtype=np.float32).reshape(1, 8, 8), (2, 1, 1))
    quiet = silenced(maps, pixels)
    assert (quiet[0, :2] == 16).all()
    assert (quiet[0, 6:] == 16).all()
    assert_array_equal(quiet[0, 2:6], maps[0, 2:6])
    assert_array_equal(quiet[1], maps[1])


def test_scores_say_which_square_their_detections_are_of(tmp_path: Path) -> None:
    rows = np.zeros(2, dtype=np.float32)
    found = np.full((2, 1, 6), 0.5, dtype=np.float32)
    scores = PoolScores(
        np.arange(2), np.zeros((2, 3), np.float32), rows, rows, detections=found,
        frame=Frame(64, "pad"),
    )  # fmt: skip
    PoolScores.joined([scores.take(np.array([0])), scores.take(np.array([1]))]).to_parquet(
        tmp_path / "scores.parquet"
    )
    assert PoolScores.from_parquet(tmp_path / "scores.parquet").frame == Frame(64, "pad")
