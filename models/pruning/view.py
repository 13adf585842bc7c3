"""What a pruning method may look at, and what it returns. Torch-free."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.errors import NotReady
from models.protocols import Float32Array, Indices

Float64Array = NDArray[np.float64]

_REMEDIES: Final = {
    "embeddings": "embeddings of a warm-up model; train one and embed a strongly augmented view",
    "logits": "logits of a warm-up model; train one and score a strongly augmented view",
    "plain_embeddings": "embeddings of a warm-up model; train one and embed the images as they are",
    "plain_logits": "logits of a warm-up model; train one and score the images as they are",
    "losses": "losses of a warm-up model; train one and record the loss of every example",
    "correct": "a record of which examples each warm-up epoch got right; train with that record",
    "label_probabilities": "the probability of each label after each warm-up epoch; train with "
    "that record",
    "margins": "the margin of each label after each warm-up epoch; train with that record",
    "gradient_norms": "gradient norms of warm-up models; train some and record the norms",
    "self_supervised": "features learned without labels; start the job learn_features first",
}


@dataclass(frozen=True)
class PruningView:
    """N labeled examples, some of whose labels are wrong.

    What a method does not need may be None.

    Attributes:
        labels: (N,) int64 in 0..classes-1, the noisy labels.
        classes: how many classes there are.
        seed: for methods that draw at random.
        embeddings: (N, D) float32 of the warm-up model on one strongly augmented view (RandAugment
            in the thesis); may be memory-mapped.
        logits: (N, classes) float32 on the same view, higher = more likely.
        plain_embeddings: (N, D) float32 of the same model on the examples as they are.
        plain_logits: (N, classes) float32 likewise.
        losses: (N,) float32 >= 0, cross-entropy of the noisy label, higher = worse predicted.
        correct: (E, N) bool, whether the prediction after each epoch was the noisy label.
        label_probabilities: (E, N) float32 in 0..1, of the noisy label after each epoch.
        margins: (E, N) float32, logit of the noisy label less the largest other after each epoch.
        gradient_norms: (M, N) float32 >= 0, one row per independently trained warm-up model.
        self_supervised: (N, F) float32 features of a network that was trained without labels.
        names: of the classes, for what a method has to say; empty: their numbers.
    """

    labels: Indices
    classes: int
    seed: int = 0
    embeddings: Float32Array | None = None
    logits: Float32Array | None = None
    plain_embeddings: Float32Array | None = None
    plain_logits: Float32Array | None = None
    losses: Float32Array | None = None
    correct: NDArray[np.bool_] | None = None
    label_probabilities: Float32Array | None = None
    margins: Float32Array | None = None
    gradient_norms: Float32Array | None = None
    self_supervised: Float32Array | None = None
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return N."""
        return len(self.labels)

    def part(self, positions: Indices) -> "PruningView":
        """Return what is known of the examples at (n,) positions."""

        def of(array: NDArray[Any] | None) -> Any:
            return None if array is None else array[..., positions]

        def rows(array: NDArray[Any] | None) -> Any:
            return None if array is None else array[positions]

        return PruningView(
            labels=self.labels[positions],
            classes=self.classes,
            seed=self.seed,
            embeddings=rows(self.embeddings),
            logits=rows(self.logits),
            plain_embeddings=rows(self.plain_embeddings),
            plain_logits=rows(self.plain_logits),
            losses=rows(self.losses),
            correct=of(self.correct),
            label_probabilities=of(self.label_probabilities),
            margins=of(self.margins),
            gradient_norms=of(self.gradient_norms),
            self_supervised=rows(self.self_supervised),
            names=self.names,
        )

    def name_of(self, label: int) -> str:
        """Return what a class is called."""
        return self.names[label] if self.names else str(label)

    def given(self, name: str) -> NDArray[Any]:
        """Return one of the optional arrays.

        Raises:
            NotReady: it is None or empty; the message says how to get it.
        """
        value: NDArray[Any] | None = getattr(self, name)
        if value is None or value.size == 0:
            raise NotReady(f"This needs {_REMEDIES[name]}.")
        return value


@dataclass(frozen=True)
class Pruned:
    """The subset to keep.

    Attributes:
        order: (n,) int64 distinct positions in 0..N-1, the first to keep first. A smaller subset by
            the same method is a prefix, unless the method says otherwise.
        gain: (n,) float64, what each was worth when it was taken, higher = better; the docs of the
            method give the unit.
        reasons: (N,) float64 each, of kept and dropped examples alike: numbers that explain the
            choice, such as "confidence".
        objective: (n,) float64, value of what the method maximises after each of the n; empty where
            there is no such thing.
        notes: sentences for the user, such as why a fallback was used.
        warnings: sentences without which the rest is not to be read; not among the notes.
        extras: single numbers about the selection, such as "tau".
    """

    order: Indices
    gain: Float64Array
    reasons: Mapping[str, Float64Array] = field(default_factory=dict)
    objective: Float64Array = field(default_factory=lambda: np.empty(0))
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    extras: Mapping[str, float] = field(default_factory=dict)
