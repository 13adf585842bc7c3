"""Pools for the demo whose truth the demo knows and the server does not."""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karat.client.resources import Medium
from karat.local.processes import ServiceError

_DIGITS = ("zero", "one", "two", "three")
_HELD_OUT = 0.2
_MOST_HELD_OUT = 2000
_MOST_NAMED = 20


@dataclass(frozen=True)
class DemoPool:
    """Images or texts to label, others to evaluate on, and what they are.

    Attributes:
        title: What to call the project.
        classes: The in-distribution classes.
        examples: Pairs of an example's name, which says nothing, and its bytes.
        truth: For each name its class, or None if it is out of distribution.
        evaluation: Triples of a class, a name and bytes; in-distribution only.
        medium: What the examples are.
        flip: Whether the mirror image of an image shows the same.
    """

    title: str
    classes: tuple[str, ...]
    examples: tuple[tuple[str, bytes], ...]
    truth: dict[str, str | None]
    evaluation: tuple[tuple[str, str, bytes], ...]
    medium: Medium = "image"
    flip: bool = True

    @property
    def in_share(self) -> float:
        """Share of the pool that is in distribution."""
        return sum(one is not None for one in self.truth.values()) / len(self.truth)

    def write(self, directory: Path) -> tuple[Path, Path]:
        """Write the pool and the evaluation examples as zips.

        Args:
            directory: Where.

        Returns:
            The pool's zip, and that of the evaluation examples, sorted into folders by class.
        """
        folders = [(f"{label}/{name}", data) for label, name, data in self.evaluation]
        return (
            _zip(directory / "pool.zip", self.examples),
            _zip(directory / "evaluation.zip", folders),
        )


def digits(seed: int) -> DemoPool:
    """Scikit-learn's handwritten digits: 0 to 3 are the classes, 4 to 9 are out of distribution.

    Args:
        seed: Decides the order of the pool. The evaluation images, a fifth of the classes' images,
            are the same for every seed.

    Returns:
        The pool.
    """
    import numpy as np
    from PIL import Image
    from sklearn.datasets import load_digits

    bunch = load_digits()
    shown: list[tuple[bytes, str | None]] = []
    for pixels, target in zip(bunch.images, bunch.target, strict=True):
        stream = io.BytesIO()
        Image.fromarray(np.round(pixels * (255 / 16)).astype(np.uint8)).save(stream, "PNG")
        shown.append((stream.getvalue(), _DIGITS[target] if target < len(_DIGITS) else None))
    held_out = [index for index, (data, label) in enumerate(shown) if label and _is_held_out(data)]
    keep = sorted(set(range(len(shown))) - set(held_out))
    order = np.random.default_rng(seed).permutation(keep)
    return pool_of(
        "Handwritten digits",
        _DIGITS,
        [shown[index] for index in order],
        [shown[index] for index in held_out],
        "png",
        flip=False,
    )


