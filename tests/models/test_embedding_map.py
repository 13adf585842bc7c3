"""A plane of embeddings: near stays near, and neither a kill nor a second time changes it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from models.catalog.params.embedding_map import EmbeddingMapParams
from models.errors import Cancelled
from models.features import embedding_map
from models.features.embedding_map import (
    COMPONENTS,
    ITERATIONS,
    drawn,
    feature_spans,
    find_neighbours,
    is_flat,
    lay_out,
    load,
    place_others,
    reduce,
    scaled,
)
from models.protocols import Float32Array, Indices

GROUPS = 6


def groups(count: int, seed: int = 0, width: int = 64) -> tuple[Float32Array, Indices]:
    """Embeddings in groups, and the group of each."""
    rng = np.random.default_rng(seed)
    middles = rng.standard_normal((GROUPS, width))
    of = rng.integers(0, GROUPS, count)
    return (middles[of] + 0.4 * rng.standard_normal((count, width))).astype(np.float32), of


def made(
    rows: Float32Array, folder: Path, laid_out: int = 1_000, seed: int = 0, perplexity: float = 15.0
) -> Float32Array:
    """The whole way, as the job goes it."""
    # Fewer than anybody may ask for, which takes less time.
    params = EmbeddingMapParams.model_construct(laid_out=laid_out, perplexity=perplexity)
    folder.mkdir(exist_ok=True)
    reduce(rows, np.arange(len(rows)), [(0, rows.shape[1])], out=folder / "points.npy")
    points = load(folder / "points.npy")
    chosen = drawn(len(points), params.laid_out, seed)
    near = find_neighbours(
        points[chosen], points[chosen], 45, folder=folder / "near", own=True, progress=None
    )
    positions = lay_out(
        points[chosen], *near, params, seed=seed, checkpoint=folder / "layout.safetensors"
    )
    return scaled(place_others(points, chosen, positions, folder=folder / "others"))


@pytest.mark.parametrize(("count", "laid_out"), [(400, 1_000), (1_000, 400)])
def test_what_is_near_stays_near_also_what_is_placed_among_others(
    tmp_path: Path, count: int, laid_out: int
) -> None:
    rows, of = groups(count)
    at = made(rows, tmp_path, laid_out)
    assert at.shape == (count, 2)
    assert at.dtype == np.float32
    assert_allclose(np.abs(at).max(), 1.0, rtol=1e-5)
    assert trustworthiness(rows, at, n_neighbors=10) > 0.85
    half = count // 2
    right = KNeighborsClassifier(5).fit(at[:half], of[:half]).score(at[half:], of[half:])
    assert right > 0.98


def test_the_same_seed_makes_the_same_map(tmp_path: Path) -> None:
    rows, _ = groups(300)
    first, second = (made(rows, tmp_path / name, laid_out=200) for name in "ab")
    assert_array_equal(first, second)
    assert not np.array_equal(first, made(rows, tmp_path / "c", laid_out=200, seed=1))


def test_one_that_was_stopped_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    rows, _ = groups(200)
    whole = made(rows, tmp_path / "whole")
    folder = tmp_path / "stopped"
    folder.mkdir()
    reduce(rows, np.arange(200), [(0, rows.shape[1])], out=folder / "points.npy")
    points = load(folder / "points.npy")
    near = find_neighbours(points, points, 45, folder=folder / "near", own=True)
    seen: list[int] = []

    def stop_at(most: int) -> None:
        def progress(step: int, steps: int) -> None:
            assert steps == ITERATIONS
            seen.append(step)
            if step >= most:
                raise Cancelled

        params = EmbeddingMapParams(perplexity=15.0)
        checkpoint = folder / "layout.safetensors"
        with pytest.raises(Cancelled):
            lay_out(points, *near, params, seed=0, checkpoint=checkpoint, progress=progress)

    stop_at(130)
    stop_at(420)
    # It went on from what was last saved, not from the beginning.
    assert seen.count(0) == 1
    assert_array_equal(made(rows, folder), whole)


def test_neighbours_are_the_nearest_and_kept_block_by_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_map, "_ROWS_A_FILE", 128)
    points, _ = groups(300, width=8)
    rows, distances = find_neighbours(points, points, 7, folder=tmp_path / "near", own=True)
    wanted, nearest = NearestNeighbors(n_neighbors=8).fit(points).kneighbors(points)
    assert_array_equal(np.sort(rows), np.sort(nearest[:, 1:]))
    assert_allclose(np.sort(distances), wanted[:, 1:], atol=2e-3)
    assert len(list((tmp_path / "near").glob("*.npz"))) == 3
    stopped = 0

    def progress(step: int, steps: int) -> None:
        nonlocal stopped
        assert step < steps == 300
        stopped += 1

    again = find_neighbours(
        points, points, 7, folder=tmp_path / "near", own=True, progress=progress
    )
    assert stopped == 0
    assert_array_equal(again[0], rows)


def test_components_are_those_of_another_implementation(tmp_path: Path) -> None:
    rows, _ = groups(500)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    reduce(rows, np.arange(500), [(0, 64)], out=tmp_path / "points.npy")
    mine = load(tmp_path / "points.npy")
    theirs = PCA(COMPONENTS, svd_solver="full").fit_transform(units)
    # A component and its opposite are the same.
    assert_allclose(np.abs(mine[:, :5]), np.abs(theirs[:, :5]), atol=1e-4)


def test_features_of_two_kinds_count_alike() -> None:
    assert feature_spans("auto", 128, 1500, None) == [(0, 1280), (1280, 1500)]
    assert feature_spans("auto", 128, 1500, (0, 1280)) == [(0, 1280)]
    assert feature_spans("auto", 128, 1500, (1280, 1500)) == [(1280, 1500)]
    assert feature_spans("auto", 8, 220, None) == [(0, 220)]
    assert feature_spans("patch_kmeans", 32, 220, None) == [(0, 220)]


@settings(max_examples=60, deadline=None)
@given(count=st.integers(1, 5_000), most=st.integers(1, 3_000), seed=st.integers(0, 99))
def test_so_many_are_drawn_each_once_and_in_order(count: int, most: int, seed: int) -> None:
    chosen = drawn(count, most, seed)
    assert len(chosen) == min(count, most)
    assert (np.diff(chosen) > 0).all()
    assert chosen.min() >= 0
    assert chosen.max() < count
    assert_array_equal(chosen, drawn(count, most, seed))


def test_few_images_and_copies_of_one_are_not_laid_out() -> None:
    assert is_flat(groups(4)[0])
    assert is_flat(np.repeat(groups(1)[0], 50, axis=0))
    assert not is_flat(groups(5)[0])
    assert_array_equal(scaled(np.zeros((4, 2))), np.zeros((4, 2)))


def test_copies_of_an_image_lie_together_and_are_not_lost(tmp_path: Path) -> None:
    rows, _ = groups(200)
    at = made(np.concatenate([rows, np.repeat(rows[:1], 30, axis=0)]), tmp_path)
    assert np.isfinite(at).all()
    apart = np.linalg.norm(at[200:] - at[0], axis=1)
    assert np.median(apart) < 0.2
