"""The steps of patch_kmeans, against slow transcriptions in NumPy and scikit-learn's PCA."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from models.catalog.params.networks import PatchKMeansParams
from models.device import cpu_has_bfloat16
from models.media.images import patch_kmeans
from models.media.images.patch_kmeans import PatchKMeans
from models.media.images.store import PixelStore

Exact = NDArray[np.float64]

SIDE = 4


def written(pixels: NDArray[np.uint8], folder: Path) -> PixelStore:
    size = pixels.shape[1]
    with PixelStore.writer(folder / "pixels.bin", size) as writer:
        writer.write(0, pixels)
    return PixelStore.open(folder / "pixels.bin", size, len(pixels))


def images(count: int, size: int, seed: int = 0) -> NDArray[np.uint8]:
    """Noise of a different contrast and brightness in each image, the last one flat."""
    rng = np.random.default_rng(seed)
    contrast, brightness = rng.uniform(3, 60, count), rng.uniform(60, 190, count)
    noise = rng.standard_normal((count, size, size, 3)) + rng.standard_normal((count, 1, size, 1))
    pixels = noise * contrast[:, None, None, None] + brightness[:, None, None, None]
    pixels[-1] = 200
    return pixels.clip(0, 255).astype(np.uint8)


def patches_of(image: NDArray[np.uint8], side: int, stride: int = 1) -> Exact:
    """Coates and Ng, 2012, section 2.1: (x - mean) / sqrt(variance + 10), by rows of the grid.

    Returns:
        (h, w, 3pp), the channels of a patch first.
    """
    # What is left over lies on both sides.
    starts = range((len(image) - side) % stride // 2, len(image) - side + 1, stride)
    grid = []
    for top in starts:
        for left in starts:
            x = image[top : top + side, left : left + side].astype(float)
            x = (x - x.mean()) / np.sqrt(x.var() + 10)
            grid.append(x.transpose(2, 0, 1).ravel())
    return np.array(grid).reshape(len(starts), len(starts), -1)


def whitening_of(patches: Exact) -> Exact:
    values, vectors = np.linalg.eigh(np.cov(patches, rowvar=False, bias=True))
    result: Exact = vectors @ np.diag((values + 0.1) ** -0.5) @ vectors.T
    return result


def pooling_only(filters: Exact, offset: Exact, params: PatchKMeansParams) -> PatchKMeans:
    """An extractor whose embeddings are the pooled responses themselves."""
    width = (4 if params.flip else 8) * len(offset)
    tensors = {
        "filters": torch.tensor(filters, dtype=torch.float32),
        "offset": torch.tensor(offset, dtype=torch.float32),
        "mean": torch.zeros(width),
        "projection": torch.eye(width),
    }
    return PatchKMeans(tensors, params)


@pytest.mark.parametrize("count", [10, 40])
def test_images_that_are_all_alike_have_embeddings_of_zeros(tmp_path: Path, count: int) -> None:
    pixels = np.full((count, 8, 8, 3), 7, dtype=np.uint8)
    params = PatchKMeansParams(patch_size=3, features=8, iterations=2, dimension=6)
    fitted = PatchKMeans.fit(written(pixels, tmp_path), params, seed=0)
    assert_allclose(fitted.extract(pixels), 0, atol=1e-6)


def test_whitening_is_zca() -> None:
    rng = np.random.default_rng(0)
    patches = rng.standard_normal((500, 12)) @ rng.standard_normal((12, 12)) + rng.random(12)
    center, whitening = patch_kmeans._whitening(torch.tensor(patches, dtype=torch.float32))
    assert_allclose(center.numpy(), patches.mean(axis=0), atol=1e-5)
    assert_allclose(whitening.numpy(), whitening_of(patches), atol=1e-5)


def spherical_step(dictionary: Exact, rows: Exact) -> Exact:
    """Coates and Ng, 2012, section 3.1, with the old vectors added."""
    total = dictionary.copy()
    for row in rows:
        response = dictionary @ row
        nearest = np.abs(response).argmax()
        total[nearest] += response[nearest] * row
    result: Exact = total / np.linalg.norm(total, axis=1, keepdims=True)
    return result


def test_a_round_of_k_means_moves_each_vector_to_its_patches(tmp_path: Path) -> None:
    """A fit of one round more goes one literal step further, on all patches of so few images."""
    pixels = images(20, 8)
    store = written(pixels, tmp_path)
    patches = np.concatenate([patches_of(image, SIDE).reshape(25, -1) for image in pixels])
    center, whitening = patches.mean(axis=0), whitening_of(patches)
    dictionaries = []
    for iterations in (1, 2, 3):
        params = PatchKMeansParams(patch_size=SIDE, features=400, flip=False, iterations=iterations)
        fitted = PatchKMeans.fit(store, params, seed=0)
        filters = fitted.tensors["filters"].double().numpy()
        assert_allclose(fitted.tensors["offset"].numpy(), center @ filters, atol=1e-4)
        dictionaries.append(np.linalg.solve(whitening, filters).T)
    rows = (patches - center) @ whitening
    for before, after in pairwise(dictionaries):
        assert_allclose(np.linalg.norm(before, axis=1), 1, atol=1e-4)
        assert_allclose(after, spherical_step(before, rows), atol=1e-4)
    moved = np.linalg.norm(dictionaries[1] - dictionaries[0], axis=1)
    assert 0 < (moved < 1e-4).sum() < 200


def pooled_slowly(
    image: NDArray[np.uint8], filters: Exact, offset: Exact, params: PatchKMeansParams, stride: int
) -> Exact:
    """Coates and Ng, 2011, section 3.3: max(0, z - a) and max(0, -z - a), averaged by quarter."""
    grid = patches_of(image, params.patch_size, stride)
    side, a = len(grid), params.threshold
    # The middle of an odd number is in both halves.
    halves = [range(-(-side // 2)), range(side // 2, side)]
    pooled = []
    for rows in halves:
        for columns in halves:
            responses = [grid[row, column] @ filters - offset for row in rows for column in columns]
            pooled.append(np.mean([np.maximum(0, z - a) for z in responses], axis=0))
            pooled.append(np.mean([np.maximum(0, -z - a) for z in responses], axis=0))
    return np.concatenate(pooled)


@pytest.mark.parametrize(
    ("size", "given", "stride"), [(8, None, 1), (9, None, 1), (17, 3, 3), (18, 3, 3), (65, None, 2)]
)
@pytest.mark.parametrize(("bfloat16", "tolerance"), [(False, 1e-5), (True, 2e-2)])
def test_responses_are_thresholded_on_both_sides_and_averaged_by_quarter(
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    given: int | None,
    stride: int,
    bfloat16: bool,
    tolerance: float,
) -> None:
    monkeypatch.setattr(patch_kmeans, "cpu_has_bfloat16", lambda: bfloat16)
    rng = np.random.default_rng(1)
    filters, offset = rng.standard_normal((3 * SIDE**2, 5)) / SIDE, rng.standard_normal(5)
    params = PatchKMeansParams(patch_size=SIDE, features=8, flip=False, stride=given, threshold=0.4)
    pixels = images(3, size)
    found = pooling_only(filters, offset, params).extract(pixels)
    expected = [pooled_slowly(image, filters, offset, params, stride) for image in pixels]
    assert_allclose(found, expected, atol=tolerance)
    assert np.abs(np.diff(expected, axis=0)).max() > 0.2


def test_flip_learns_as_from_twice_the_images(tmp_path: Path) -> None:
    """A fit to images with half of a dictionary is one to them and their mirror images."""
    # Without the flat one, whose patches are as near to a vector as to its mirror image.
    pixels = images(21, 8)[:-1]
    store = written(pixels, tmp_path)
    both = np.concatenate([pixels, pixels[:, :, ::-1]])
    patches = np.concatenate([patches_of(image, SIDE).reshape(25, -1) for image in both])
    center, whitening = patches.mean(axis=0), whitening_of(patches)
    dictionaries = []
    for iterations in (1, 2):
        params = PatchKMeansParams(patch_size=SIDE, features=40, iterations=iterations)
        fitted = PatchKMeans.fit(store, params, seed=0)
        filters = fitted.tensors["filters"].double().numpy()
        assert_allclose(fitted.tensors["offset"].numpy(), center @ filters, atol=1e-4)
        dictionaries.append(np.linalg.solve(whitening, filters).T)
    before, after = dictionaries
    mirrored = before.reshape(40, 3, SIDE, SIDE)[..., ::-1].reshape(40, -1)
    assert_allclose(before, np.roll(mirrored, 20, axis=0), atol=1e-4)
    assert_allclose(after, spherical_step(before, (patches - center) @ whitening), atol=1e-4)


@pytest.mark.parametrize(("size", "stride"), [(8, 1), (9, 1), (66, 2), (18, 3)])
def test_flip_averages_over_the_mirror_image(size: int, stride: int) -> None:
    rng = np.random.default_rng(2)
    learned, offset = rng.standard_normal((3 * SIDE**2, 4)) / SIDE, rng.standard_normal(4)
    mirrored = learned.reshape(3, SIDE, SIDE, 4)[:, :, ::-1].reshape(-1, 4)
    filters, offsets = np.concatenate([learned, mirrored], axis=1), np.tile(offset, 2)
    params = PatchKMeansParams(patch_size=SIDE, features=8, stride=stride, threshold=0.4)
    pixels = images(3, size)
    found = pooling_only(filters, offsets, params).extract(pixels)
    own, other = (
        np.stack([pooled_slowly(image, learned, offset, params, stride) for image in shown])
        for shown in (pixels, pixels[:, :, ::-1])
    )
    expected = (own + other) / 2
    tolerance = 2e-2 if cpu_has_bfloat16() else 1e-5
    assert_allclose(found, expected, atol=tolerance)
    assert np.abs(np.diff(expected, axis=0)).max() > 0.2


@pytest.mark.parametrize("flip", [False, True])
def test_a_mirror_image_has_the_same_embedding_where_left_is_right(
    tmp_path: Path, flip: bool
) -> None:
    pixels = images(100, 9)
    params = PatchKMeansParams(patch_size=SIDE, features=8, flip=flip, dimension=6)
    fitted = PatchKMeans.fit(written(pixels, tmp_path), params, seed=0)
    own = fitted.extract(pixels)
    apart = np.abs(own - fitted.extract(np.ascontiguousarray(pixels[:, :, ::-1]))).max()
    assert (apart < 0.05 * own.std()) == flip


@pytest.mark.parametrize(("features", "dimension"), [(16, 40), (32, 12), (128, 149)])
def test_projection_is_pca_whitened_halfway(tmp_path: Path, features: int, dimension: int) -> None:
    pixels = images(150, 8)
    store = written(pixels, tmp_path)
    params = PatchKMeansParams(
        patch_size=SIDE, features=features, iterations=2, dimension=dimension
    )
    fitted = PatchKMeans.fit(store, params, seed=0)
    tensors = {name: tensor.double().numpy() for name, tensor in fitted.tensors.items()}
    pooled = pooling_only(tensors["filters"], tensors["offset"], params).extract(pixels)

    mean, deviation = pooled.mean(axis=0, dtype=float), pooled.std(axis=0, ddof=1, dtype=float)
    scaled = (pooled - mean) / deviation
    pca = PCA(dimension, svd_solver="full").fit(scaled)
    axes = pca.components_.copy()
    for axis in axes:
        axis *= np.sign(axis[np.abs(axis).argmax()])
    deviations = np.sqrt(pca.explained_variance_ * 149 / 150)
    expected = scaled @ axes.T / np.sqrt(deviations)
    assert_allclose(fitted.extract(pixels), expected, atol=1e-2)
    assert_allclose(fitted.extract(pixels).std(axis=0), np.sqrt(deviations), rtol=1e-3)
    assert_allclose(tensors["mean"], mean, atol=1e-5)
