"""What a model takes images for."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from models.ranking.candidates import NO_ANSWERS, LastAnswers
from models.ranking.mqnet import Normalisation
from models.ranking.pool_scores import PoolScores
from models.rounds.predictions import inside_as_in, inside_of, predict

INDICES = np.array([3, 5, 8, 9])
LOGITS = np.log(np.array([[0.7, 0.3], [0.2, 0.8], [0.5, 0.5], [0.9, 0.1]], dtype=np.float32))
PURITY = np.array([0.9, 0.2, 0.4, 0.6], dtype=np.float32)
SCORES = PoolScores(INDICES, LOGITS, PURITY, np.zeros(4, dtype=np.float32))


def test_class_and_probabilities_of_what_is_ranked() -> None:
    inside = inside_of(replace(SCORES, purity_is_probability=True), NO_ANSWERS)
    found = predict(replace(SCORES, inside=inside), np.array([9, 5]))
    assert_array_equal(found.classes, [0, 1])
    assert_allclose(found.probability, [0.9, 0.8], rtol=1e-6)
    assert found.inside is not None
    assert_allclose(found.inside, [0.6, 0.2], rtol=1e-6)


def test_a_purity_that_nobody_can_read_is_no_probability() -> None:
    one_kind = LastAnswers(np.zeros(4, dtype=np.bool_), SCORES, Normalisation.fit(PURITY))
    for last in (NO_ANSWERS, one_kind):
        assert inside_of(SCORES, last) is None
    assert predict(SCORES, INDICES).inside is None


def test_the_last_answers_say_how_to_read_purity() -> None:
    last = LastAnswers(np.array([False, True, True, False]), SCORES, Normalisation.fit(PURITY))
    inside = inside_of(SCORES, last)
    assert inside is not None
    assert inside.dtype == np.float32
    assert_array_equal(inside > 0.5, [True, False, False, True])


def test_what_is_scored_later_is_read_as_the_round_has_read_the_rest() -> None:
    inside = np.array([0.8, 0.1, 0.3, 0.5], dtype=np.float32)
    known = replace(SCORES, inside=inside)
    purity = np.array([0.0, 0.2, 0.5, 0.9, 1.0], dtype=np.float32)
    later = inside_as_in(known, replace(SCORES, purity=purity))
    assert later is not None
    assert later.dtype == np.float32
    assert_allclose(later, [0.1, 0.1, 0.4, 0.8, 0.8], rtol=1e-6)
    for unread in (None, SCORES, replace(known, purity_by="knn")):
        assert inside_as_in(unread, SCORES) is None
    probable = replace(SCORES, purity_is_probability=True)
    assert_array_equal(inside_as_in(None, probable), PURITY)
