"""Pruning against literal, slow transcriptions of the algorithms."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks.pruning_pool import certified, plain_loop
from models.catalog.params.pruning import Prune4RelParams
from models.protocols import Indices
from models.pruning import grand, layout, neighbourhood, neighbours, own_gain
from models.pruning.greedy import by_marginal_gain
from models.pruning.histogram import neighbour_histogram
from models.pruning.neighbourhood import Neighbourhood
from models.pruning.neighbours import Neighbours
from models.pruning.objective import objective_curve
from models.pruning.own_gain import by_own_gain
from models.pruning.run import prune
from models.pruning.similarity import Similarity, confidence
from models.pruning.utility import OwnGains, gained
from models.pruning.view import PruningView
from tests.models.pruning_loops import (
    SETTINGS,
    Exact,
    Kind,
    algorithm_1,
    algorithm_2,
    cosines,
    draw,
    plain_greedy,
    similarities,
    view_of,
)


@pytest.mark.parametrize("mixed", [-1.0, 0.5, 2.0])
@pytest.mark.parametrize("tile", [7, 512])
@pytest.mark.parametrize(("kind", "tau"), [*SETTINGS, ("shifted", 0.0)])
def test_neighbours_are_those_of_all_products(
    kind: Kind, tau: float, tile: int, mixed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "_TILE", tile)
    monkeypatch.setattr(layout, "_PER_CLUSTER", 20)
    monkeypatch.setattr(layout, "_MIXED", mixed)
    monkeypatch.setattr(neighbours, "_PRODUCTS", 100 * tile)
    monkeypatch.setattr(neighbours, "_QUERIES", 4)
    embeddings = draw(400, dimension=40)
    embeddings[7] = embeddings[8]
    embeddings[9] = 0
    expected = cosines(embeddings)
    similarity = Similarity(kind, tau)
    asked = np.array([9, 7, 399, 0, 8, 55])
    found = Neighbours(embeddings, similarity).rows(asked)
    for place, position in enumerate(asked):
        here = slice(found.starts[place], found.starts[place + 1])
        columns = np.sort(found.columns[here])
        assert_array_equal(
            columns, np.flatnonzero(similarity.of(expected[position]) >= tau), str(position)
        )
        assert_array_equal(found.cosines[here], expected[position, found.columns[here]])


@pytest.mark.parametrize("pairwise", [1, 10**9])
def test_pairs_and_blocks_are_compared_alike(
    pairwise: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "_PAIRWISE", pairwise)
    embeddings = draw(200)
    found = Neighbours(embeddings, Similarity("cosine", 0.6)).rows(np.arange(200))
    expected = cosines(embeddings)
    assert len(found.columns) == (expected >= 0.6).sum()
    rows = np.repeat(np.arange(200), np.diff(found.starts))
    assert_array_equal(found.cosines, expected[rows, found.columns])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("run", [1, 3, 256])
@pytest.mark.parametrize(("kind", "tau"), SETTINGS)
def test_prune4rel_is_algorithm_1(
    kind: Kind, tau: float, run: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_gain, "_LEAST_BLOCK", 16)
    monkeypatch.setattr(own_gain, "_MOST_RUN", run)
    view = view_of(draw(300, seed), seed)
    similarity = similarities(view.given("embeddings"), kind, tau)
    assert 2 < (similarity > 0).sum(axis=1).mean() < 100
    sure = confidence(view.given("logits"), "max_prob")
    order, estimate = algorithm_1(similarity, sure, 150)
    pruned = prune("prune4rel", view, 150, {"similarity": kind, "tau": tau})
    assert_array_equal(pruned.order, order)
    assert_allclose(pruned.reasons["neighbourhood"], estimate, atol=1e-12)
    assert_allclose(pruned.objective[-1], np.tanh(estimate).sum())
    assert_allclose(pruned.gain[0], np.tanh(sure.max()))
    assert pruned.extras["neighbours"] == (similarity[order] > 0).sum(axis=1).mean() - 1


@pytest.mark.parametrize("cap", [None, 2])
@pytest.mark.parametrize("groups", [1, 4, 40])
@pytest.mark.parametrize("seed", range(3))
def test_all_are_picked_as_in_the_plain_loop(seed: int, groups: int, cap: int | None) -> None:
    """Rows that lack their own example, rows that are not symmetric, groups of one, ties."""
    rng = np.random.default_rng(seed)
    embeddings, similarity = draw(90, seed, dimension=4), Similarity("cosine", 0.5)
    embeddings[::9] = 0
    embeddings[1::9] = embeddings[2::9]
    sure = np.round(rng.random(90), 1)
    labels = 3 * rng.integers(0, groups, 90)
    around = Neighbourhood(Neighbours(embeddings, similarity), similarity, cap, 0)
    weights = np.zeros((90, 90))
    for x, row in enumerate(around.rows(np.arange(90))):
        weights[x, row.columns] = row.similarities
    own, estimate, order = OwnGains(sure), np.zeros(90), list[int]()
    while len(order) < 90:
        for label in np.unique(labels):
            logs = own.log_of(estimate, np.arange(90))
            open_ = [x for x in np.flatnonzero(labels == label).tolist() if x not in order]
            if open_:
                order.append(max(open_, key=lambda x: (logs[x], -x)))
                estimate = estimate + weights[order[-1]] * sure[order[-1]]
    found = by_own_gain(around, sure, labels, 90)
    assert_array_equal(found.order, order)
    assert_array_equal(found.estimate, estimate)


def test_embeddings_may_be_memory_mapped(tmp_path: Path) -> None:
    np.save(tmp_path / "embeddings.npy", draw(300, 2))
    mapped = np.load(tmp_path / "embeddings.npy", mmap_mode="r")
    torch.set_warn_always(True)
    try:
        found = Neighbours(mapped, Similarity("cosine", 0.7)).rows(np.arange(300))
    finally:
        torch.set_warn_always(False)
    assert len(found.columns) == (similarities(mapped, "cosine", 0.7) > 0).sum()


@pytest.mark.parametrize("groups", [1, 3])
def test_a_gain_that_rises_is_seen_at_once(groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As rounding may let one rise; here far more do, and by more."""
    monkeypatch.setattr(own_gain, "_LEAST_BLOCK", 16)
    exactly = OwnGains.log_of

    def rising(own: OwnGains, estimate: Exact, positions: Indices) -> Exact:
        wave: Exact = exactly(own, estimate, positions) + 0.5 * np.sin(9 * estimate)
        return wave

    monkeypatch.setattr(OwnGains, "log_of", rising)
    embeddings, similarity = draw(200, 4), Similarity("cosine", 0.6)
    sure = confidence(view_of(embeddings, 4).given("logits"), "max_prob")
    weights, own = similarities(embeddings, "cosine", 0.6), OwnGains(sure)
    labels = np.arange(200) % groups
    estimate, order, rose = np.zeros(200), list[int](), 0
    for turn in range(120):
        before = own.log_of(estimate, np.arange(200))
        logs = np.where(labels == turn % groups, before, -np.inf)
        logs[order] = -np.inf
        order.append(int(logs.argmax()))
        estimate = estimate + weights[order[-1]] * sure[order[-1]]
        rose += int((own.log_of(estimate, np.arange(200)) > before).sum())
    assert rose > 100
    around = Neighbourhood(Neighbours(embeddings, similarity), similarity, None, 0)
    assert_array_equal(by_own_gain(around, sure, labels, 120).order, order)


