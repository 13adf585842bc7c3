"""Numbers of the thesis for CIFAR-10 (4:6 split), ResNet-18 trained from scratch; all in percent.

D. Park, Prioritizing Informative Features and Examples for Deep Learning from Noisy Data, KAIST,
chapter 4.
"""

from collections.abc import Mapping
from typing import Final

NOISE: Final = (0.1, 0.2, 0.4, 0.6)

LAST_ACCURACY: Final[Mapping[str, tuple[float, ...]]] = {
    "random": (89.83, 89.06, 87.73, 85.64),
    "conf": (92.83, 91.72, 88.69, 85.43),
    "coreset": (91.76, 91.06, 89.12, 86.50),
    "ll": (92.09, 91.21, 89.41, 86.95),
    "badge": (92.80, 91.73, 89.27, 86.83),
    "ccal": (90.55, 89.99, 88.87, 87.49),
    "similar": (89.92, 89.19, 88.53, 87.38),
    "mqnet": (93.10, 92.10, 91.48, 89.51),
    # Table "Effect of the meta inputs".
    "mqnet/react/conf": (93.21, 91.89, 89.54, 87.99),
    "mqnet/csi/conf": (93.28, 92.40, 91.43, 89.37),
    "mqnet/react/ll": (92.34, 91.85, 90.08, 88.41),
    "mqnet/csi/ll": (93.10, 92.10, 91.48, 89.51),
    # Table "Efficacy of the self-validation set".
    "mqnet+outside": (92.10, 91.75, 90.88, 87.65),
    # Table "Efficacy of the skyline constraint".
    "mqnet?skyline=false": (87.25, 86.29, 83.61, 81.67),
}
"""By strategy, at each of `NOISE`: table "Last test accuracy" and the ablations."""

CROSS_LAST_ACCURACY: Final[Mapping[str, tuple[float, ...]]] = {
    "conf": (89.04, 85.09, 79.92, 74.48),
    "coreset": (88.26, 86.38, 82.36, 76.71),
    "ll": (89.06, 85.65, 81.81, 76.52),
    "badge": (89.20, 87.07, 83.14, 78.38),
    "ccal": (85.89, 81.62, 80.55, 78.68),
    "similar": (87.24, 85.50, 83.80, 80.58),
    "mqnet": (89.49, 87.12, 84.39, 82.88),
}
"""Likewise of Cross-CIFAR10: OOD of LSUN and Places365, a budget of 1,000 a round."""

META_OBJECTIVE: Final[Mapping[str, Mapping[float, float]]] = {
    "p_plus_i": {0.2: 89.49, 0.4: 88.86},
    "p_times_i": {0.2: 91.20, 0.4: 89.11},
}
"""Last accuracies of table "Efficacy of the meta-objective"."""

OOD_PRICES: Final = (0.5, 1.0, 2.0, 4.0)

BY_OOD_PRICE: Final[Mapping[str, tuple[float, ...]]] = {
    "conf": (91.05, 88.69, 86.25, 80.06),
    "coreset": (90.59, 89.12, 85.32, 81.22),
    "ccal": (90.25, 88.87, 88.16, 87.25),
    "similar": (91.05, 88.69, 87.95, 86.52),
    "mqnet": (92.52, 91.48, 89.53, 87.36),
}
"""Table "Effect of varying the labeling cost": 40 % noise, at each of `OOD_PRICES`."""

IN_SHARE: Final[Mapping[float, Mapping[str, tuple[float, ...]]]] = {
    0.1: {
        "conf": (87.52, 82.28, 80.84, 79.00, 75.16, 76.21, 74.08, 74.61, 74.00, 75.24),
        "ccal": (89.04, 88.48, 89.12, 88.64, 89.52, 88.80, 90.44, 88.08, 88.64, 88.46),
        "similar": (91.44, 91.04, 91.52, 92.56, 92.61, 91.40, 92.24, 90.64, 90.75, 90.24),
        "mqnet": (94.76, 93.28, 88.84, 86.96, 82.04, 79.60, 77.24, 76.92, 79.00, 75.80),
    },
    0.6: {
        "conf": (37.44, 32.20, 28.16, 25.40, 25.64, 20.08, 20.88, 17.00, 18.04, 16.28),
        "ccal": (41.92, 38.52, 39.76, 41.20, 38.64, 42.16, 42.24, 40.32, 42.24, 41.84),
        "similar": (56.08, 61.08, 67.12, 66.56, 67.32, 67.28, 68.08, 67.00, 68.16, 67.84),
        "mqnet": (82.80, 79.92, 65.88, 55.40, 52.00, 47.52, 46.60, 41.44, 36.52, 35.64),
    },
}
"""Share of IN in the query set of each of ten rounds: table "Test accuracy and ratio of IN"."""

ACCURACY: Final[Mapping[float, Mapping[str, tuple[float, ...]]]] = {
    0.1: {
        "conf": (62.26, 74.77, 80.81, 84.52, 86.79, 88.98, 90.58, 91.48, 92.36, 92.83),
        "ccal": (61.18, 71.80, 78.18, 82.26, 84.96, 86.98, 88.23, 89.22, 89.82, 90.55),
        "similar": (63.48, 73.51, 77.92, 81.54, 84.04, 86.28, 87.61, 88.46, 89.20, 89.92),
        "mqnet": (61.59, 73.30, 80.36, 84.88, 87.91, 90.10, 91.26, 92.23, 92.90, 93.10),
    },
    0.6: {
        "conf": (56.14, 65.17, 69.60, 73.63, 76.28, 80.27, 81.63, 83.69, 84.88, 85.43),
        "ccal": (56.54, 66.97, 72.16, 76.32, 80.21, 82.94, 84.64, 85.68, 86.58, 87.49),
        "similar": (57.60, 67.58, 71.95, 75.70, 79.67, 82.20, 84.17, 85.86, 86.81, 87.58),
        "mqnet": (54.87, 68.49, 75.84, 80.16, 83.37, 85.64, 87.56, 88.43, 89.26, 89.51),
    },
}
"""Test accuracy of each of ten rounds, same table."""


def last_accuracy(
    label: str, noise: float, ood_price: float = 1.0, *, cross: bool = False
) -> float | None:
    """Return what the thesis reports for a strategy as the benchmark labels it, or None."""
    strategy = label.partition("?")[0].partition("/")[0]
    if cross:
        printed = CROSS_LAST_ACCURACY.get(label)
        return printed[NOISE.index(noise)] if printed is not None and noise in NOISE else None
    if ood_price != 1.0:
        values = BY_OOD_PRICE.get(strategy) if noise == 0.4 else None
        return None if values is None else values[OOD_PRICES.index(ood_price)]
    if label in META_OBJECTIVE:
        return META_OBJECTIVE[label].get(noise)
    values = LAST_ACCURACY.get(label, None if "/" in label else LAST_ACCURACY.get(strategy))
    if values is None or noise not in NOISE:
        return None
    return values[NOISE.index(noise)]
