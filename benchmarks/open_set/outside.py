"""OOD images of other data sets, at the size of CIFAR-10's."""

import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image

from models.media.images.store import PixelStore, fit_image

MakeImages = Callable[[], NDArray[np.uint8]]

_QUALITY: Final = 95


def textures(path: Path, size: int) -> NDArray[np.uint8]:
    """Return the images of `dtd10.parquet`: (n, size, size, 3)."""
    encoded = pq.read_table(path, columns=["image32"])["image32"].to_pylist()
    return np.stack([_compressed(Image.open(io.BytesIO(one)), size) for one in encoded])


def tinyimagenet(directory: Path, size: int) -> NDArray[np.uint8]:
    """Return the images of the classes of Tiny-ImageNet that show nothing of CIFAR-10.

    `directory` holds `tinyimagenet_train100.parquet`, whose columns `cifar10_class` and
    `borderline` say which classes those are: 159 of 200.

    Returns:
        (n, size, size, 3) uint8.
    """
    columns = ["image", "cifar10_class", "borderline"]
    table = pq.read_table(directory / "tinyimagenet_train100.parquet", columns=columns).to_pydict()
    clean = zip(table["image"], table["cifar10_class"], table["borderline"], strict=True)
    return np.stack(
        [
            _compressed(Image.open(io.BytesIO(image)), size)
            for image, name, borderline in clean
            if name is None and not borderline
        ]
    )


def appended(
    store: PixelStore,
    parts: Mapping[str, MakeImages],
    directory: Path,
) -> tuple[PixelStore, dict[str, NDArray[np.int64]]]:
    """Put images behind those of a store, once.

    Args:
        store: comes first.
        parts: what follows, by name.
        directory: where the whole is kept.

    Returns:
        The whole, and where in it each part is.
    """
    stem = directory / ("with_" + "_".join(parts))
    file, note = stem.with_suffix(".bin"), stem.with_suffix(".json")
    if not note.exists():
        made = {name: make() for name, make in parts.items()}
        partial = file.with_suffix(".tmp")
        with PixelStore.writer(partial, store.size) as writer:
            writer.write(0, store[slice(None)])
            start = len(store)
            for images in made.values():
                writer.write(start, images)
                start += len(images)
        os.replace(partial, file)
        note.write_text(json.dumps({name: len(images) for name, images in made.items()}))
    start, places = len(store), {}
    for name, count in json.loads(note.read_text()).items():
        places[name] = np.arange(start, start + count)
        start += count
    return PixelStore.open(file, store.size, start), places


def _compressed(image: Image.Image, size: int) -> NDArray[np.uint8]:
    """Scale, and compress as JPEG, which the images of CIFAR-10 were."""
    jpeg = io.BytesIO()
    Image.fromarray(fit_image(image, size)).save(jpeg, "JPEG", quality=_QUALITY)
    return np.asarray(Image.open(jpeg).convert("RGB"), dtype=np.uint8)
