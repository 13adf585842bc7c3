import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from models.catalog import Spec, parse, specs
from models.catalog.resolve import resolve
from models.errors import ModelError
from models.protocols import LinearHead, OpenSetLabels, PoolView, Ranking
from models.ranking.candidates import Candidates
from models.ranking.mqnet import MQNet
from models.ranking.pool_scores import PoolScores
from tests.shapes import detections_of

STRATEGIES = [spec for spec in specs() if spec.kind == "strategy"]

CLUSTERS_BY_LENGTH = {"typiclust", "dropquery"}
TIES_AT_RANDOM = {"random", "typiclust", "probcover", "dropquery"}

every_strategy = pytest.mark.parametrize("spec", STRATEGIES, ids=lambda spec: spec.name)


def pool(count: int = 50) -> PoolScores:
    rng = np.random.default_rng(0)
    return PoolScores(
        10 + 3 * np.arange(count),
        rng.standard_normal((count, 4)).astype(np.float32),
        rng.standard_normal(count).astype(np.float32),
        rng.standard_normal(count).astype(np.float32),
    )


def rank(spec: Spec, scores: PoolScores, n: int, seed: int = 0, **params: object) -> Ranking:
    torch.manual_seed(0)
    candidates = Candidates(scores, view_of(scores, seed), mqnet=MQNet())
    result: Ranking = resolve(spec)(candidates, n, parse("strategy", spec.name, params))
    return result


def view_of(scores: PoolScores, seed: int = 0) -> PoolView:
    """Embeddings that follow from the logits, and twenty verdicts, a third of them OOD."""
    rng = np.random.default_rng(1)
    weight = rng.standard_normal((4, 6)).astype(np.float32)
    labeled = rng.standard_normal((20, 4)).astype(np.float32)
    labels = OpenSetLabels.of(np.arange(20) % 4, np.arange(20) % 3 == 0)
    return PoolView(
        scores.logits, scores.logits @ weight, labeled, labeled @ weight, labels, 4, seed,
        head=LinearHead(np.linalg.pinv(weight), np.zeros(4, dtype=np.float32)),
        indices=scores.indices, contrastive=scores.logits @ weight,
        labeled_contrastive=labeled @ weight, predicted_losses=scores.logits.sum(axis=1),
        detections=detections_of(scores.logits),
    )  # fmt: skip


@every_strategy
@pytest.mark.parametrize("n", [0, 1, 7, 50, 80])
def test_contract(spec: Spec, n: int) -> None:
    ranking = rank(spec, pool(), n)
    assert ranking.order.dtype == np.int64
    assert len(ranking.order) == len(set(ranking.order.tolist())) == min(n, 50)
    assert ranking.meta_scores.shape == (50,)
    assert ranking.meta_scores.dtype == np.float32
    ordered = ranking.meta_scores[ranking.order]
    assert (np.diff(ordered) <= 0).all()


@every_strategy
def test_a_longer_queue_begins_like_a_shorter_one(spec: Spec) -> None:
    if spec.name in CLUSTERS_BY_LENGTH:
        pytest.skip("finds as many clusters as the queue is long")
    assert_array_equal(rank(spec, pool(), 50).order[:9], rank(spec, pool(), 9).order)


@every_strategy
def test_one_candidate_and_equal_scores(spec: Spec) -> None:
    assert_array_equal(rank(spec, pool(1), 5).order, [0])
    same = pool().take(np.zeros(6, dtype=np.int64))
    order = rank(spec, same, 6).order
    if spec.name in TIES_AT_RANDOM:
        order = np.sort(order)
    assert_array_equal(order, np.arange(6))


@every_strategy
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_named(spec: Spec, bad: float) -> None:
    scores = pool()
    scores.logits[[4, 7]] = np.nan
    scores.purity[[4, 7]] = bad
    if spec.name == "random":
        assert len(rank(spec, scores, 50).order) == 50
        return
    with pytest.raises(ModelError, match=r"for 2 of 50 examples \(pool index 22, 31\)"):
        rank(spec, scores, 5)


def test_no_more_than_ten_examples_are_named() -> None:
    scores = pool()
    scores.purity[:] = np.nan
    spec = next(spec for spec in STRATEGIES if spec.name == "p_plus_i")
    with pytest.raises(ModelError, match=r"pool index 10, 13, .*37, \.\.\.\)"):
        rank(spec, scores, 5)


def test_random_follows_its_seed_and_is_fair() -> None:
    spec = next(spec for spec in STRATEGIES if spec.name == "random")
    assert_array_equal(rank(spec, pool(), 50, 1).order, rank(spec, pool(), 50, 1).order)
    first = [rank(spec, pool(), 10, seed).order for seed in range(500)]
    counts = np.bincount(np.concatenate(first), minlength=50)
    assert_allclose(counts, 100, atol=45)


@pytest.mark.parametrize("name", ["conf", "margin", "entropy"])
def test_informativeness_strategies_look_at_logits_only(name: str) -> None:
    scores = pool(3)
    scores.logits[:] = np.array([[9, 0, 0, 0], [1, 1, 0.9, 0.9], [3, 0, 0, 0]])
    scores.informativeness[:] = [3, 2, 1]
    spec = next(spec for spec in STRATEGIES if spec.name == name)
    assert_array_equal(rank(spec, scores, 3).order, [1, 2, 0])
