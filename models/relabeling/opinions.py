"""What images are by their frozen features, said without the label that is to be judged.

Each opinion is a table of log-probabilities of the label that somebody would give an image.
"""

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from models.heads.head import Scaling
from models.heads.search import HeadSearch
from models.numerics.probability import log_softmax
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices

Float64Array = NDArray[np.float64]

DIMENSION: Final = 200
"""Principal axes that are looked at: the others hold little but noise, and cost as much."""

_FITTED_ON: Final = 10_000
_PARTITIONS: Final = 3
_FEW_ENOUGH: Final = 5_000
_SHRINKAGE: Final = 0.3
_PENALTY: Final = 1.0
_ITERATIONS: Final = 60
_MOST_PULL: Final = 0.6
_ROUNDS: Final = 3
_FEWEST_TO_DIVIDE: Final = 4
_MOST_NEIGHBOURS: Final = 50
_FEWEST_NEIGHBOURS: Final = 5
_SHARPNESS: Final = 0.1
_BLOCK: Final = 512


@dataclass(frozen=True)
class Axes:
    """The leading principal axes of embeddings with mean zero and mean squared norm one.

    Attributes:
        scaling: shift and scale of the embeddings.
        projection: (D, d) float32.
    """

    scaling: Scaling
    projection: Float32Array

    @classmethod
    def fit(cls, embeddings: Float32Array) -> "Axes":
        """Fit `DIMENSION` axes, or as many as there are, to every k-th of (N, D) embeddings."""
        some = np.asarray(embeddings[:: max(1, len(embeddings) // _FITTED_ON)])
        scaling = Scaling.fit(some)
        scaled = torch.from_numpy(scaling.apply(some)).double()
        most = min(DIMENSION, *scaled.shape)
        # The smaller of both matrices of products has the same axes.
        if len(scaled) < scaled.shape[1]:
            values, vectors = torch.linalg.eigh(scaled @ scaled.T)
            axes = scaled.T @ vectors / values.clamp(min=1e-12).sqrt()
        else:
            axes = torch.linalg.eigh(scaled.T @ scaled)[1]
        return cls(scaling, axes.flip(1)[:, :most].float().numpy())

    def apply(self, embeddings: Float32Array) -> Float32Array:
        """Project (N, D) embeddings: (N, d) float32."""
        result: Float32Array = self.scaling.apply(embeddings) @ self.projection
        return result


def folds_of(labels: Indices, seed: int) -> Indices:
    """Return the fold 0..F-1 of each of (N,) labels, with equal shares of each class; F is 2 to 5.

    Args:
        labels: (N,) int64, N >= 2.
        seed: of the shuffle.
    """
    from sklearn.model_selection import StratifiedKFold

    count = int(np.clip(np.bincount(labels).max(), 2, 5))
    result = np.empty(len(labels), dtype=np.int64)
    if np.bincount(labels).max() < count:
        result[np.random.default_rng(seed).permutation(len(labels))] = np.arange(len(labels)) % 2
        return result
    splitter = StratifiedKFold(count, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class of fewer examples than folds is missing from some, which is no trouble here.
        warnings.simplefilter("ignore", UserWarning)
        for number, (_, fold) in enumerate(splitter.split(labels, labels)):
            result[fold] = number
    return result


def partitions_of(labels: Indices, seed: int) -> list[Indices]:
    """Return the folds of (N,) labels, as `folds_of` makes them, several times over if N is small.

    What is said of a label hangs on what else fell into its fold, and its mean over some partitions
    less so. Of many labels every fold says much the same, and takes longer.

    Args:
        labels: (N,) int64, N >= 2.
        seed: of the first one; the others have seeds that follow from it.
    """
    further = partition_count(len(labels)) - 1
    seeds = [seed, *np.random.SeedSequence(seed).generate_state(_PARTITIONS)[:further].tolist()]
    return [folds_of(labels, one) for one in seeds]


def partition_count(labels: int) -> int:
    """Say how many partitions `partitions_of` makes of so many labels."""
    return _PARTITIONS if labels <= _FEW_ENOUGH else 1


def gaussians(x: Float32Array, targets: Float64Array, asked: Float32Array) -> Float64Array:
    """Describe each class by a Gaussian, all with one covariance (linear discriminant analysis).

    A mean and a covariance bear wrong labels well: neither can learn a single one by heart.

    Args:
        x: (n, d) float32, n >= 2.
        targets: (n, C) in 0..1, how far each row belongs to each class.
        asked: (m, d) float32.

    Returns:
        (m, C) log-probabilities.
    """
    rows, wanted = x.astype(np.float64), asked.astype(np.float64)
    counts, overall = targets.sum(axis=0), rows.mean(axis=0)
    sums = targets.T @ rows
    # One imagined example at the mean of all keeps classes of few, or none, within reason.
    means = (sums + overall) / (counts + 1)[:, None]
    within = rows.T @ rows - sums.T @ (sums / np.maximum(counts, 1e-9)[:, None])
    within /= len(rows)
    width = len(overall)
    level = max(float(np.trace(within)) / width, 1e-12)
    shrunk = (1 - _SHRINKAGE) * within + _SHRINKAGE * level * np.eye(width)
    weight = np.linalg.solve(shrunk, means.T)
    prior = np.log((counts + 1) / (counts.sum() + len(counts)))
    bias = prior - (means.T * weight).sum(axis=0) / 2
    return log_softmax(wanted @ weight + bias)


def neighbours(
    x: Float32Array, labels: Indices, voters: Indices, asked: Indices, *, classes: int
) -> Float64Array:
    """Let the nearest other images vote, near ones more than far ones.

    Similarity is the cosine; a vote counts e^((s - s of the nearest) / 0.1), and one more vote is
    shared by all classes.

    Args:
        x: (N, d) float32.
        labels: (N,) int64 in 0..C-1.
        voters: (n,) rows whose labels count; nobody votes on themselves.
        asked: (m,) rows.
        classes: C.

    Returns:
        (m, C) log-probabilities.
    """
    directions = unit_rows(x)
    most = _neighbourhood(len(voters), classes, len(voters) - 1)
    result = np.full((len(asked), classes), -np.log(classes))
    if most < 1:
        return result
    crowd = directions[voters].T
    for start in range(0, len(asked), _BLOCK):
        rows = asked[start : start + _BLOCK]
        similar = directions[rows] @ crowd
        similar[rows[:, None] == voters[None, :]] = -np.inf
        top = torch.from_numpy(similar).topk(most, dim=1)
        near, values = top.indices.numpy(), top.values.double().numpy()
        votes = np.exp((values - values.max(axis=1, keepdims=True)) / _SHARPNESS)
        counted = np.full((len(rows), classes), 1 / classes)
        np.add.at(counted, (np.arange(len(rows))[:, None], labels[voters[near]]), votes)
        counted /= counted.sum(axis=1, keepdims=True)
        result[start : start + len(rows)] = np.log(counted)
    return result


def _neighbourhood(count: int, classes: int, most: int) -> int:
    """Return how many neighbours vote: about half a class, within bounds."""
    wanted = np.clip(count // (2 * classes), _FEWEST_NEIGHBOURS, _MOST_NEIGHBOURS)
    return min(int(wanted), most)


def ce_head(x: Float32Array, labels: Indices, asked: Float32Array, classes: int) -> Float64Array:
    """Fit a logistic head that believes every label: (m, C) log-probabilities of (m, d) rows."""
    return _Heads(x).say(one_hot(labels, classes), asked)


def sop_head(x: Float32Array, labels: Indices, asked: Float32Array, classes: int) -> Float64Array:
    """Fit a logistic head of which no label can ask too much: (m, C) log-probabilities.

    Beside the head each example has an amount of noise that explains its label away at a price, as
    in SOP; at the optimum no example pulls with more than that price, so that fits with the weight
    min(1, price / (1 - p of the given label)) lead there (iteratively reweighted).
    """
    targets = one_hot(labels, classes)
    weights = np.ones(len(labels))
    heads = _Heads(x)
    for _ in range(_ROUNDS - 1):
        found = np.exp(heads.say(targets * weights[:, None], x))
        own = found[np.arange(len(labels)), labels]
        weights = np.minimum(1, _MOST_PULL / np.maximum(1 - own, 1e-9))
    return heads.say(targets * weights[:, None], asked)


def dividemix_head(
    x: Float32Array, labels: Indices, asked: Float32Array, classes: int
) -> Float64Array:
    """Fit two logistic heads that tell each other which labels to believe: (m, C).

    Each learns from every second example, and divides the others' by a mixture of two Gaussians
    over the losses, as DivideMix does; then each learns again from targets that the other has
    refined, w y + (1 - w) p, and the mean of both probabilities is the result.
    """
    from models.relabeling.dividemix import clean_probability

    if len(labels) < _FEWEST_TO_DIVIDE:
        return ce_head(x, labels, asked, classes)
    given = one_hot(labels, classes)
    halves = [np.arange(len(labels)) % 2 == number for number in (0, 1)]
    heads = [_Heads(x[half]) for half in halves]
    targets = given.copy()
    for half, head in zip(halves, heads, strict=True):
        logs = head.say(given[half], x[~half])
        own = logs[np.arange(len(logs)), labels[~half]]
        clean = clean_probability(-own, seed=0)[:, None].astype(np.float64)
        targets[~half] = clean * given[~half] + (1 - clean) * np.exp(logs)
    both = [
        np.exp(head.say(targets[half], asked)) for half, head in zip(halves, heads, strict=True)
    ]
    result: Float64Array = np.log(np.maximum(np.mean(both, axis=0), 1e-12))
    return result


def one_hot(labels: Indices, classes: int) -> Float64Array:
    """Return (n, C) float64 with a one at each label."""
    result: Float64Array = np.eye(classes)[labels]
    return result


class _Heads:
    """Fits heads to (n, d) rows with one target after another."""

    def __init__(self, x: Float32Array) -> None:
        self._search = HeadSearch(x)
        self._count = len(x)

    def say(self, targets: Float64Array, asked: Float32Array) -> Float64Array:
        """Fit one to (n, C) weighted soft targets: (m, C) log-probabilities of (m, d) rows.

        Classes without any get Laplace's share.
        """
        present = np.flatnonzero(targets.sum(axis=0) > 0)
        result = np.full((len(asked), targets.shape[1]), -np.log(self._count + 1.0))
        if len(present) == 1:
            result[:, present] = 0.0
            return log_softmax(result)
        weight, bias = self._search.minimise(targets[:, present], _PENALTY, _ITERATIONS)
        result[:, present] = log_softmax(asked.astype(np.float64) @ weight + bias)
        return log_softmax(result)
