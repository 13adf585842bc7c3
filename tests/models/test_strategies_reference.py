"""Whole strategies, from the pool to the queue, against slow transcriptions of their pages."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

from models.catalog.params import NoParams
from models.catalog.params.selection import UHerdingParams
from models.catalog.params.strategies import EaoaParams
from models.heads.head import Scaling
from models.protocols import Float32Array, Indices, PoolView
from models.ranking.candidates import Candidates
from models.ranking.pool_scores import PoolScores
from models.selection import plus_plus
from models.strategies import badge, eaoa, uherding
from tests.models.open_set import numbers, said
from tests.models.vectors import Exact, unit


def candidates_of(view: PoolView, state: Mapping[str, float] | None = None) -> Candidates:
    zeros = np.zeros(len(view.logits), dtype=np.float32)
    scores = PoolScores(np.arange(len(zeros)), view.logits, zeros, zeros)
    return Candidates(scores, view, state=state or {})


def softmax(logits: Float32Array | Exact) -> Exact:
    weights = np.exp(logits.astype(np.float64))
    result: Exact = weights / weights.sum(axis=1, keepdims=True)
    return result


def expected(x: Exact, member: Exact) -> tuple[Exact, float, int]:
    """One step of expectation maximisation: membership, mean log-likelihood, the lower one."""
    mean, variance = np.empty(2), np.empty(2)
    for one in range(2):
        mean[one] = np.average(x, weights=member[:, one])
        variance[one] = np.average((x - mean[one]) ** 2, weights=member[:, one]) + 5e-4
    density = np.exp(-((x[:, None] - mean) ** 2) / (2 * variance)) / np.sqrt(2 * math.pi * variance)
    density *= member.mean(axis=0)
    total = density.sum(axis=1, keepdims=True)
    return density / total, float(np.log(total).mean()), int(mean.argmin())


def probability_of_the_lower(energy: Exact) -> Exact:
    """A mixture of two Gaussians, fitted from k-means in ten steps at most, over 0..1."""
    x = (energy - energy.min()) / (energy.max() - energy.min())
    member = np.eye(2)[KMeans(2, n_init=1, random_state=0).fit_predict(x[:, None])]
    before = -math.inf
    for _ in range(10):
        member, likelihood, _ = expected(x, member)
        if abs(likelihood - before) < 1e-2:
            break
        before = likelihood
    member, _, lower = expected(x, member)
    probability: Exact = member[:, lower]
    return probability


def energy_of_neighbours(view: PoolView, neighbours: int) -> Exact:
    votes = np.zeros((len(view.embeddings), view.classes))
    for row, label in zip(unit(view.labeled_embeddings), numbers(view.labels), strict=True):
        if label >= 0:
            votes[np.argsort(-unit(view.embeddings) @ row)[:neighbours], label] += 1
    result: Exact = -np.log(np.exp(votes).sum(axis=1))
    return result


def energy_of_detector(view: PoolView, l2: float) -> Exact:
    logits, ood = view.logits.astype(np.float64), view.ood_logits
    if ood is None:
        scaling = Scaling.fit(view.labeled_embeddings)
        outputs = view.labels.outputs(view.classes)
        detector = LogisticRegression(C=1 / l2, tol=1e-8, max_iter=5000).fit(
            scaling.apply(view.labeled_embeddings), outputs
        )
        both = detector.decision_function(scaling.apply(view.embeddings))
        logits, ood = both[:, :-1], both[:, -1]
    result: Exact = -np.log(np.exp(logits).sum(axis=1)) + np.log(1 + np.exp(ood))
    return result


def queue_of_eaoa(view: PoolView, purity: Exact, k: float, n: int) -> list[int]:
    predicted = view.logits.argmax(axis=1)
    left = np.exp(view.logits.astype(np.float64))
    left[np.arange(len(left)), predicted] = 0
    ambiguity = np.log(left.sum(axis=1)) - np.log(np.exp(view.logits.astype(float)).sum(axis=1))
    queues = []
    for label in range(view.classes):
        purest = sorted(np.flatnonzero(predicted == label), key=lambda one: -purity[one])
        queue: list[int] = []
        for place in range(1, len(purest) + 1):
            window = [one for one in purest[: math.ceil(k * place)] if one not in queue]
            queue.append(int(max(window, key=lambda one: ambiguity[one])))
        queues.append(queue)
    rounds = range(max(len(queue) for queue in queues))
    return [queue[turn] for turn in rounds for queue in queues if turn < len(queue)][:n]


@pytest.mark.parametrize("k", [1.0, 2.5, 5.0])
@pytest.mark.parametrize("detector", ["target model", "head"])
def test_eaoa_asks_for_the_most_ambiguous_of_the_purest(
    view: PoolView, detector: str, k: float
) -> None:
    if detector == "head":
        view = replace(view, ood_logits=None)
    purity = probability_of_the_lower(energy_of_detector(view, l2=2.0))
    purity *= probability_of_the_lower(energy_of_neighbours(view, 30))
    expected = queue_of_eaoa(view, purity, k, 60)
    params = EaoaParams(reverse_neighbours=30, l2=2.0)
    ranking = eaoa.rank(candidates_of(view, {"k": k}), 60, params)
    assert_array_equal(ranking.order, expected)
    assert_allclose(ranking.meta_scores[expected], 1 - np.arange(60) / 200, rtol=1e-6)
    assert ranking.state == {"k": k}


def error_of(probability: Exact, labels: Indices) -> float:
    """Guo et al., 2017, equation 3, over fifteen bins."""
    sure, right = probability.max(axis=1), probability.argmax(axis=1) == labels
    total = 0.0
    for low in range(15):
        inside = np.floor(sure * 15).clip(max=14) == low
        if inside.any():
            total += inside.mean() * abs(sure[inside].mean() - right[inside].mean())
    return total


def calibrated(view: PoolView) -> tuple[Exact, float]:
    """Every fifth label, class by class in a random order, judges a layer fitted to the others.

    Returns:
        Its logits of the candidates, and its temperature.
    """
    order = np.random.default_rng(view.seed).permutation(np.flatnonzero(~view.is_ood))
    order = np.array(sorted(order, key=lambda one: view.labels.classes[one]))
    tried, trained = order[::5], np.delete(order, np.s_[::5])
    rows, labels = view.labeled_embeddings, view.labels.classes
    scaling = Scaling.fit(rows[trained])
    layer = LogisticRegression(C=1 / 0.1, tol=1e-8, max_iter=5000)
    layer.fit(scaling.apply(rows[trained]), labels[trained])
    of_pool = layer.decision_function(scaling.apply(view.embeddings))
    logits = layer.decision_function(scaling.apply(rows[tried]))
    if (logits.argmax(axis=1) == labels[tried]).all():
        return of_pool, 1.0
    grid = [10 ** (step / 24 - 1) for step in range(49)]
    return of_pool, min(grid, key=lambda t: error_of(softmax(logits / t), labels[tried]))


def guessed(view: PoolView, share: float, seed: int) -> PoolView:
    """A share of the class verdicts is replaced by random classes."""
    rng = np.random.default_rng(seed)
    wrong = (~view.is_ood) & (rng.random(len(view.labels)) < share)
    labels = np.where(wrong, rng.integers(0, view.classes, len(view.labels)), numbers(view.labels))
    return replace(view, labels=said(labels), seed=seed)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 1.0])
def test_uherding_chooses_the_temperature_with_the_smallest_calibration_error(
    view: PoolView, share: float
) -> None:
    mistaken = guessed(view, share, seed=4)
    found = uherding.calibrated_layer(mistaken)
    assert found is not None
    assert found[1] == pytest.approx(calibrated(mistaken)[1])


@pytest.mark.parametrize("radius", [None, 0.5])
@pytest.mark.parametrize("calibrate", [True, False])
def test_uherding_covers_what_is_uncertain(
    view: PoolView, radius: float | None, calibrate: bool
) -> None:
    view = guessed(view.take(np.arange(60)), 0.5, seed=4)
    logits, temperature = calibrated(view) if calibrate else (view.logits.astype(float), 1.0)
    ordered = np.sort(softmax(logits / temperature), axis=1)
    u = 1 - (ordered[:, -1] - ordered[:, -2])
    rows, verdicts = unit(view.embeddings), unit(view.labeled_embeddings)
    apart = [float(np.linalg.norm(a - b)) for a in verdicts for b in verdicts]
    sigma = radius or min(distance for distance in apart if distance > 1e-3)

    def kernel(a: Exact, b: Exact) -> float:
        return math.exp(-float((a - b) @ (a - b)) / sigma**2)

    covered = np.array([max(kernel(x, y) for y in verdicts) for x in rows])
    near = np.array([[kernel(x, y) for y in rows] for x in rows])
    order: list[int] = []
    gains: list[float] = []
    for _ in range(12):
        values = [float(u @ np.maximum(near[:, j] - covered, 0)) for j in range(60)]
        best = max((j for j in range(60) if j not in order), key=lambda j: values[j])
        order.append(best)
        gains.append(values[best])
        covered = np.maximum(covered, near[:, best])
    found = uherding.rank(
        candidates_of(view), 12, UHerdingParams(radius=radius, calibrate=calibrate)
    )
    assert_array_equal(found.order, order)
    assert_allclose(found.meta_scores[order], gains, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("pending", [1, 64])
def test_badge_draws_by_k_means_plus_plus_among_written_out_gradients(
    view: PoolView, pending: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one pick between two looks it is the textbook's; with more, draws may be refused."""
    monkeypatch.setattr(plus_plus, "_PENDING", pending)
    error = softmax(view.logits) - np.eye(3)[view.logits.argmax(axis=1)]
    gradient = np.array(
        [np.outer(e, h).ravel() for e, h in zip(error, view.embeddings, strict=True)]
    )

    def squared(one: int) -> Exact:
        result: Exact = np.square(gradient - gradient[one]).sum(axis=1)
        return result

    rng = np.random.default_rng(view.seed)
    order = [int(np.square(gradient).sum(axis=1).argmax())]
    gains = [float(np.square(gradient).sum(axis=1).max())]
    nearest = stale = squared(order[0])
    since = refused = all_refused = 0
    while len(order) < 60:
        if since == pending or refused == 256:
            stale, since, refused = nearest, 0, 0
        drawn = int(np.searchsorted(stale.cumsum(), rng.random() * stale.sum(), side="right"))
        if rng.random() * stale[drawn] >= nearest[drawn]:
            refused += 1
            all_refused += 1
            continue
        order.append(drawn)
        gains.append(float(nearest[drawn]))
        nearest = np.minimum(nearest, squared(drawn))
        since += 1
    assert all_refused == 0 if pending == 1 else all_refused > 256
    ranking = badge.rank(candidates_of(view), 60, NoParams())
    assert_array_equal(ranking.order, order)
    assert_allclose(ranking.meta_scores[order], np.minimum.accumulate(gains), rtol=1e-3)
