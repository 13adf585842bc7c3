"""What to know of a subset before anybody trains on it."""

from typing import Final

import numpy as np

from models.errors import listed
from models.pruning.view import Pruned, PruningView

_ENOUGH_KNOWN: Final = 50
_ENOUGH_EXPECTED: Final = 20
_LEAST_OF_ASKED: Final = 0.5
"""Share of the share that was asked for, of which a class may keep less without a word."""


def doubts_of_noise(
    method: str, kept: tuple[int, int], everything: tuple[int, int]
) -> tuple[str, ...]:
    """Warn of a subset that is no cleaner than all labels.

    Args:
        method: by which it was chosen.
        kept: how many of its labels are wrong, and of how many the truth is known.
        everything: the same of all labels.

    Returns:
        A sentence; nothing where the truth of fewer than 50 kept labels is known, all are kept or
        none is wrong, nor of uniform, which promises nothing.
    """
    (wrong, known), (wrong_of_all, known_of_all) = kept, everything
    if method == "uniform" or known < _ENOUGH_KNOWN or known == known_of_all or not wrong:
        return ()
    ratio, ratio_of_all = 100 * wrong / known, 100 * wrong_of_all / known_of_all
    if ratio < ratio_of_all:
        return ()
    if method.startswith("prune4rel"):
        return (
            f"Of the kept labels {ratio:.1f} % are wrong, of all {ratio_of_all:.1f} %: this subset "
            "is no cleaner. Prune4ReL keeps what lets wrong labels be corrected when relabeling; "
            "for rounds try small_loss.",
        )
    if method == "small_loss":
        return (
            f"Of the kept labels {ratio:.1f} % are wrong, of all {ratio_of_all:.1f} %: this subset "
            "is no cleaner. Train the warm-up for more or fewer epochs or with another network.",
        )
    return (
        f"Of the kept labels {ratio:.1f} % are wrong, of all {ratio_of_all:.1f} %: this subset is "
        "no cleaner; for rounds try small_loss.",
    )


def doubts_of_balance(method: str, view: PruningView, pruned: Pruned) -> tuple[str, ...]:
    """Warn of classes of which far less is kept than of all.

    Those are the classes with less than half the share that was asked for, where that share would
    be 20 labels or more: of fewer, few may be kept by chance. prune4rel_balanced keeps classes
    even, so that of a large one it keeps a small share on purpose.

    Args:
        method: by which the subset was chosen.
        view: what it was chosen from.
        pruned: the subset.

    Returns:
        A sentence that names them, or nothing.
    """
    if method == "prune4rel_balanced":
        return ()
    before = np.bincount(view.labels, minlength=view.classes)
    after = np.bincount(view.labels[pruned.order], minlength=view.classes)
    asked = len(pruned.order) / len(view)
    short = np.flatnonzero(
        (asked * before >= _ENOUGH_EXPECTED) & (after < _LEAST_OF_ASKED * asked * before)
    ).tolist()
    if not short:
        return ()
    named = listed(
        (f"{view.name_of(one)} ({100 * after[one] / before[one]:.1f} %)" for one in short),
        len(short),
    )
    return (
        f"Kept are {100 * asked:.1f} % of all labels, but less than half that share of some "
        f"classes: {named}. What is trained on this subset knows little of these; "
        "prune4rel_balanced keeps classes even.",
    )
