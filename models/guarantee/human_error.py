"""How often the people who look are wrong, and what that does to a limit.

Two people judge the same examples without knowing of each other. If each is wrong with chance h,
independently, they differ with chance 2 h (1 - h) at least, and more where both err differently:

    h <= (1 - sqrt(1 - 2 d)) / 2,  d the chance that they differ.

**What is assumed**, and nothing tests it: that whether a person errs on an example does not depend
on whether another person, or the model, does. Where examples are hard for everybody, pairs differ
less often than people err. At most the share promised plus h is wrong, if people err that often and
only there.
"""

import math
from dataclasses import dataclass
from typing import Final

from scipy.special import betaincinv

from models.errors import ModelError

_MOST_DIFFERENT: Final = 0.5


@dataclass(frozen=True)
class HumanError:
    """How often one verdict is wrong; certificates and rounds keep it by these names.

    Attributes:
        pairs: examples that two people judged.
        disagreed: of how many their verdicts differ.
        share: estimate, 0..0.5.
        high: upper limit, 0..0.5; of no pairs 0.5, which nothing can be certified with.
    """

    pairs: int
    disagreed: int
    share: float
    high: float


def from_pairs(pairs: int, differed: int, alpha: float) -> HumanError:
    """Estimate from independent pairs how often a single verdict is wrong.

    Args:
        pairs: how many examples two people judged, drawn at random.
        differed: of how many their verdicts differ.
        alpha: chance that `high` is too small.

    Raises:
        ModelError: more differences than pairs.
    """
    if not 0 <= differed <= pairs:
        raise ModelError(f"{differed} of {pairs} pairs cannot differ; count each pair once.")
    if pairs == 0:
        return HumanError(0, 0, 0.0, _MOST_DIFFERENT)
    most = (
        1.0 if differed == pairs else float(betaincinv(differed + 1, pairs - differed, 1 - alpha))
    )
    return HumanError(pairs, differed, _single(differed / pairs), _single(most))


def _single(differ: float) -> float:
    """Chance that one errs, from the chance that two differ."""
    return (1 - math.sqrt(1 - 2 * min(differ, _MOST_DIFFERENT))) / 2


def target_of_draws(target: float, human: float) -> float:
    """Return the share of wrong draws that has to be refuted, so that `target` is.

    A draw counts as wrong where two people say so one after the other: the second is asked only
    where the first contradicts the model. Of what the model has wrong at least (1 - h)^2 are so
    found, so a share p of wrong ones shows as p (1 - h)^2.

    Args:
        target: 0..1, what is promised.
        human: 0..0.5, upper limit of how often one verdict is wrong.
    """
    return target * (1 - human) ** 2
