"""What `benchmarks.pruning` selects from, and what it holds the selections against. No torch."""

import csv
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.numerics.similarity import unit_rows
from models.pruning.similarity import Similarity
from models.pruning.utility import OwnGains
from models.pruning.view import PruningView

CLASSES = 10
GROUPS = 500
CHUNK = 20_000
SAMPLE = 200
TIE = 1e-6

Float32Array = NDArray[np.float32]
Float64Array = NDArray[np.float64]
Order = NDArray[np.int64]


def write_pool(folder: Path, n: int, dimension: int, seed: int) -> None:
    """Write embeddings like those of a warm-up model, with logits and noisy labels.

    Ten classes hold 500 groups of similar examples. Within a group embeddings differ by noise
    whose variance falls along its directions as 1 / k, as that of deep features does, and whose
    size differs from example to example: most cosines within a group are between 0.9 and 0.99,
    those within a class about 0.75 and others about 0.4. A fifth of the labels are wrong.
    """
    random = np.random.default_rng([seed, 9])
    base, classes = _rows(random, 1, dimension), _rows(random, CLASSES, dimension)
    kinds = random.integers(0, CLASSES, GROUPS)
    groups = 0.65 * base + 0.6 * classes[kinds] + 0.5 * _rows(random, GROUPS, dimension)
    groups /= np.linalg.norm(groups, axis=1, keepdims=True)
    turn = np.linalg.qr(random.standard_normal((dimension, dimension)))[0].astype(np.float32)
    spectrum = 1 / np.sqrt(np.arange(1, dimension + 1))
    spread = (turn * (spectrum / np.linalg.norm(spectrum))).T.astype(np.float32)
    weight = 8 * classes.T
    embeddings = _created(folder / "embeddings.npy", (n, dimension))
    logits = _created(folder / "logits.npy", (n, CLASSES))
    labels = np.empty(n, dtype=np.int64)
    for chunk, start in enumerate(range(0, n, CHUNK)):
        random = np.random.default_rng([seed, chunk])
        here = slice(start, min(start + CHUNK, n))
        size = here.stop - here.start
        group = random.integers(0, GROUPS, size)
        noise = random.standard_normal((size, dimension), dtype=np.float32) @ spread
        length = np.sqrt(random.gamma(3, 0.02, (size, 1))).astype(np.float32)
        embeddings[here] = groups[group] + length * noise
        logits[here] = embeddings[here] @ weight + random.standard_normal((size, CLASSES))
        wrong = random.random(size) < 0.2
        labels[here] = np.where(wrong, random.integers(0, CLASSES, size), kinds[group])
    np.save(folder / "labels.npy", labels)


def write_cifar(folder: Path, data: Path, cache: Path, column: str, n: int) -> None:
    """Write frozen `patch_kmeans` embeddings of CIFAR-10 with the labels of CIFAR-10N.

    Logits are those of a head that was fitted to the noisy labels of a tenth of the images.

    Args:
        folder: where to write.
        data: has `cifar10_train.parquet` and `train_noisy_labels.csv`.
        cache: keeps what is made once.
        column: of the labels, such as "worse_label".
        n: the first so many training images.
    """
    from benchmarks.open_set.protocol import Images
    from models.heads.head import Scaling, fit_head

    images = Images.prepare(data, cache)
    rows = np.array(np.load(images.embed("patch_kmeans", {}), mmap_mode="r")[: images.train][:n])
    labels = np.empty(images.train, dtype=np.int64)
    with (data / "train_noisy_labels.csv").open() as file:
        for row in csv.DictReader(file):
            labels[int(row["index"])] = int(row[column])
    labels = labels[:n]
    scaling = Scaling.fit(rows)
    head = fit_head(rows[::10], labels[::10], classes=CLASSES, l2=0.1, scaling=scaling)
    np.save(folder / "embeddings.npy", rows)
    np.save(folder / "logits.npy", head.logits(rows))
    np.save(folder / "labels.npy", labels)


def _rows(random: np.random.Generator, count: int, dimension: int) -> Float64Array:
    rows = random.standard_normal((count, dimension))
    unit: Float64Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _created(path: Path, shape: tuple[int, int]) -> Float32Array:
    return np.lib.format.open_memmap(path, "w+", np.dtype(np.float32), shape)


def read_pool(folder: Path) -> PruningView:
    """Read what was written into memory."""
    embeddings, logits, labels = (
        np.load(folder / f"{name}.npy") for name in ("embeddings", "logits", "labels")
    )
    return PruningView(labels, CLASSES, embeddings=embeddings, logits=logits)


