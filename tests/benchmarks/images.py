"""Something like CIFAR-10 that is small."""

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image


def write_images(path: Path, a_class: int) -> None:
    """Ten classes of 8-pixel images, each of a colour of its own."""
    random = np.random.default_rng(0)
    colours = random.integers(0, 200, (10, 1, 1, 3))
    images, labels = [], []
    for index in range(10 * a_class):
        pixels = colours[index % 10] + random.integers(0, 56, (8, 8, 3))
        file = io.BytesIO()
        Image.fromarray(pixels.astype(np.uint8)).save(file, "PNG")
        images.append(file.getvalue())
        labels.append(index % 10)
    pq.write_table(pa.table({"image": images, "label": labels}), path)


def write_outside(folder: Path, count: int) -> None:
    """Something like the textures and Tiny-ImageNet, of which every third image shows CIFAR-10."""
    random = np.random.default_rng(1)
    images = []
    for _ in range(count):
        file = io.BytesIO()
        pixels = random.integers(0, 256, (16, 16, 3)).astype(np.uint8)
        Image.fromarray(pixels).save(file, "JPEG")
        images.append(file.getvalue())
    pq.write_table(pa.table({"image32": images}), folder / "dtd10.parquet")
    known = ["frog" if row % 3 == 0 else None for row in range(count)]
    table = {"image": images, "cifar10_class": known, "borderline": [False] * count}
    pq.write_table(pa.table(table), folder / "tinyimagenet_train100.parquet")
