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