@dataclass(frozen=True)
class Reference:
    """What the plain loop did.

    Attributes:
        order: (k,) its picks; fewer than asked for when time was up.
        seconds: of its own operations, in float32.
        gap: by how much, at most, the plain loop's own float32 gain of a pick was below the
            largest: what separates the two in float32 is smaller than that.
    """

    order: Order
    seconds: float
    gap: float


def plain_loop(
    pool: PruningView, confidence: Float64Array, similarity: Similarity, n: int, most: float
) -> Reference:
    """Run algorithm 1 literally: one product of all embeddings with one, and one pick, at a time.

    What is timed is the loop as anybody would write it, in float32. Beside it, untimed, the same
    loop is done in the arithmetic that `Neighbours` defines, so that a similarity at the threshold
    or a tie is decided alike; its picks are what is returned, and what the timed loop goes on from.

    Args:
        pool: N examples.
        confidence: (N,) in 0..1.
        similarity: with its threshold.
        n: how many to pick.
        most: seconds; no pick begins after that.
    """
    embeddings = pool.given("embeddings")
    unit = unit_rows(embeddings)
    sure, least = confidence.astype(np.float32), np.float32(similarity.least_cosine)
    narrow, out = np.zeros(len(unit), np.float32), np.zeros(len(unit), np.bool_)
    own, exact = OwnGains(confidence), np.zeros(len(unit))
    logs = own.log_of(exact, np.arange(len(unit)))
    order, seconds, gap = [int(logs.argmax())], 0.0, 0.0
    while True:
        pick = order[-1]
        out[pick] = True
        start = time.perf_counter()
        cosine = unit @ unit[pick]
        value = (1 + cosine) / 2 if similarity.kind == "shifted" else cosine
        narrow += np.where(cosine >= least, value * sure[pick], np.float32(0))
        gain = np.tanh(narrow + sure) - np.tanh(narrow)
        gain[out] = -1
        best = int(gain.argmax())
        seconds += time.perf_counter() - start
        near, cosines = canonical(unit, embeddings[pick], similarity)
        exact[near] += similarity.of(cosines) * confidence[pick]
        logs[near] = own.log_of(exact[near], near)
        logs[out] = -np.inf
        if len(order) == n or seconds > most:
            return Reference(np.array(order), seconds, gap)
        order.append(int(logs.argmax()))
        gap = max(gap, float(gain[best] - gain[order[-1]]))


def canonical(
    unit: Float32Array, embedding: Float32Array, similarity: Similarity
) -> tuple[Order, Float32Array]:
    """Return which of (m, D) unit rows are neighbours of a (D,) embedding, and their cosines.

    The arithmetic is that of `models.pruning.neighbours.Neighbours`.
    """
    one = unit_rows(embedding[None])[0]
    near = np.flatnonzero(unit @ one >= np.float32(similarity.least_cosine - 1e-4))
    cosines = (unit[near].astype(np.float64) @ one.astype(np.float64)).astype(np.float32)
    cosines[cosines > np.float32(1 - 2**-22)] = 1
    kept = similarity.of(cosines) >= similarity.tau
    return near[kept], cosines[kept]


def certified(
    pool: PruningView,
    confidence: Float64Array,
    similarity: Similarity,
    order: Order,
    neighbourhood: Float64Array,
) -> bool:
    """Whether no example of a sample ever had a larger gain than what was picked instead.

    Of a sample of examples the confidence around each is followed through all picks, by products
    with all picks, and so is the pick's own gain. That is a proof for the sample, at any size.

    Args:
        pool: N examples.
        confidence: (N,) in 0..1.
        similarity: with its threshold.
        order: (n,) picks of algorithm 1.
        neighbourhood: (N,) confidence of all picks around each example, as was returned.
    """
    random = np.random.default_rng(0)
    place = np.full(len(pool), len(order))
    place[order] = np.arange(len(order))
    sample = np.concatenate([random.choice(len(pool), SAMPLE), random.choice(order, SAMPLE)])
    picks = unit_rows(pool.given("embeddings")[order])
    own = OwnGains(confidence)
    tracks = {}
    for one in np.unique(sample).tolist():
        near, cosines = canonical(picks, pool.given("embeddings")[one], similarity)
        added = np.zeros(len(order))
        added[near] = similarity.of(cosines) * confidence[order[near]]
        tracks[one] = np.concatenate([[0.0], np.cumsum(added)])
    known = np.sort(place[[one for one in tracks if place[one] < len(order)]])
    gains = np.concatenate(
        [own.log_of(tracks[int(order[pick])][[pick]], order[[pick]]) for pick in known]
    )
    for one, track in tracks.items():
        before = known < place[one]
        logs = own.log_of(track[known[before]], np.full(before.sum(), one))
        if (logs > gains[before] + TIE).any() or abs(track[-1] - neighbourhood[one]) > TIE:
            return False
    return True