@pytest.mark.parametrize(("kind", "tau"), SETTINGS)
def test_balanced_is_algorithm_2(kind: Kind, tau: float) -> None:
    view = view_of(draw(240, 5), 5)
    labels = np.where(np.arange(240) < 7, 3, view.labels % 3)
    view = PruningView(labels, 4, embeddings=view.embeddings, logits=view.logits)
    sure = confidence(view.given("logits"), "diff_prob")
    order = algorithm_2(similarities(view.given("embeddings"), kind, tau), sure, labels, 120)
    params = {"similarity": kind, "tau": tau, "confidence": "diff_prob"}
    pruned = prune("prune4rel_balanced", view, 120, params)
    assert_array_equal(pruned.order, order)
    assert "labels 3 (7)" in pruned.notes[-1]


@pytest.mark.parametrize(("kind", "tau"), SETTINGS)
@pytest.mark.parametrize("room", [0, 10**9])
def test_lazy_greedy_is_the_plain_greedy(
    kind: Kind, tau: float, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbourhood, "_ROOM", 2000)
    view = view_of(draw(150, 3), 3)
    sure = confidence(view.given("logits"), "max_prob")
    order, values = plain_greedy(similarities(view.given("embeddings"), kind, tau), sure, 60)
    similarity = Similarity(kind, tau)
    around = Neighbourhood(Neighbours(view.given("embeddings"), similarity), similarity, None, 0)
    greedy = by_marginal_gain(around, sure, 60, room)
    assert_array_equal(greedy.order, order)
    assert_allclose(greedy.objective, values)
    assert_allclose(greedy.gains, np.diff(values, prepend=0))
    assert values[-1] <= greedy.bound


