"""How good a target model is. Plain NumPy."""

import numpy as np
from numpy.typing import NDArray

from models.protocols import Float32Array, Indices, Outputs


def accuracy(outputs: Outputs, labels: Indices) -> float:
    """Return the share of examples whose largest logit is their label.

    Args:
        outputs: of N examples.
        labels: (N,) int64 in 0..C-1.

    Returns:
        0..1, higher is better; NaN without a single example.
    """
    matrix = confusion_matrix(outputs, labels)
    total = int(matrix.sum())
    return float(np.trace(matrix) / total) if total else float("nan")


def per_class_accuracy(outputs: Outputs, labels: Indices) -> NDArray[np.float64]:
    """Return the accuracy (recall) of each class, (C,); NaN for a class without examples."""
    matrix = confusion_matrix(outputs, labels)
    totals = matrix.sum(axis=1)
    empty = np.full(len(matrix), np.nan)
    recall: NDArray[np.float64] = np.divide(np.diag(matrix), totals, out=empty, where=totals > 0)
    return recall


def confusion_matrix(outputs: Outputs, labels: Indices) -> NDArray[np.int64]:
    """Count examples by true class (rows) and predicted class (columns): (C, C) int64."""
    classes = outputs.logits.shape[1]
    predicted = outputs.logits.argmax(axis=1)
    cells = np.bincount(labels * classes + predicted, minlength=classes * classes)
    return cells.reshape(classes, classes).astype(np.int64)


def class_similarity(embeddings: Float32Array, labels: Indices) -> float:
    """Return the mean cosine between embeddings over all pairs of examples of different classes.

    Source: thesis, section 3.3, table "Average cosine similarity between all activation pairs
    across different classes". By sums over classes: O(N D).

    Args:
        embeddings: (N, D) float32; rows of zeros have cosine 0 with all.
        labels: (N,) int64 in 0..C-1.

    Returns:
        -1..1; NaN without two classes.
    """
    exact = embeddings.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    unit = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0)
    counts = np.bincount(labels)
    pairs = len(labels) ** 2 - int((counts**2).sum())
    if pairs == 0:
        return float("nan")
    sums = np.zeros((len(counts), exact.shape[1]))
    np.add.at(sums, labels, unit)
    total = np.square(sums.sum(axis=0)).sum() - np.square(sums).sum()
    return float(total / pairs)
