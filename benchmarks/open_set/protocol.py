"""The protocol of the published experiments: which images are the pool, and which come first.

Source: thesis, section 4.4 (split-dataset setup of CIFAR-10); class splits and noise composition as
in the code that the thesis names, kaist-dmlab/MQNet, `load_split_data.py`.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image

from benchmarks.open_set.outside import MakeImages
from models.features.embed import embed_pool
from models.media.images.store import PixelStore, fit_image
from models.protocols import OOD, Indices

IN_CLASSES: Final = ((4, 2, 5, 7), (7, 1, 2, 5), (6, 4, 3, 2), (8, 9, 1, 3), (2, 9, 5, 3))
"""CIFAR-10 classes that are in-distribution, per trial; the other six are OOD."""

EMBEDDING_SEED: Final = 0

ELSEWHERE: Final = 10
"""The "class" of images of other data sets."""


@dataclass(frozen=True)
class Case:
    """What every strategy is compared on: same case, same pool and same first labels.

    Attributes:
        noise: share of OOD in the pool, 0..1.
        trial: which class split.
        seed: decides the draw of the OOD images and of the first labels.
    """

    noise: float
    trial: int
    seed: int

    def generator(self) -> np.random.Generator:
        """Return a generator that depends on nothing else."""
        return np.random.default_rng([round(1000 * self.noise), self.trial, self.seed])


@dataclass(frozen=True)
class Split:
    """One case over the images of train and test together.

    Attributes:
        labels: (N,) int64 in 0..C-1 of every image, or `OOD`.
        pool: (P,) indices of what can be asked for, ascending.
        first: (B,) indices of the labels of the first round, part of the pool.
        held_out: (H,) indices drawn like the pool but kept out of it, for ablations.
        test: (T,) indices of in-distribution test images.
    """

    labels: Indices
    pool: Indices
    first: Indices
    held_out: Indices
    test: Indices


def split(
    targets: Indices,
    train: int,
    case: Case,
    *,
    budget: int,
    pool_size: int | None = None,
    held_out: int = 0,
    cross: bool = False,
) -> Split:
    """Draw the pool of a case.

    All training images of the four IN classes, and as many of the other six as make the noise; of
    the first labels exactly the share `noise` is OOD. With `cross` all ten classes are IN, and
    images of other data sets OOD; where they are too few for the noise, fewer IN images are taken.

    Args:
        targets: (N,) classes 0..9, and `ELSEWHERE` of other data sets; training images first.
        train: how many training images there are.
        case: noise, class split and seed.
        budget: how many first labels.
        pool_size: draw a pool of about this size instead of everything.
        held_out: how many to draw for `Split.held_out`.
        cross: what is OOD is from elsewhere.
    """
    generator = case.generator()
    labels = np.full(len(targets), OOD, dtype=np.int64)
    for position, name in enumerate(range(10) if cross else sorted(IN_CLASSES[case.trial])):
        labels[targets == name] = position
    inside = generator.permutation(np.flatnonzero(labels[:train] >= 0))
    ood = generator.permutation(np.flatnonzero(labels[:train] == OOD))
    if pool_size is not None:
        inside = inside[: round((pool_size + held_out) * (1 - case.noise))]
    if cross and case.noise > 0:
        inside = inside[: int(len(ood) * (1 - case.noise) / case.noise)]
    ood = ood[: round(len(inside) * case.noise / (1 - case.noise))]
    parts = [
        (rows[: round(count * share)], rows[round(count * share) :])
        for rows, share, count in (
            (inside, 1 - case.noise, held_out),
            (ood, case.noise, held_out),
        )
    ]
    kept = [rest for _, rest in parts]
    first = np.concatenate(
        [kept[0][: round(budget * (1 - case.noise))], kept[1][: round(budget * case.noise)]]
    )
    return Split(
        labels=labels,
        pool=np.sort(np.concatenate(kept)),
        first=np.sort(first),
        held_out=np.sort(np.concatenate([outside for outside, _ in parts])),
        test=train + np.flatnonzero(labels[train:] >= 0),
    )


@dataclass(frozen=True)
class Images:
    """Decoded images of train and test, and where their embeddings are.

    Attributes:
        directory: holds everything that is made once.
        size: side of an image in pixels.
        train: how many training images there are; they come first.
        count: how many images there are.
    """

    directory: Path
    size: int
    train: int
    count: int

    @classmethod
    def prepare(cls, data: Path, directory: Path) -> Self:
        """Decode `cifar10_train.parquet` and `cifar10_test.parquet` of `data` once."""
        note = directory / "images.json"
        if not note.exists():
            directory.mkdir(parents=True, exist_ok=True)
            pixels: list[NDArray[np.uint8]] = []
            targets: list[int] = []
            counts = []
            for part in ("train", "test"):
                table = pq.read_table(
                    data / f"cifar10_{part}.parquet", columns=["image", "label"]
                ).to_pydict()
                for encoded in table["image"]:
                    image = Image.open(io.BytesIO(encoded))
                    pixels.append(fit_image(image, image.size[0]))
                targets.extend(table["label"])
                counts.append(len(table["label"]))
            stacked = np.stack(pixels)
            with PixelStore.writer(directory / "pixels.bin", stacked.shape[1]) as writer:
                writer.write(0, stacked)
            np.save(directory / "targets.npy", np.array(targets, dtype=np.int64))
            facts = {"size": stacked.shape[1], "train": counts[0], "count": sum(counts)}
            note.write_text(json.dumps(facts))
        return cls(directory, **json.loads(note.read_text()))

    def with_others(self, directory: Path, parts: Mapping[str, MakeImages]) -> Self:
        """Return the same with images of other data sets behind the training images, made once.

        Args:
            directory: holds the whole.
            parts: what is added.
        """
        note = directory / "images.json"
        if not note.exists():
            directory.mkdir(parents=True, exist_ok=True)
            added = np.concatenate([make() for make in parts.values()])
            rows = [self.store[slice(0, self.train)], added, self.store[slice(self.train, None)]]
            with PixelStore.writer(directory / "pixels.bin", self.size) as writer:
                writer.write(0, np.concatenate(rows))
            elsewhere = np.full(len(added), ELSEWHERE)
            targets = np.insert(self.targets, [self.train] * len(added), elsewhere)
            np.save(directory / "targets.npy", targets)
            facts = {
                "size": self.size, "train": self.train + len(added), "count": len(targets),
            }  # fmt: skip
            note.write_text(json.dumps(facts))
        return type(self)(directory, **json.loads(note.read_text()))

    @property
    def targets(self) -> Indices:
        """Return the classes, (N,) int64; `ELSEWHERE` of other data sets."""
        targets: Indices = np.load(self.directory / "targets.npy")
        return targets

    @property
    def store(self) -> PixelStore:
        """Return the pixels."""
        return PixelStore.open(self.directory / "pixels.bin", self.size, self.count)

    def embeddings_path(self, model: str) -> Path:
        """Return where the embeddings of all images by `model` are kept."""
        return self.directory / f"{model}.npy"

    def embed(self, model: str, params: dict[str, Any]) -> Path:
        """Embed everything once by a frozen model; a stopped call goes on."""
        path = self.embeddings_path(model)
        embed_pool(self.store, model, params, out=path, seed=EMBEDDING_SEED)
        return path