def from_parquet(
    data: Path,
    in_classes: Sequence[str],
    *,
    noise: float,
    size: int,
    evaluation: Path | None,
    seed: int,
    label_column: str | None = None,
) -> DemoPool:
    """A pool drawn from a Parquet file with columns of image bytes and class names.

    Args:
        data: The file.
        in_classes: The in-distribution classes; all others are out of distribution.
        noise: Share of the pool that is out of distribution, 0 to 1.
        size: Number of images in the pool.
        evaluation: File with images to evaluate on, of which only ``in_classes`` are used; a part
            of ``data`` that is not in the pool if None.
        seed: Decides which images are drawn, and their order.
        label_column: The column of class names; ``class_name``, ``class`` or ``label`` if None.

    Returns:
        The pool.

    Raises:
        ServiceError: The file has no such column or classes, or not enough images.
    """
    import numpy as np

    images, labels = _read(data, label_column)
    if unknown := sorted(set(in_classes) - set(labels)):
        raise ServiceError(
            f"{data} has no class {', '.join(unknown)}.",
            f"It has: {_some(sorted(set(labels)))}. Another column: --label-column.",
        )
    random = np.random.default_rng(seed)
    inside = random.permutation([k for k, label in enumerate(labels) if label in in_classes])
    outside = random.permutation([k for k, label in enumerate(labels) if label not in in_classes])
    ood = round(size * noise)
    if ood > len(outside) or size - ood > len(inside):
        raise ServiceError(
            f"{data} has {len(inside)} images of the classes and {len(outside)} others: not enough "
            f"for {size - ood} and {ood}.",
            "Choose a smaller --pool-size or another --noise.",
        )
    chosen = random.permutation(np.concatenate([inside[: size - ood], outside[:ood]]))
    if evaluation is None:
        rest = inside[size - ood :][:_MOST_HELD_OUT]
        held_out = [(images[k], labels[k]) for k in rest]
    else:
        held_out = [
            one
            for one in zip(*_read(evaluation, label_column), strict=True)
            if one[1] in in_classes
        ]
    if not held_out:
        raise ServiceError(
            "There are no images left to evaluate on.",
            "Choose a smaller --pool-size, or name a file with --evaluation.",
        )
    return pool_of(
        data.stem.replace("_", " "),
        tuple(in_classes),
        [(images[k], labels[k] if labels[k] in in_classes else None) for k in chosen],
        held_out,
        "jpg",
    )


def pool_of(
    title: str,
    classes: tuple[str, ...],
    shown: Sequence[tuple[bytes, str | None]],
    held_out: Iterable[tuple[bytes, str | None]],
    ending: str,
    *,
    medium: Medium = "image",
    flip: bool = True,
) -> DemoPool:
    """Name the examples of a pool.

    Args:
        title: What to call the project.
        classes: The in-distribution classes.
        shown: Bytes of each example of the pool, and its class or None.
        held_out: The same of those to evaluate on; what has no class is left out.
        ending: Of the files.
        medium: What the examples are.
        flip: Whether the mirror image of an image shows the same.

    Returns:
        The pool.
    """
    names = [f"{medium}-{index:06d}.{ending}" for index in range(len(shown))]
    return DemoPool(
        title=title,
        classes=classes,
        examples=tuple((name, data) for name, (data, _) in zip(names, shown, strict=True)),
        truth={name: label for name, (_, label) in zip(names, shown, strict=True)},
        evaluation=tuple(
            (label, f"evaluation-{index:06d}.{ending}", data)
            for index, (data, label) in enumerate(held_out)
            if label is not None
        ),
        medium=medium,
        flip=flip,
    )


def _is_held_out(data: bytes) -> bool:
    """Whether an image is for evaluation: its own bytes decide, so it is the same in every run."""
    return int.from_bytes(hashlib.sha256(data).digest()[:4]) < _HELD_OUT * 2**32


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _read(path: Path, label_column: str | None) -> tuple[list[bytes], list[str]]:
    """Image bytes and class names of a Parquet file."""
    import pyarrow.parquet as parquet

    if not path.is_file():
        raise ServiceError(f"There is no file {path}.")
    available = parquet.read_schema(path).names
    image = next((name for name in ("image", "img", "bytes") if name in available), None)
    wanted = (label_column,) if label_column else ("class_name", "class", "label")
    label = next((name for name in wanted if name in available), None)
    if image is None or label is None:
        raise ServiceError(
            f"{path} lacks a column for the images or for their classes.",
            f"They are called image and {wanted[0]}; it has {_some(available)}."
            " Another column of classes: --label-column.",
        )
    table: Any = parquet.read_table(path, columns=[image, label])
    images = table[image].to_pylist()
    if images and isinstance(images[0], dict):
        images = [one["bytes"] for one in images]
    return images, [str(one) for one in table[label].to_pylist()]


def _zip(path: Path, files: Iterable[tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return path
