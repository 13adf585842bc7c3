"""Neighbourhood confidence against what is right."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from models.pruning.premise import BINS, premise_of, relabeled_by_head
from models.pruning.trial import try_heads


def test_bins_count_everybody_once_and_shares_are_those_of_the_known() -> None:
    generator = np.random.default_rng(0)
    sure = generator.gamma(2.0, size=4_000)
    known = generator.random(4_000) < 0.5
    labels = generator.random(4_000) < 0.6
    relabeled = generator.random(4_000) < np.clip(0.4 + 0.1 * sure, 0, 1)
    found = premise_of(sure, known, labels, relabeled)
    assert len(found.bins) == BINS
    assert sum(one.count for one in found.bins) == 4_000
    assert sum(one.known for one in found.bins) == known.sum()
    assert found.bins[0].low == sure.min()
    assert found.bins[-1].high == sure.max()
    for before, after in zip(found.bins, found.bins[1:], strict=False):
        assert before.high == after.low
    for number, one in enumerate(found.bins):
        inside = (sure >= one.low) & (sure <= one.high if number == BINS - 1 else sure < one.high)
        assert one.count == inside.sum()
        assert one.relabeled_right is not None
        assert one.relabeled_right.share == pytest.approx(relabeled[inside & known].mean())
        assert one.relabeled_right.low < one.relabeled_right.share <= one.relabeled_right.high
    shares = [one.relabeled_right.share for one in found.bins if one.relabeled_right]
    assert found.relabeled is not None
    assert found.relabeled == pytest.approx(spearmanr(range(BINS), shares).statistic)
    assert found.relabeled > 0.9
    assert found.labels is not None
    assert found.labels < found.relabeled


def test_what_nobody_knows_is_only_counted() -> None:
    nobody = np.zeros(100, dtype=np.bool_)
    found = premise_of(np.linspace(0, 1, 100), nobody, nobody, nobody)
    assert [one.relabeled_right for one in found.bins] == [None] * BINS
    assert (found.labels, found.relabeled) == (None, None)
    alike = premise_of(np.ones(100), ~nobody, ~nobody, ~nobody)
    assert [one.count for one in alike.bins] == [100]
    assert alike.relabeled is None


def test_a_head_that_learned_what_is_kept_relabels_the_others() -> None:
    generator = np.random.default_rng(0)
    truth = generator.integers(0, 3, 300)
    features = (np.eye(3)[truth] * 5 + generator.normal(size=(300, 3))).astype(np.float32)
    labels = np.where(generator.random(300) < 0.3, generator.integers(0, 3, 300), truth)
    kept = np.flatnonzero(generator.random(300) < 0.4)
    said = relabeled_by_head(features, labels, kept, 3)
    rest = np.setdiff1d(np.arange(300), kept)
    assert (said[rest] == truth[rest]).mean() > 0.9
    assert (said[kept] == truth[kept]).mean() > (labels[kept] == truth[kept]).mean() + 0.1


def test_a_subset_of_right_labels_is_better_to_train_on_than_one_at_random() -> None:
    generator = np.random.default_rng(0)
    truth = generator.integers(0, 3, 600)
    features = (np.eye(3)[truth] * 3 + generator.normal(size=(600, 3))).astype(np.float32)
    labels = np.where(generator.random(600) < 0.5, generator.integers(0, 3, 600), truth)
    kept = np.flatnonzero((labels == truth) & (np.arange(600) < 300))[:60]
    found = try_heads(
        features[:300], labels[:300], kept, features[300:], truth[300:], classes=3, seed=0
    )
    for shares in found.values():
        assert shares["kept"] > max(shares["random"], 0.8)
        assert shares["all"] > 0.7