@pytest.mark.parametrize("room", [0, 10**9])
def test_lazy_greedy_is_the_plain_greedy_among_duplicates(room: int) -> None:
    embeddings = draw(40, 3, spread=2.0)[np.random.default_rng(8).integers(0, 40, 360)]
    view = view_of(embeddings, 3)
    sure = confidence(view.given("logits"), "max_prob")
    sure[::10] = sure[0]
    order, values = plain_greedy(similarities(embeddings, "cosine", 0.5), sure, 70)
    similarity = Similarity("cosine", 0.5)
    around = Neighbourhood(Neighbours(embeddings, similarity), similarity, None, 0)
    assert len(np.unique(around.groups())) <= 40
    greedy = by_marginal_gain(around, sure, 70, room)
    # Beyond, the plain loop compares rounding errors.
    clear = int((greedy.gains > 1e-9).sum())
    assert clear > 50
    assert_array_equal(greedy.order[:clear], order[:clear])
    assert_allclose(greedy.objective, values)
    assert values[-1] <= greedy.bound
    whole = np.tanh(similarities(embeddings, "cosine", 0.5).T @ sure).sum()
    assert greedy.bound <= whole + 1e-9


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.floats(0.2, 0.95))
def test_no_subset_beats_the_bound(seed: int, n: int, tau: float) -> None:
    """Every subset of a tiny set: none beats the bound, the greedy one reaches what it says."""
    view = view_of(draw(9, seed, dimension=3), seed)
    pruned = prune("prune4rel_greedy", view, n, {"similarity": "cosine", "tau": tau})
    weights = similarities(view.given("embeddings"), "cosine", tau)
    weights *= confidence(view.given("logits"), "max_prob")[:, None]
    best = max(
        np.tanh(weights[list(some)].sum(axis=0)).sum()
        for some in itertools.combinations(range(9), n)
    )
    value = np.tanh(weights[pruned.order].sum(axis=0)).sum()
    assert_allclose(pruned.objective[-1], value)
    assert best <= pruned.extras["upper_bound"] + 1e-9
    assert value >= pruned.extras["guaranteed"] * best - 1e-9
    assert 1 - 1 / math.e <= pruned.extras["guaranteed"] <= 1


def test_a_cap_keeps_the_most_similar() -> None:
    view = view_of(draw(200))
    weights = similarities(view.given("embeddings"), "cosine", 0.3)
    degrees = (weights > 0).sum(axis=1) - 1
    for row, weight in enumerate(weights):
        weight[row] = 2
        weight[np.argsort(-weight, kind="stable")[6:]] = 0
        weight[row] = weights[row, row] = cosines(view.given("embeddings"))[row, row]
    sure = confidence(view.given("logits"), "max_prob")
    order, _ = algorithm_1(weights, sure, 80)
    params = {"similarity": "cosine", "tau": 0.3, "most_neighbours": 5}
    pruned = prune("prune4rel", view, 80, params)
    assert_array_equal(pruned.order, order)
    capped = int((degrees[order] > 5).sum())
    assert 0 < capped == pruned.extras["capped"]
    assert pruned.notes[-1].startswith(f"{capped} of 80 kept examples have more than 5 neighbours")


@given(st.floats(0, 8), st.floats(1e-6, 1))
def test_gains_are_differences_of_tanh(estimate: float, added: float) -> None:
    a, c = np.array([estimate]), np.array([added])
    expected = math.tanh(estimate + added) - math.tanh(estimate)
    assert_allclose(gained(a, c), expected, atol=1e-15)
    logs = OwnGains(c).log_of(a, np.array([0]))
    assert_allclose(np.exp(logs), gained(a, c), rtol=1e-12)


def test_gains_tell_apart_what_tanh_does_not() -> None:
    estimate, sure = np.array([30.0, 29.0, 900.0, 900.0]), np.array([0.9, 0.9, 0.2, 0.3])
    assert (np.tanh(estimate + sure) == np.tanh(estimate)).all()
    logs = OwnGains(sure).log_of(estimate, np.arange(4))
    assert_array_equal(np.argsort(-logs), [1, 0, 3, 2])


