"""What is learned from numbers that are none is refused, and never taken for an answer."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from models.errors import ModelError
from models.heads.head import Scaling, fit_head
from models.heads.search import HeadSearch
from models.numerics.probability import fit_sigmoid
from models.relabeling.noise_model import NoiseModel

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(60, 8)).astype(np.float32)
LABELS = RNG.integers(0, 3, 60)
TARGETS = np.eye(3)[LABELS]
OPINIONS = np.log(RNG.dirichlet(np.ones(3), 60))
SCALING = Scaling.fit(ROWS)


def head(rows: NDArray[np.float32], count: int = 60) -> object:
    return fit_head(rows[:count], LABELS[:count], classes=3, l2=0.1, scaling=SCALING)


def targets(found: NDArray[np.float64]) -> object:
    return HeadSearch(ROWS).minimise(found, 0.1, 50)


FITS: dict[str, tuple[NDArray[Any], Callable[[NDArray[Any]], object], str]] = {
    "features": (ROWS, head, "The features that a head learns from"),
    "fewer rows than features": (ROWS, lambda rows: head(rows, 5), "The features that a head"),
    "scaling": (
        ROWS,
        lambda rows: fit_head(ROWS, LABELS, classes=3, l2=0.1, scaling=Scaling.fit(rows)),
        "The features that a head learns from",
    ),
    "targets": (TARGETS, targets, "The targets that a head learns from"),
    "margins": (ROWS[:, 0], lambda rows: fit_sigmoid(rows, LABELS > 1), "The scores that"),
    "opinions": (
        OPINIONS, lambda rows: NoiseModel.fit([OPINIONS, rows], LABELS), "The opinions on labels"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_number_that_is_none_is_refused_by_what_it_is_part_of(name: str, bad: float) -> None:
    values, fit, part = FITS[name]
    fit(values)
    broken = values.copy()
    broken[(3, 1)[: broken.ndim]] = bad
    said = f"^{part}.* hold numbers that are not finite; make them again"
    with np.errstate(invalid="ignore"), pytest.raises(ModelError, match=said):
        fit(broken)
