"""Wrong labels of CIFAR-10: people's, of confusable classes, of images that look like another."""

import csv
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.open_set.protocol import Images
from models.protocols import Indices

CONFUSED: Final = (2, 9, 0, 5, 7, 3, 4, 4, 0, 1)
"""Of CIFAR-10: airplane as bird, automobile as truck, bird as airplane, cat as dog, deer as horse,
dog as cat, frog and horse as deer, ship as airplane, truck as automobile."""

KINDS: Final = ("asymmetric", "instance")
_SPREAD: Final = 0.1


def noisy_labels(pictures: Images, data: Path, labels: str, rows: Indices, seed: int) -> Indices:
    """Return the (n,) noisy labels of training images.

    Args:
        pictures: CIFAR-10.
        data: has `train_noisy_labels.csv`, the labels of CIFAR-10N.
        labels: a column of it, such as "worse_label", or one of `KINDS` with a rate, such as
            "instance:0.4".
        rows: (n,) of the training images.
        seed: of labels that are made.
    """
    kind, _, rate = labels.partition(":")
    if rate:
        images: NDArray[np.uint8] = np.asarray(pictures.store[rows])
        return made(kind, float(rate), pictures.targets[rows], images, seed)
    noisy = np.empty(pictures.train, dtype=np.int64)
    with (data / "train_noisy_labels.csv").open() as file:
        for row in csv.DictReader(file):
            noisy[int(row["index"])] = int(row[labels])
    result: Indices = noisy[rows]
    return result


def made(kind: str, rate: float, truth: Indices, images: NDArray[np.uint8], seed: int) -> Indices:
    """Return labels of which a share is wrong.

    Args:
        kind: one of `KINDS`.
        rate: share that is wrong on average, 0..1.
        truth: (N,) int64 in 0..9.
        images: (N, side, side, 3) uint8.
        seed: decides which.

    Returns:
        (N,) int64.
    """
    # A zero in a seed adds nothing: with it, whoever draws by the same seed would draw the same.
    generator = np.random.default_rng([seed, 1 + KINDS.index(kind)])
    if kind == "asymmetric":
        return asymmetric(truth, rate, generator)
    return instance(truth, rate, images, generator)


def asymmetric(truth: Indices, rate: float, generator: np.random.Generator) -> Indices:
    """Take each image for the class it is most confused with, with the probability `rate`.

    Source: G. Patrini et al., "Making Deep Neural Networks Robust to Label Noise: a Loss Correction
    Approach", CVPR 2017, with a confusable class for each of the ten.
    """
    flipped = generator.random(len(truth)) < rate
    return np.where(flipped, np.array(CONFUSED, dtype=np.int64)[truth], truth)


def instance(
    truth: Indices, rate: float, images: NDArray[np.uint8], generator: np.random.Generator
) -> Indices:
    """Take images for the class that their pixels suggest, with a probability of their own.

    Source: X. Xia et al., "Part-dependent Label Noise: Towards Instance-dependent Label Noise",
    NeurIPS 2020, algorithm 2: an image is flipped with q ~ N(rate, 0.1), held in 0..1, to class c
    with q times the softmax over c of x · w(truth, c), w drawn from N(0, 1).
    """
    classes = int(truth.max()) + 1
    flip = np.clip(generator.normal(rate, _SPREAD, len(truth)), 0, 1)
    pixels = images.reshape(len(images), -1)
    labels = truth.copy()
    for own in range(classes):
        weight = generator.standard_normal((pixels.shape[1], classes), dtype=np.float32)
        mine = np.flatnonzero(truth == own)
        logits = (pixels[mine].astype(np.float32) / 255 - 0.5) @ weight
        logits[:, own] = -np.inf
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares *= (flip[mine] / shares.sum(axis=1))[:, None]
        shares[:, own] = 1 - flip[mine]
        reached = shares.cumsum(axis=1) > generator.random(len(mine))[:, None]
        labels[mine] = reached.argmax(axis=1)
    return labels
