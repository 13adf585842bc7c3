"""Whether a network has learned more than which class is the most frequent one."""

from dataclasses import dataclass
from math import sqrt
from typing import Final, Self

import numpy as np

from models.protocols import Indices

LEAST_GAIN: Final = 0.1
"""Share of the errors of always naming the most frequent class that a network has to avoid."""
_STANDARD_ERRORS: Final = 2.0
_ENOUGH: Final = 50


@dataclass(frozen=True)
class Skill:
    """How often a network is right, and how often one is that knows no image.

    Attributes:
        accuracy: share of the images whose label it names, 0..1.
        chance: share of the most frequent label, 0..1.
        count: of the images, >= 1.
    """

    accuracy: float
    chance: float
    count: int

    @classmethod
    def of(cls, accuracy: float, labels: Indices) -> Self:
        """Take the accuracy on images with (n,) labels in 0..C-1, n >= 1."""
        return cls(accuracy, float(np.bincount(labels).max() / len(labels)), len(labels))

    def is_worse_than(self, other: Self) -> bool:
        """Whether another network is right more often by two standard errors of the difference."""
        variance = sum(one.accuracy * (1 - one.accuracy) / one.count for one in (self, other))
        return other.accuracy - self.accuracy > _STANDARD_ERRORS * sqrt(variance)

    @property
    def is_hardly_better(self) -> bool:
        """Whether what it says means little.

        It does where the network avoids less than `LEAST_GAIN` of the errors that always naming the
        most frequent label makes, or is not two standard errors of that above it, as so few images
        may show by accident. Who is always right is not doubted, however few the images are.
        """
        spread = _STANDARD_ERRORS * sqrt(self.chance * (1 - self.chance) / self.count)
        least = self.chance + max(LEAST_GAIN * (1 - self.chance), spread)
        return self.accuracy < min(1.0, least)


def tells(labels: Indices) -> bool:
    """Whether images with (n,) labels are enough to measure a network by instead of its own."""
    return len(labels) >= _ENOUGH and len(np.unique(labels)) > 1


def doubts_of_model(accuracy: float, evaluation_labels: Indices) -> tuple[str, ...]:
    """Warn of a target model of next to no skill, if the evaluation images can tell (`tells`).

    Args:
        accuracy: share of the evaluation images that the model names right, 0..1.
        evaluation_labels: (E,) int64 in 0..C-1.

    Returns:
        A sentence, or nothing if the model has learned something.
    """
    skill = Skill.of(accuracy, evaluation_labels) if tells(evaluation_labels) else None
    if skill is None or not skill.is_hardly_better:
        return ()
    return (
        f"The model is right for {100 * skill.accuracy:.1f} % of {skill.count} evaluation images, "
        f"and always naming the most frequent class would be for {100 * skill.chance:.1f} %: it "
        "hardly tells the classes apart. More labels may change that; if they do not, look at the "
        "parameters of the model.",
    )


def doubts_of_warm_up(correct: float, labels: Indices) -> tuple[str, ...]:
    """Warn of a subset that a network of next to no skill has chosen.

    Args:
        correct: share of the labels that the network names after its last epoch, 0..1.
        labels: (N,) int64 in 0..C-1, all that it learned from.

    Returns:
        A sentence, or nothing if the network has learned something.
    """
    skill = Skill.of(correct, labels)
    if not skill.is_hardly_better:
        return ()
    return (
        f"The warm-up names the given label of {100 * skill.accuracy:.1f} % of {skill.count} "
        f"images, and always naming the most frequent one would do so for "
        f"{100 * skill.chance:.1f} %: what this subset keeps means little. Train the warm-up for "
        "more epochs or with another network, or label more images.",
    )


def doubts_of_standard(skill: Skill, *, judged: bool) -> tuple[str, ...]:
    """Warn of a comparison of regularizers in which the plain network has next to no skill.

    Args:
        skill: of that network.
        judged: whether by images that it has not learned from, or else by those that it has.

    Returns:
        A sentence, or nothing if the network has learned something.
    """
    if not skill.is_hardly_better:
        return ()
    if judged:
        return (
            f"Plain training is right for {100 * skill.accuracy:.1f} % of the {skill.count} images "
            f"that judge, and always naming the most frequent class would be for "
            f"{100 * skill.chance:.1f} %: this comparison means little. Train for more steps or "
            "with another network, or label more images.",
        )
    return (
        f"Plain training names the given label of {100 * skill.accuracy:.1f} % of the "
        f"{skill.count} images that it learned from, and always naming the most frequent one "
        f"would do so for {100 * skill.chance:.1f} %: this comparison means little. Train for more "
        "steps or with another network, or label more images.",
    )


def doubts_of_unlabeled(
    accuracy: float | None, alone: float | None, labels: Indices
) -> tuple[str, ...]:
    """Warn of unlabeled images that do harm, if the images that judge can tell (`tells`).

    Args:
        accuracy: share of these that a network names right which learned from unlabeled images
            too, 0..1; None without any.
        alone: the same of one that learned from the labels alone.
        labels: (t,) int64 in 0..C-1, of them.

    Returns:
        A sentence, or nothing if the unlabeled images do no harm.
    """
    if accuracy is None or alone is None or not tells(labels):
        return ()
    skill = Skill.of(accuracy, labels)
    if not skill.is_worse_than(Skill.of(alone, labels)):
        return ()
    return (
        f"The network that learned from unlabeled images too is right for "
        f"{100 * skill.accuracy:.1f} % of the {skill.count} images that judge, and the one that "
        f"learned from the labels alone for {100 * alone:.1f} %: the unlabeled images do harm. "
        "Raise ramp_steps or lower lambda_u, so that wrong guesses do not drown the labels.",
    )


def doubts_of_learner(
    correct: float, labels: Indices, accuracy: float | None, evaluation_labels: Indices
) -> tuple[str, ...]:
    """Warn of suggestions by a learner of next to no skill.

    It is measured on the evaluation images if they are enough to tell (`tells`), and otherwise on
    what it learned from.

    Args:
        correct: share of the labels learned from that the learner names, 0..1.
        labels: (n,) int64 in 0..C-1, of these.
        accuracy: share of the evaluation images that it names right, 0..1; None without any.
        evaluation_labels: (E,) int64 in 0..C-1.

    Returns:
        A sentence, or nothing if the learner has learned something.
    """
    if accuracy is not None and tells(evaluation_labels):
        skill = Skill.of(accuracy, evaluation_labels)
        said = (
            f"The learner is right for {100 * skill.accuracy:.1f} % of {skill.count} evaluation "
            f"images, and always naming the most frequent class would be for "
            f"{100 * skill.chance:.1f} %: its suggestions mean little. Train it for more epochs or "
            "with another network, or label more images."
        )
    else:
        skill = Skill.of(correct, labels)
        said = (
            f"The learner names the given label of {100 * skill.accuracy:.1f} % of the "
            f"{skill.count} images that it learned from, and always naming the most frequent one "
            f"would do so for {100 * skill.chance:.1f} %: its suggestions mean little. Train it "
            "for more epochs or with another network, or label more images."
        )
    return (said,) if skill.is_hardly_better else ()