def test_duplicates_are_taken_by_position() -> None:
    embeddings = np.repeat(draw(20), 5, axis=0)
    view = PruningView(
        np.zeros(100, dtype=np.int64), 2, embeddings=embeddings,
        logits=np.repeat(view_of(draw(20)).given("logits")[:, :2], 5, axis=0),
    )  # fmt: skip
    sure = confidence(view.given("logits"), "max_prob")
    order, _ = algorithm_1(similarities(embeddings, "cosine", 0.95), sure, 100)
    pruned = prune("prune4rel", view, 100, {"similarity": "cosine", "tau": 0.95})
    assert_array_equal(pruned.order, order)


def test_histogram_counts_neighbours() -> None:
    embeddings = draw(150)
    histogram = neighbour_histogram(embeddings, "cosine", sample=150)
    value = cosines(embeddings) - 2 * np.eye(150)
    for place in (100, 500, 950):
        expected = (value >= histogram.thresholds[place]).sum(axis=1)
        assert_array_equal(np.sort(histogram.counts[:, place]), np.sort(expected))
    assert_allclose(histogram.isolated()[950], (value.max(axis=1) < 0.95).mean())
    assert_allclose(histogram.mean()[500], (value >= 0.5).sum(axis=1).mean())
    tau, reached = histogram.threshold_for(8)
    assert reached
    assert ((value >= tau).sum(axis=1) >= 8).mean() >= 0.5
    assert ((value >= tau + 0.001).sum(axis=1) >= 8).mean() < 0.5
    shifted = neighbour_histogram(embeddings, "shifted", sample=150)
    assert_allclose(shifted.threshold_for(8)[0], (1 + tau) / 2)


def test_norms_of_the_last_layer_are_those_of_torch() -> None:
    import torch

    view = view_of(draw(30, dimension=6))
    layer = torch.nn.Linear(6, 4)
    embeddings = torch.from_numpy(view.given("embeddings"))
    logits = layer(embeddings)
    expected = []
    for one, label in zip(logits, view.labels.tolist(), strict=True):
        loss = torch.nn.functional.cross_entropy(one, torch.tensor(label))
        found = torch.autograd.grad(loss, list(layer.parameters()), retain_graph=True)
        expected.append(math.sqrt(sum(float(part.square().sum()) for part in found)))
    norms = grand.last_layer_norms(logits.detach().numpy(), view.given("embeddings"), view.labels)
    assert_allclose(norms, expected, rtol=1e-5)


def test_by_own_gain_reports_and_stops() -> None:
    embeddings = draw(600)
    similarity = Similarity("cosine", 0.7)
    around = Neighbourhood(Neighbours(embeddings, similarity), similarity, None, 0)
    seen = []
    sure = np.linspace(0.1, 1, 600)
    by_own_gain(
        around, sure, np.zeros(600, np.int64), 600, lambda step, of: seen.append((step, of))
    )
    assert seen == [(256, 600), (512, 600)]


def test_the_objective_of_any_subset() -> None:
    view = view_of(draw(200))
    weights = similarities(view.given("embeddings"), "cosine", 0.6)
    weights *= confidence(view.given("logits"), "max_prob")[:, None]
    order = prune("uniform", view, 70).order
    curve = objective_curve(view, order, Prune4RelParams(tau=0.6, similarity="cosine"))
    assert_allclose(curve, np.tanh(np.cumsum(weights[order], axis=0)).sum(axis=1))
    pruned = prune("prune4rel", view, 70, {"tau": 0.6, "similarity": "cosine"})
    again = objective_curve(view, pruned.order, Prune4RelParams(tau=0.6, similarity="cosine"))
    assert_array_equal(again, pruned.objective)


def test_the_benchmark_knows_right_from_wrong() -> None:
    view = view_of(draw(900))
    pruned = prune("prune4rel", view, 300, {"similarity": "cosine", "tau": 0.6})
    sure, similarity = pruned.reasons["confidence"], Similarity("cosine", 0.6)
    plain = plain_loop(view, sure, similarity, 300, most=60)
    assert_array_equal(plain.order, pruned.order)
    assert plain.gap < 1e-6
    around = pruned.reasons["neighbourhood"]
    assert certified(view, sure, similarity, pruned.order, around)
    late = np.concatenate([pruned.order[:50], np.roll(pruned.order[50:], 40)])
    assert not certified(view, sure, similarity, late, around)
    assert not certified(view, sure, similarity, pruned.order, around * 0.99)
