"""Strategies of scikit-activeml, against the library itself and against what their papers say."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from skactiveml.classifier import SklearnClassifier
from skactiveml.pool import DropQuery, ProbCover, TypiClust
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

from models.catalog.params.selection import DropQueryParams, ProbCoverParams, TypiClustParams
from models.protocols import Float32Array, LinearHead, PoolView
from models.ranking.candidates import Candidates
from models.ranking.pool_scores import PoolScores
from models.strategies import dropquery, probcover, typiclust
from tests.models.open_set import numbers
from tests.models.vectors import Exact, unit


def candidates_of(view: PoolView, seed: int = 0, count: int = 200) -> Candidates:
    """The first of the fixture's candidates, and its sixty verdicts, OOD among them."""
    part = replace(view.take(np.arange(count)), seed=seed)
    zeros = np.zeros(count, dtype=np.float32)
    return Candidates(PoolScores(np.arange(count), part.logits, zeros, zeros), part)


def few_verdicts(candidates: Candidates, count: int) -> Candidates:
    view = candidates.view
    few = replace(
        view,
        labels=view.labels[np.arange(count)],
        labeled_logits=view.labeled_logits[:count],
        labeled_embeddings=view.labeled_embeddings[:count],
        contrastive=None,
        labeled_contrastive=None,
    )
    return replace(candidates, view=few)


def everything(view: PoolView) -> tuple[Float32Array, Exact]:
    """Candidates, then verdicts, and what is known of them, as the library takes them."""
    rows = np.concatenate([view.embeddings, view.labeled_embeddings])
    known = np.concatenate([np.full(len(view.embeddings), np.nan), numbers(view.labels) + 1.0])
    return rows, known


@pytest.mark.parametrize("seed", [0, 2**31 + 3])
@pytest.mark.parametrize("neighbours", [5, 2])
def test_typiclust_is_that_of_scikit_activeml(view: PoolView, seed: int, neighbours: int) -> None:
    candidates = candidates_of(view, seed)
    rows, known = everything(candidates.view)
    library = TypiClust(k=neighbours, random_state=seed % 2**31)
    theirs = library.query(unit(rows).astype(np.float32), known, batch_size=15)
    found = typiclust.rank(candidates, 15, TypiClustParams(neighbours=neighbours))
    assert_array_equal(found.order, theirs)
    assert_allclose(found.meta_scores[theirs], 1 - np.arange(15) / 200)
    assert found.meta_scores.sum() == pytest.approx(found.meta_scores[theirs].sum())


def test_typiclust_takes_the_most_typical_of_the_largest_clusters_without_verdict(
    view: PoolView,
) -> None:
    candidates = few_verdicts(candidates_of(view), 6)
    rows = unit(everything(candidates.view)[0]).astype(np.float32)
    cluster = KMeans(6 + 10, random_state=0).fit_predict(rows)
    size = {c: int((cluster == c).sum()) for c in set(cluster) - set(cluster[200:])}

    def distance(one: int) -> float:
        inside = np.flatnonzero((cluster == cluster[one]) & (np.arange(206) != one))
        nearest = np.sort(np.linalg.norm(rows[inside].astype(float) - rows[one], axis=1))[:5]
        return float(nearest.mean()) if len(nearest) else 0.0

    order = typiclust.rank(candidates, 10, TypiClustParams()).order
    sizes = sorted(size.values(), reverse=True)[:10]
    assert [size[cluster[one]] for one in order] == sizes
    assert len(set(cluster[order])) == 10
    for one in order.tolist():
        rivals = np.flatnonzero(cluster == cluster[one])
        assert distance(one) <= min(distance(rival) for rival in rivals.tolist()) + 1e-5


def test_after_the_last_cluster_typiclust_goes_on_by_position(view: PoolView) -> None:
    candidates = few_verdicts(candidates_of(view, count=40), 2)
    alike = replace(candidates.view, embeddings=candidates.view.embeddings[np.arange(40) % 3])
    rows, known = everything(alike)
    with pytest.warns(match="Number of distinct clusters"):
        picks = TypiClust(k=5, random_state=0).query(
            unit(rows).astype(np.float32), known, batch_size=30
        )
    different = list(dict.fromkeys(picks.tolist()))
    assert 3 < len(different) < 30
    left = [one for one in range(40) if one not in different]
    order = typiclust.rank(replace(candidates, view=alike), 30, TypiClustParams()).order
    assert_array_equal(order, (different + left)[:30])


def spread(view: PoolView) -> PoolView:
    """The same clusters, half dissolved."""
    noise = 2 * np.random.default_rng(0).standard_normal(view.embeddings.shape)
    return replace(view, embeddings=view.embeddings + noise.astype(np.float32))


@pytest.mark.parametrize("alpha", [0.95, 0.75])
def test_probcover_is_that_of_scikit_activeml(view: PoolView, alpha: float) -> None:
    candidates = few_verdicts(candidates_of(spread(view), seed=3), 20)
    rows, known = everything(candidates.view)
    library = ProbCover(n_classes=3, alpha=alpha, random_state=3)
    theirs = library.query(unit(rows).astype(np.float32), known, batch_size=25)
    order = probcover.rank(candidates, 25, ProbCoverParams(alpha=alpha)).order
    assert_array_equal(order, theirs)


@pytest.mark.parametrize(("alpha", "radius"), [(0.97, 0.6), (0.75, 0.8)])
def test_probcover_picks_the_ball_with_most_that_is_uncovered(
    view: PoolView, alpha: float, radius: float
) -> None:
    candidates = few_verdicts(candidates_of(spread(view)), 2)
    rows = unit(everything(candidates.view)[0])
    distance = np.linalg.norm(rows[:, None] - rows, axis=2)
    cluster = KMeans(3, random_state=0).fit_predict(rows.astype(np.float32))

    def purity(delta: float) -> float:
        return float(np.mean([len(set(cluster[ball <= delta])) == 1 for ball in distance]))

    assert radius == max(delta for delta in np.arange(1, 11) / 5 if purity(delta) >= alpha)
    balls = [set(np.flatnonzero(ball <= radius)) for ball in distance]
    uncovered = set(range(202)) - balls[200] - balls[201]
    gained = []
    for one in probcover.rank(candidates, 6, ProbCoverParams(alpha=alpha)).order.tolist():
        gains = [len(uncovered & ball) for ball in balls[:200]]
        assert gains[one] == max(gains)
        gained.append(gains[one])
        uncovered -= balls[one]
    assert gained[2] > 0


def as_classifier(head: LinearHead) -> SklearnClassifier:
    """scikit-learn's logistic regression with the weights of a head."""
    classifier = SklearnClassifier(LogisticRegression(), classes=[0, 1, 2])
    classifier.fit(np.eye(3, len(head.weight)), np.arange(3))
    classifier.estimator_.coef_, classifier.estimator_.intercept_ = head.weight.T, head.bias
    return classifier


@pytest.mark.parametrize(("rate", "samples"), [(0.75, 3), (0.3, 7)])
def test_dropquery_is_that_of_scikit_activeml(view: PoolView, rate: float, samples: int) -> None:
    candidates = candidates_of(view, seed=2)
    rows, known = everything(view)
    assert view.head is not None
    library = DropQuery(
        dropout_rate=rate,
        n_dropout_samples=samples,
        cluster_algo_dict={"random_state": 2},
        random_state=2,
    )
    theirs = library.query(rows, known, as_classifier(view.head), fit_clf=False, batch_size=12)
    params = DropQueryParams(rate=rate, samples=samples)
    assert_array_equal(dropquery.rank(candidates, 12, params).order, theirs)
