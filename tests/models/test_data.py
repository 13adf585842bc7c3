import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from PIL import Image

from models.errors import ModelError, PixelsLost
from models.media.images.store import PixelStore, fit_image


def _noise(count: int, size: int) -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (count, size, size, 3), dtype=np.uint8)


def test_rows_come_back_in_the_order_asked_for(tmp_path: Path) -> None:
    images = _noise(6, 9)
    with PixelStore.writer(tmp_path / "pixels.bin", 9) as writer:
        writer.write(0, images[:4])
        writer.write(4, images[4:])
    store = PixelStore.open(tmp_path / "pixels.bin", 9, 6)
    assert len(store) == store.count == 6
    assert_array_equal(store[np.array([5, 0, 5])], images[[5, 0, 5]])
    assert_array_equal(store[slice(1, 4)], images[1:4])
    assert store[np.array([], dtype=np.int64)].shape == (0, 9, 9, 3)


def test_a_resumed_import_rewrites_rows_in_any_order(tmp_path: Path) -> None:
    images, path = _noise(5, 8), tmp_path / "pixels.bin"
    with PixelStore.writer(path, 8) as writer:
        writer.write(2, images[2:])
        writer.write(0, np.zeros_like(images[:2]))
        writer.flush()
    with PixelStore.writer(path, 8) as writer:
        writer.write(0, images[:2])
    assert_array_equal(PixelStore.open(path, 8, 5)[slice(None)], images)


def test_writing_images_needs_no_memory_for_a_second_of_each(tmp_path: Path) -> None:
    images = _noise(16, 256)
    with PixelStore.writer(tmp_path / "pixels.bin", 256) as writer:
        tracemalloc.start()
        try:
            writer.write(0, images)
            writer.write(16, (image[::-1] for image in images))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < images.nbytes / 4
    store = PixelStore.open(tmp_path / "pixels.bin", 256, 32)
    assert_array_equal(store[:16], images)
    assert_array_equal(store[16:], images[:, ::-1])


def test_a_view_ends_at_its_count(tmp_path: Path) -> None:
    with PixelStore.writer(tmp_path / "pixels.bin", 8) as writer:
        writer.write(0, _noise(5, 8))
    store = PixelStore.open(tmp_path / "pixels.bin", 8, 3)
    with pytest.raises(IndexError):
        store[np.array([3])]
    with pytest.raises(ModelError, match="holds 5 images of 8 px, not 6"):
        PixelStore.open(tmp_path / "pixels.bin", 8, 6)


def test_what_a_file_lacks_is_missed_when_it_is_read(tmp_path: Path) -> None:
    images, path = _noise(5, 8), tmp_path / "pixels.bin"
    with PixelStore.writer(path, 8) as writer:
        writer.write(0, images)
    store = PixelStore.open(path, 8, 7, whole=False)
    assert len(store) == 7
    assert_array_equal(store[np.array([4, 0])], images[[4, 0]])
    assert_array_equal(store[1:5], images[1:5])
    assert_array_equal(store[-5:-3], images[2:4])
    assert len(store[np.array([], dtype=np.int64)]) == 0
    for lost in (np.array([0, 5]), slice(3, None), slice(-1, None), np.array([-1])):
        with pytest.raises(PixelsLost, match="holds 5 images of 8 px, not 7"):
            store[lost]
    with pytest.raises(PixelsLost):
        store.take(np.array([6, 1]))[np.array([0])]
    with pytest.raises(IndexError):
        store[np.array([7])]
    with pytest.raises(PixelsLost, match=r"none\.bin; try again"):
        PixelStore.open(tmp_path / "none.bin", 8, 1, whole=False)[0:1]


def test_a_missing_store_is_named(tmp_path: Path) -> None:
    assert len(PixelStore.open(tmp_path / "none.bin", 8, 0)) == 0
    with pytest.raises(ModelError, match=r"none\.bin; try again"):
        PixelStore.open(tmp_path / "none.bin", 8, 1)


def test_images_of_the_wrong_size_are_refused(tmp_path: Path) -> None:
    with (
        PixelStore.writer(tmp_path / "pixels.bin", 8) as writer,
        pytest.raises(ModelError, match="use fit_image"),
    ):
        writer.write(0, _noise(1, 9))


def test_an_image_of_the_right_size_is_left_alone() -> None:
    pixels = _noise(1, 16)[0]
    assert_array_equal(fit_image(Image.fromarray(pixels), 16), pixels)


def test_the_centre_square_is_kept() -> None:
    wide = np.zeros((20, 60, 3), dtype=np.uint8)
    wide[:, 20:40] = 200
    assert (fit_image(Image.fromarray(wide), 10)[:, 2:-2] == 200).all()
    tall = np.ascontiguousarray(wide.transpose(1, 0, 2))
    assert (fit_image(Image.fromarray(tall), 10)[2:-2] == 200).all()


def test_a_checkerboard_shrinks_to_grey() -> None:
    board = (np.indices((128, 128)).sum(axis=0) % 2 * 255).astype(np.uint8)
    shrunk = fit_image(Image.fromarray(board).convert("RGB"), 16)
    assert abs(shrunk.astype(int) - 127).max() <= 2


@pytest.mark.parametrize("mode", ["1", "L", "CMYK", "YCbCr", "HSV", "LAB", "F"])
def test_every_mode_becomes_rgb(mode: str) -> None:
    assert fit_image(Image.new(mode, (12, 9)), 8).shape == (8, 8, 3)


def test_an_extreme_strip_is_cheap() -> None:
    assert fit_image(Image.new("RGB", (100_000, 1), (9, 8, 7)), 32)[5, 5].tolist() == [9, 8, 7]
