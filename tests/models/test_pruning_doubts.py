"""When a subset is none to train on, and how that is said."""

import numpy as np
import pytest

from models.catalog import specs
from models.pruning.doubts import doubts_of_balance, doubts_of_noise
from models.pruning.view import Pruned, PruningView

METHODS = [spec.name for spec in specs() if spec.kind == "pruning" and spec.name != "uniform"]


@pytest.mark.parametrize("method", METHODS)
def test_a_subset_with_as_many_wrong_labels_is_no_cleaner(method: str) -> None:
    (said,) = doubts_of_noise(method, (145, 500), (285, 1000))
    assert "Of the kept labels 29.0 % are wrong, of all 28.5 %" in said
    assert ("Prune4ReL" in said) is method.startswith("prune4rel")
    assert ("try small_loss" in said) is (method != "small_loss")
    assert doubts_of_noise(method, (142, 500), (285, 1000)) == ()


@pytest.mark.parametrize(
    ("kept", "everything"),
    [
        # Too few to tell, no noise to speak of, and nothing dropped.
        ((20, 49), (30, 100)),
        ((0, 500), (0, 1000)),
        ((0, 500), (3, 1000)),
        ((300, 1000), (300, 1000)),
    ],
)
def test_nothing_is_said_where_noise_tells_nothing(
    kept: tuple[int, int], everything: tuple[int, int]
) -> None:
    assert doubts_of_noise("prune4rel", kept, everything) == ()


def test_nothing_is_said_of_a_random_subset() -> None:
    assert doubts_of_noise("uniform", (145, 500), (285, 1000)) == ()


def choice(kept: tuple[int, ...], labels: tuple[int, ...]) -> tuple[PruningView, Pruned]:
    """So many kept of so many labels of each class."""
    given = np.repeat(np.arange(len(labels)), labels)
    order = np.concatenate([np.flatnonzero(given == one)[:count] for one, count in enumerate(kept)])
    view = PruningView(given, len(labels), names=("cat", "dog", "horse"))
    return view, Pruned(order, np.zeros(len(order)))


def test_a_class_that_is_nearly_gone_is_named() -> None:
    (said,) = doubts_of_balance("small_loss", *choice((87, 13, 50), (100, 100, 100)))
    assert "Kept are 50.0 % of all labels" in said
    assert "classes: dog (13.0 %)." in said
    assert "prune4rel_balanced keeps classes even" in said
    # Half the share is enough, and of few labels few are kept by accident.
    assert doubts_of_balance("small_loss", *choice((75, 25, 50), (100, 100, 100))) == ()
    assert doubts_of_balance("small_loss", *choice((100, 0, 50), (180, 39, 81))) == ()
    assert doubts_of_balance("small_loss", *choice((20, 4, 6), (100, 100, 100))) == ()
    # There are as many of each on purpose.
    assert doubts_of_balance("prune4rel_balanced", *choice((20, 20, 200), (20, 20, 1000))) == ()
