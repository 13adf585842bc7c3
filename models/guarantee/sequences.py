"""How many of a finite lot are wrong, from draws without replacement, at any time one looks.

I. Waudby-Smith, A. Ramdas, "Confidence sequences for sampling without replacement", NeurIPS 2020,
section 3: prior over posterior is a martingale, so a count whose prior is 1 / alpha times its
posterior is refuted, whenever one looks.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from scipy.stats import hypergeom

from models.errors import ModelError
from models.numerics.intervals import Interval

_PRIOR: Final = (0.5, 0.5)
"""Beta, Jeffreys': the interval is narrow at shares near 0 and 1."""


@dataclass(frozen=True)
class Count:
    """What was drawn from a lot.

    Attributes:
        drawn: 0..lot size.
        wrong: 0..drawn.
        lot: how many the lot holds, drawn ones among them.
    """

    drawn: int
    wrong: int
    lot: int

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            ModelError: not 0 <= wrong <= drawn <= lot.
        """
        if not 0 <= self.wrong <= self.drawn <= self.lot:
            raise ModelError(
                f"{self.wrong} wrong of {self.drawn} drawn from a lot of {self.lot} cannot be; "
                "count each draw once."
            )


def share_wrong(drawn: int, wrong: int, lot: int | None, alpha: float) -> Interval:
    """Return the share of a lot that is wrong, within an interval that holds at every look.

    Args:
        drawn: draws without replacement so far, at least one.
        wrong: how many of them were wrong.
        lot: its size; None where it is unknown: taken as without end, a little wider.
        alpha: chance that any look is misled.

    Raises:
        ModelError: counts that cannot be.
    """
    share = wrong / drawn
    if lot is None:
        low, high = _ends_without_lot(drawn, wrong, alpha)
    else:
        high = _upper(Count(drawn, wrong, lot), alpha) / lot
        low = 1 - _upper(Count(drawn, drawn - wrong, lot), alpha) / lot
    return Interval(share, min(low, share), max(high, share))


def most_wrong_fixed(drawn: int, wrong: int, lot: int, alpha: float) -> int:
    """Return the exact upper limit of one look that was decided on beforehand (hypergeometric).

    The largest M for which so few wrong ones have a chance above alpha.
    """
    Count(drawn, wrong, lot)
    low, high = wrong, lot - (drawn - wrong)
    while low < high:
        middle = (low + high + 1) // 2
        if hypergeom.cdf(wrong, lot, middle, drawn) > alpha:
            low = middle
        else:
            high = middle - 1
    return low


def _upper(count: Count, alpha: float) -> int:
    """Largest M that prior over posterior does not refute."""
    n, w, lot = count.drawn, count.wrong, count.lot
    limit = math.log(1 / alpha)
    # The ratio falls to its least near the posterior's mode and rises from there on.
    low = min(max(round(lot * w / n), w), lot - (n - w))
    high = lot - (n - w)
    if _log_ratio(count, high) < limit:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if _log_ratio(count, middle) < limit:
            low = middle
        else:
            high = middle
    return low


def _log_ratio(count: Count, total: int) -> float:
    """Log of prior over posterior at `total` wrong ones: of evidence over likelihood."""
    n, w, lot = count.drawn, count.wrong, count.lot
    a, b = _PRIOR
    evidence = _log_beta(a + w, b + n - w) - _log_beta(a, b)
    likelihood = _log_falling(total, w) + _log_falling(lot - total, n - w) - _log_falling(lot, n)
    return evidence - likelihood


def _ends_without_lot(n: int, w: int, alpha: float) -> tuple[float, float]:
    """The same in a lot without end: binomial likelihood, Beta mixture."""
    a, b = _PRIOR
    evidence = _log_beta(a + w, b + n - w) - _log_beta(a, b)
    limit = math.log(1 / alpha)

    def is_refuted(p: float) -> bool:
        return evidence - w * math.log(p) - (n - w) * math.log1p(-p) >= limit

    tiny = 1e-12
    top = min(max(w / n, tiny), 1 - tiny)
    low = 0.0 if w == 0 else _bisect(is_refuted, tiny, top)
    high = 1.0 if w == n else _bisect(is_refuted, 1 - tiny, top)
    return low, high


def _bisect(is_refuted: Callable[[float], bool], outside: float, inside: float) -> float:
    """The end between a refuted share and one that is not, on the refuted side."""
    if not is_refuted(outside):
        return outside
    for _ in range(60):
        middle = (outside + inside) / 2
        if is_refuted(middle):
            outside = middle
        else:
            inside = middle
    return outside


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_falling(n: int, k: int) -> float:
    """Log of n (n - 1) ... (n - k + 1), minus infinity where a factor is 0."""
    if k > n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(n - k + 1)
