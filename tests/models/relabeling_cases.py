"""Digits with wrong labels, for the tests of learners from noisy labels."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.catalog import specs
from models.media.images.store import PixelStore
from models.relabeling.run import Relabeled, relabel

LEARNERS = [spec.name for spec in specs() if spec.kind == "learner"]

QUICK: dict[str, Any] = {
    "network": "cnn_tiny", "width": 8, "batch_size": 32, "learning_rate": 0.05, "flip": False,
}  # fmt: skip


def short(learner: str, epochs: int, **params: Any) -> dict[str, Any]:
    """Parameters of a training of a few epochs."""
    some = {"warm_up_epochs": max(1, epochs // 4), "ramp_epochs": 2}
    return {**QUICK, "epochs": epochs, **(some if learner == "dividemix" else {}), **params}


@dataclass(frozen=True)
class Noisy:
    """The first digits, some of whose labels are wrong.

    Attributes:
        truth: (N,) int64.
        labels: (N,) int64, as given.
    """

    truth: NDArray[np.int64]
    labels: NDArray[np.int64]

    @property
    def wrong(self) -> NDArray[np.bool_]:
        wrong: NDArray[np.bool_] = self.labels != self.truth
        return wrong

    @property
    def indices(self) -> NDArray[np.int64]:
        return np.arange(len(self.labels))


def noisy(truth: NDArray[np.int64], share: float = 0.3, count: int = 120) -> Noisy:
    """Exchange a share of the labels for other classes."""
    random = np.random.default_rng(1)
    exchanged = random.random(count) < share
    other = (truth[:count] + random.integers(1, 10, count)) % 10
    return Noisy(truth[:count], np.where(exchanged, other, truth[:count]))


def learned(
    learner: str, store: PixelStore, case: Noisy, work: Path, epochs: int, **options: Any
) -> Relabeled:
    """Relabel a case."""
    params = short(learner, epochs, **options.pop("params", {}))
    return relabel(
        learner, store, case.indices, case.labels, classes=10, seed=0, work=work, params=params,
        **options,
    )  # fmt: skip
