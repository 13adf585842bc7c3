"""Nearest others and same pictures: against plain products, and on pictures that were changed."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageEnhance

from models.errors import Cancelled
from models.features import duplicates
from models.features.duplicates import (
    groups_of,
    isolation_of,
    nearest_files,
    nearest_rows,
)
from models.media.images.outlines import outline

Pictures = NDArray[np.uint8]


def found(
    rows: NDArray[np.float32] | NDArray[np.float16], width: int, out: Path
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    nearest_rows(rows, width, out=out)
    indices, cosines = nearest_files(out)
    return np.load(indices), np.load(cosines)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 90), st.integers(2, 12), st.integers(0, 2**16), st.integers(1, 30))
def test_the_nearest_are_those_of_plain_products(
    tmp_path_factory: pytest.TempPathFactory, count: int, width: int, seed: int, block: int
) -> None:
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((count, width + 2)).astype(np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "_ROWS", block)
        patch.setattr(duplicates, "_COLUMNS", block + 3)
        indices, cosines = found(rows, width, tmp_path_factory.mktemp("nearest") / "nearest")
    unit = rows[:, :width] / np.linalg.norm(rows[:, :width], axis=1, keepdims=True)
    expected = unit @ unit.T
    np.fill_diagonal(expected, -np.inf)
    best = -np.sort(-expected, axis=1)[:, : cosines.shape[1]]
    assert cosines == pytest.approx(best, abs=1e-5)
    assert np.take_along_axis(expected, indices.astype(np.int64), 1) == pytest.approx(
        cosines, abs=1e-5
    )
    assert all(len(set(row)) == len(row) for row in indices.tolist())
    isolation = isolation_of(cosines, 10)
    assert isolation == pytest.approx(1 - best[:, :10].mean(axis=1), abs=1e-5)


def test_short_rows_find_nearly_all_of_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(0)
    kinds = generator.standard_normal((40, 300))
    rows = kinds[generator.integers(40, size=900)] + 0.6 * generator.standard_normal((900, 300))
    monkeypatch.setattr(duplicates, "_SHORTENED_FROM", 100)
    monkeypatch.setattr(duplicates, "_SHORT", 64)
    _, cosines = found(rows.astype(np.float32), 300, tmp_path / "short")
    monkeypatch.setattr(duplicates, "_SHORTENED_FROM", 10_000)
    _, exact = found(rows.astype(np.float32), 300, tmp_path / "exact")
    assert np.mean(cosines[:, :10].sum(axis=1) >= 0.98 * exact[:, :10].sum(axis=1)) > 0.97


@pytest.mark.parametrize("shortened_from", [100, 10_000])
def test_rows_in_half_precision_are_compared_as_exactly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shortened_from: int
) -> None:
    rows = np.random.default_rng(2).standard_normal((300, 200)).astype(np.float16)
    rows[7] = 0
    monkeypatch.setattr(duplicates, "_SHORTENED_FROM", shortened_from)
    indices, cosines = found(rows, 200, tmp_path / "half")
    other, exact = found(rows.astype(np.float32), 200, tmp_path / "whole")
    assert np.array_equal(indices, other)
    assert np.array_equal(cosines, exact)
    assert not cosines[7].any()


def test_a_search_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).standard_normal((200, 8)).astype(np.float32)
    monkeypatch.setattr(duplicates, "_ROWS", 4)
    saved: list[int] = []

    def stop(step: int, steps: int) -> None:
        assert steps == 200
        if step >= 150:
            raise Cancelled

    with pytest.raises(Cancelled):
        nearest_rows(rows, 8, out=tmp_path / "a", progress=stop, save=saved.append)
    assert saved == [64, 128]
    seen: list[int] = []
    nearest_rows(
        rows, 8, out=tmp_path / "a", done=saved[-1], progress=lambda step, _: seen.append(step)
    )
    assert seen[0] == 128
    nearest_rows(rows, 8, out=tmp_path / "b")
    for one, other in zip(
        nearest_files(tmp_path / "a"), nearest_files(tmp_path / "b"), strict=True
    ):
        np.testing.assert_array_equal(np.load(one), np.load(other))


def photographs(count: int, size: int = 64) -> list[Image.Image]:
    """Pictures with structure at every scale, as photographs have it."""
    generator = np.random.default_rng(5)
    made = []
    for _ in range(count):
        picture = np.zeros((size, size, 3))
        for side in (2, 4, 8, 16):
            noise = generator.uniform(0, 255, (side, side, 3)).astype(np.uint8)
            scaled = Image.fromarray(noise).resize((size, size), Image.Resampling.BICUBIC)
            picture += np.asarray(scaled) / side
        made.append(Image.fromarray((picture / picture.max() * 220).astype(np.uint8)))
    return made


def saved_anew(picture: Image.Image) -> Image.Image:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=50)
    return Image.open(file).convert("RGB")


CHANGES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "saved anew": saved_anew,
    "halved": lambda one: one.resize((32, 32)).resize((64, 64)),
    "brighter": lambda one: ImageEnhance.Brightness(one).enhance(1.1),
    "flatter": lambda one: ImageEnhance.Contrast(one).enhance(0.7),
    "grey": lambda one: one.convert("L").convert("RGB"),
}


def as_pixels(pictures: list[Image.Image]) -> Pictures:
    return np.stack([np.asarray(one) for one in pictures])


@pytest.mark.parametrize("change", CHANGES)
def test_a_picture_that_was_changed_is_the_same_and_others_are_not(change: str) -> None:
    originals = photographs(20)
    first, means = outline(as_pixels(originals))
    second, others = outline(as_pixels([CHANGES[change](one) for one in originals]))
    products = first @ second.T
    assert products.diagonal().min() >= 0.98
    assert np.abs(means - others).max() < 64
    np.fill_diagonal(products, 0)
    assert products.max() < 0.98


def test_pictures_without_anything_in_them_are_the_same_if_equally_bright() -> None:
    flat = np.stack([np.full((16, 16, 3), value, np.uint8) for value in (0, 3, 200)])
    noisy = np.random.default_rng(0).integers(0, 255, (1, 16, 16, 3)).astype(np.uint8)
    prints, means = outline(np.concatenate([flat, noisy]))
    rows = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]], dtype=np.int32)
    group = groups_of(
        rows, np.ones((4, 3), np.float32), prints, means, similarity=0.5, correlation=0.98
    )
    assert group.tolist() == [0, 0, -1, -1]


def test_features_that_differ_are_no_picture_twice() -> None:
    prints, means = outline(np.zeros((2, 8, 8, 3), np.uint8))
    rows, cosines = np.array([[1], [0]], np.int32), np.full((2, 1), 0.4, np.float32)
    wanted: dict[str, Any] = {"similarity": 0.5, "correlation": 0.98}
    assert groups_of(rows, cosines, prints, means, **wanted).tolist() == [-1, -1]
    assert groups_of(rows, cosines + 0.2, prints, means, **wanted).tolist() == [0, 0]


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 60), st.floats(0.1, 3), st.integers(0, 1000))
def test_a_chain_of_small_differences_is_not_one_picture(
    frames: int, whole: float, seed: int
) -> None:
    # Each frame is turned a little further than the one before: neighbours are alike, ends not.
    step = whole / frames
    angles = np.arange(frames) * step
    prints = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    order = np.random.default_rng(seed).permutation(frames)
    prints = prints[order]
    cosines = prints @ prints.T
    np.fill_diagonal(cosines, -np.inf)
    rows = np.argsort(-cosines, axis=1)[:, : min(24, frames - 1)].astype(np.int32)
    near = np.take_along_axis(cosines, rows.astype(np.int64), 1).astype(np.float32)
    group = groups_of(
        rows, near, prints, np.zeros(frames, np.float32), similarity=0.5, correlation=0.98
    )
    widest = np.arccos(0.98)
    for leader in set(group.tolist()) - {-1}:
        members = np.flatnonzero(group == leader)
        assert members[0] == leader
        assert len(members) > 1
        # All are the same as one in their middle.
        turned = order[members] * step
        assert turned.max() - turned.min() <= 2 * widest + 1e-3
    if step < widest:
        assert (group >= 0).sum() >= frames - 2 * len(set(group.tolist()))


def test_of_those_that_all_hang_together_who_has_most_of_the_same_stands_for_them() -> None:
    for seed in range(20):
        generator = np.random.default_rng(seed)
        prints = generator.normal(size=(40, 3)).astype(np.float32)
        prints /= np.linalg.norm(prints, axis=1, keepdims=True)
        products = prints @ prints.T
        same = products >= 0.8
        np.fill_diagonal(products, -np.inf)
        rows = np.argsort(-products, axis=1)[:, :39].astype(np.int32)
        group = groups_of(
            rows, np.ones((40, 39), np.float32), prints, np.zeros(40, np.float32),
            similarity=0.5, correlation=0.8,
        )  # fmt: skip
        expected = np.full(40, -1)
        left = np.ones(40, dtype=bool)
        while left.any():
            leader = np.argmax(np.where(left, same.sum(axis=1), -1))
            members = np.flatnonzero(left & same[leader])
            if len(members) > 1:
                expected[members] = members[0]
            left[members] = False
        assert group.tolist() == expected.tolist()


def film(frames: int) -> dict[str, Any]:
    """Frames of a slow walk, each with the twenty around it as its nearest."""
    generator = np.random.default_rng(0)
    steps = generator.normal(size=(frames, 64)) * np.sqrt(1 - 0.998**2)
    walk = np.empty((frames, 64), np.float32)
    last = generator.normal(size=64)
    for place, step in enumerate(steps):
        last = 0.998 * last + step
        walk[place] = last / np.linalg.norm(last)
    around = np.array([one for one in range(-10, 11) if one])
    rows = np.clip(np.arange(frames)[:, None] + around, 0, frames - 1).astype(np.int32)
    return {
        "rows": rows,
        "cosines": np.ones(rows.shape, np.float32),
        "prints": walk,
        "means": np.zeros(frames, np.float32),
        "similarity": 0.5,
        "correlation": 0.98,
    }


def test_a_long_film_is_compared_only_where_it_hangs_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames, pairs, same = 20_000, 0, duplicates._same

    def counted(*given: Any) -> Any:
        nonlocal pairs
        pairs += len(given[3])
        return same(*given)

    monkeypatch.setattr(duplicates, "_same", counted)
    group = groups_of(**film(frames))
    assert (group >= 0).mean() > 0.9
    assert pairs < 100 * frames


def test_grouping_is_cancelled() -> None:
    told: list[int] = []

    def progress(step: int, steps: int) -> None:
        assert 0 <= step <= steps == 5000
        told.append(step)
        if len(told) == 12:
            raise Cancelled

    with pytest.raises(Cancelled):
        groups_of(**film(5000), progress=progress)
    # Once by links, and then by groups.
    assert len(told) == 12
    assert told != sorted(told)
