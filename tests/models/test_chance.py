"""When a network is no better than naming the most frequent class, and how that is said."""

import numpy as np
import pytest

from models.evaluation.skill_warnings import (
    LEAST_GAIN,
    Skill,
    doubts_of_learner,
    doubts_of_model,
    doubts_of_standard,
    doubts_of_unlabeled,
    doubts_of_warm_up,
    tells,
)

TEN = np.arange(1000) % 10
# Nine of ten are of the first class.
UNEVEN = np.where(TEN == 9, 1, 0)


@pytest.mark.parametrize(
    ("accuracy", "labels", "doubted"),
    [
        (0.10, TEN, True),
        (0.18, TEN, True),
        (0.20, TEN, False),
        # Right for most, and yet it knows the one class only.
        (0.90, UNEVEN, True),
        (0.93, UNEVEN, False),
        # Of a dozen images one is right for nine by accident.
        (9 / 12, np.arange(12) % 2, True),
        (11 / 12, np.arange(12) % 2, False),
        (1.0, np.array([0, 0, 0, 1]), False),
        # Worse than chance is not better.
        (0.0, TEN, True),
    ],
)
def test_skill_is_what_is_left_beyond_the_most_frequent_class(
    accuracy: float, labels: np.ndarray[tuple[int], np.dtype[np.int64]], doubted: bool
) -> None:
    skill = Skill.of(accuracy, labels)
    assert skill.is_hardly_better is doubted
    assert skill.count == len(labels)
    assert skill.chance == pytest.approx(np.bincount(labels).max() / len(labels))


def test_the_threshold_is_a_share_of_the_errors() -> None:
    least = 0.1 + LEAST_GAIN * 0.9
    assert Skill(least - 0.001, 0.1, 100_000).is_hardly_better
    assert not Skill(least, 0.1, 100_000).is_hardly_better


def test_a_warning_says_what_was_measured_and_what_helps() -> None:
    (said,) = doubts_of_warm_up(0.123, TEN)
    assert "12.3 % of 1000 images" in said
    assert "10.0 %" in said
    assert "more epochs" in said
    assert "label more images" in said
    assert doubts_of_warm_up(0.5, TEN) == ()


def test_a_comparison_of_networks_without_skill_is_doubted() -> None:
    (judged,) = doubts_of_standard(Skill.of(0.11, TEN), judged=True)
    assert "11.0 % of the 1000 images that judge" in judged
    (learned,) = doubts_of_standard(Skill.of(0.11, TEN), judged=False)
    assert "11.0 % of the 1000 images that it learned from" in learned
    assert "more steps" in learned
    assert doubts_of_standard(Skill.of(0.5, TEN), judged=True) == ()


def test_unlabeled_images_that_do_harm_are_doubted() -> None:
    (said,) = doubts_of_unlabeled(0.25, 0.335, TEN)
    assert "25.0 % of the 1000 images" in said
    assert "labels alone for 33.5 %" in said
    assert "Raise ramp_steps or lower lambda_u" in said
    # Chance: two standard errors of the difference are 4.2 points.
    assert doubts_of_unlabeled(0.30, 0.335, TEN) == ()
    assert doubts_of_unlabeled(0.40, 0.335, TEN) == ()
    assert doubts_of_unlabeled(0.0, 1.0, TEN[:40]) == ()
    assert doubts_of_unlabeled(None, None, TEN[:0]) == ()


def test_a_model_is_doubted_by_evaluation_images_that_are_enough() -> None:
    (said,) = doubts_of_model(0.11, TEN)
    assert "11.0 % of 1000 evaluation images" in said
    assert "10.0 %" in said
    assert doubts_of_model(0.5, TEN) == ()
    assert doubts_of_model(0.11, TEN[:40]) == ()


def test_evaluation_images_judge_a_learner_if_they_are_enough() -> None:
    # It has learned its labels by heart, wrong ones as well.
    (said,) = doubts_of_learner(1.0, TEN, 0.11, TEN[:60])
    assert "11.0 % of 60 evaluation images" in said
    few, alike = TEN[:40], np.zeros(500, dtype=np.int64)
    for evaluation in (few, alike):
        assert not tells(evaluation)
        assert doubts_of_learner(0.6, TEN, 0.11, evaluation) == ()
    (said,) = doubts_of_learner(0.11, TEN, None, TEN[:0])
    assert "11.0 % of the 1000 images that it learned from" in said
