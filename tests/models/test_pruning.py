"""What every pruning method promises, and what the baselines compute."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from models.catalog import specs
from models.errors import Cancelled, ModelError, NotReady
from models.pruning import ssp
from models.pruning.histogram import NeighbourTable, neighbour_histogram
from models.pruning.run import prune
from models.pruning.view import Pruned, PruningView

NAMES = [spec.name for spec in specs() if spec.kind == "pruning"]
NEEDS = {spec.name: spec.needs for spec in specs() if spec.kind == "pruning"}
PRUNE4REL = [name for name in NAMES if name.startswith("prune4rel")]
SEEDED = {"uniform", "forgetting", "ssp", "dual", "ccs"}
BY_EPOCH = {"correct", "label_probabilities", "margins", "gradient_norms"}
COUNT = 120

every_method = pytest.mark.parametrize("name", NAMES)
every_variant = pytest.mark.parametrize("name", PRUNE4REL)


def view(count: int = COUNT, seed: int = 0) -> PruningView:
    """Four classes of twelve clusters, a fifth of the labels wrong."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 12, count)
    centers = 3 * np.random.default_rng(99).standard_normal((12, 8))
    embeddings = (centers[kinds] + rng.standard_normal((count, 8))).astype(np.float32)
    labels = np.where(rng.random(count) < 0.8, kinds % 4, rng.integers(0, 4, count))
    logits = rng.standard_normal((count, 4)) + 3 * np.eye(4)[kinds % 4]
    return PruningView(
        labels.astype(np.int64),
        4,
        embeddings=embeddings,
        logits=logits.astype(np.float32),
        plain_embeddings=(centers[kinds] + rng.standard_normal((count, 8))).astype(np.float32),
        plain_logits=(logits + rng.standard_normal((count, 4))).astype(np.float32),
        losses=rng.gamma(1.0, 1.0, count).astype(np.float32),
        correct=rng.random((6, count)) < np.linspace(0, 1, count),
        label_probabilities=rng.random((6, count), dtype=np.float32),
        margins=rng.standard_normal((6, count), dtype=np.float32),
        gradient_norms=rng.gamma(2.0, 1.0, (3, count)).astype(np.float32),
        self_supervised=(centers[kinds] + rng.standard_normal((count, 8))).astype(np.float32),
    )


def with_fixed_tau(name: str) -> dict[str, Any]:
    return {"tau": 0.9} if name in PRUNE4REL else {}


def check(pruned: Pruned, count: int, n: int) -> None:
    assert pruned.order.dtype == np.int64
    assert pruned.order.shape == pruned.gain.shape == (n,)
    assert len(set(pruned.order.tolist())) == n
    assert (pruned.order >= 0).all()
    assert (pruned.order < count).all()
    assert np.isfinite(pruned.gain).all()
    assert len(pruned.objective) in (0, n)
    assert (np.diff(pruned.objective) >= 0).all()
    for values in pruned.reasons.values():
        assert values.shape == (count,)
        assert values.dtype == np.float64
        assert np.isfinite(values).all()
    assert all(np.isfinite(list(pruned.extras.values())))


@every_method
@pytest.mark.parametrize("n", [1, 40, COUNT])
def test_keeps_n_different_examples(name: str, n: int) -> None:
    check(prune(name, view(), n), COUNT, n)


# What these two draw depends on how many are kept.
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"dual", "ccs"}))
def test_a_smaller_subset_comes_first_in_a_larger_one(name: str) -> None:
    params = with_fixed_tau(name)
    large = prune(name, view(), 70, params)
    assert_array_equal(prune(name, view(), 25, params).order, large.order[:25])


@every_method
def test_nothing_but_what_it_needs_is_looked_at(name: str) -> None:
    whole = view()
    bare = PruningView(
        whole.labels, whole.classes, **{need: getattr(whole, need) for need in NEEDS[name]}
    )
    assert_array_equal(prune(name, bare, 30).order, prune(name, whole, 30).order)


@pytest.mark.parametrize(
    ("name", "need"), [(name, need) for name in NAMES for need in sorted(NEEDS[name])]
)
def test_what_is_missing_comes_with_a_remedy(name: str, need: str) -> None:
    remedy = "start the job" if need == "self_supervised" else "train"
    lacking: dict[str, Any] = {need: None}
    with pytest.raises(NotReady, match=f"This needs .*; {remedy}"):
        prune(name, replace(view(), **lacking), 5)


@pytest.mark.parametrize(
    ("name", "need"),
    [(name, need) for name in NAMES for need in sorted(NEEDS[name]) if need != "correct"],
)
def test_numbers_that_are_none_are_refused_with_their_positions(name: str, need: str) -> None:
    broken = view()
    array = broken.given(need)
    axis = 1 if need in BY_EPOCH else 0
    array.swapaxes(0, axis)[3] = np.nan
    array.swapaxes(0, axis)[17] = 1e30
    with pytest.raises(ModelError, match=rf"{need} are not finite for 2 of 120 .*positions 3, 17"):
        prune(name, broken, 5)


@every_method
def test_names_at_most_ten_bad_labels(name: str) -> None:
    labels = view().labels.copy()
    labels[20:40] = -1
    with pytest.raises(ModelError, match=r"20 of 120 labels are outside 0\.\.3 .*29, \.\.\.\)"):
        prune(name, replace(view(), labels=labels), 5)


@every_method
@pytest.mark.parametrize("n", [0, -1, COUNT + 1])
def test_impossible_sizes_are_refused(name: str, n: int) -> None:
    with pytest.raises(ModelError, match="choose 1 to 120"):
        prune(name, view(), n)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"embeddings": np.ones((119, 8), np.float32)}, "do not belong to 120 examples"),
        ({"embeddings": np.ones(120, np.float32)}, "do not belong to 120 examples"),
        ({"logits": np.ones((120, 5), np.float32)}, "Logits of 5 classes do not belong to 4"),
        ({"labels": np.ones(120)}, "Labels are .* integers, not float64"),
    ],
)
def test_shapes_that_do_not_match_are_refused(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(ModelError, match=fault):
        prune("prune4rel", replace(view(), **change), 5)


@every_method
def test_a_class_with_one_example_is_no_trouble(name: str) -> None:
    labels = np.minimum(view().labels, 2)
    labels[7] = 3
    pruned = prune(name, replace(view(), labels=labels), 60)
    check(pruned, COUNT, 60)
    if name == "prune4rel_balanced":
        assert 7 in pruned.order[:4]
        assert any("labels 3 (1): all of them" in note for note in pruned.notes)
    if name == "moderate":
        assert any("1 classes have one example only" in note for note in pruned.notes)


@every_method
def test_equal_embeddings_are_no_trouble(name: str) -> None:
    alike = np.ones((COUNT, 8), dtype=np.float32)
    same = replace(view(), embeddings=alike, self_supervised=alike)
    check(prune(name, same, 60), COUNT, 60)


@every_variant
def test_equal_embeddings_and_equal_logits_go_by_position(name: str) -> None:
    same = replace(
        view(),
        labels=np.zeros(COUNT, dtype=np.int64),
        embeddings=np.ones((COUNT, 8), np.float32),
        logits=np.zeros((COUNT, 4), np.float32),
    )
    pruned = prune(name, same, 60)
    assert_array_equal(pruned.order, np.arange(60))
    assert "119 neighbours in the mean" in pruned.notes[-1]


def collapsed(count: int, noise: float = 0.0) -> PruningView:
    rng = np.random.default_rng(4)
    alike = np.ones((count, 16)) + noise * rng.standard_normal((count, 16))
    return replace(view(count), embeddings=alike.astype(np.float32))


# The plain loop evaluates four billion neighbours here, and looked most of them up each time.
@pytest.mark.timeout(120)
def test_the_true_greedy_ends_where_all_embeddings_are_equal() -> None:
    alike = collapsed(2000)
    pruned = prune("prune4rel_greedy", alike, 1000)
    # Whoever is the surest adds the most where all have the same neighbours.
    confidence = pruned.reasons["confidence"]
    assert_array_equal(pruned.order, np.argsort(-confidence, kind="stable")[:1000])
    assert pruned.extras["guaranteed"] > 0.99
    assert "no tau parts them" in pruned.notes[-1]
    assert "small_loss" in pruned.notes[-1]


@pytest.mark.timeout(120)
def test_the_true_greedy_caps_neighbours_or_refuses_where_most_are_neighbours() -> None:
    alike = collapsed(2500, noise=1e-2)
    pruned = prune("prune4rel_greedy", alike, 1250)
    check(pruned, 2500, 1250)
    assert any("only the 489 most similar count" in note for note in pruned.notes)
    with pytest.raises(ModelError, match=r"tau 0\.5 .* no higher tau .* give most_neighbours"):
        prune("prune4rel_greedy", alike, 1250, {"tau": 0.5})
    check(prune("prune4rel_greedy", alike, 1250, {"tau": 0.5, "most_neighbours": 20}), 2500, 1250)
    with pytest.raises(ModelError, match=r"too long: raise tau, give most_neighbours"):
        prune("prune4rel_greedy", view(2500), 1250, {"tau": 0.0})


@every_variant
def test_examples_without_confidence_are_no_trouble(name: str) -> None:
    equal = replace(view(), logits=np.zeros((COUNT, 4), np.float32))
    pruned = prune(name, equal, COUNT, {"confidence": "diff_prob"})
    check(pruned, COUNT, COUNT)
    assert not pruned.gain.any()


@every_variant
def test_a_threshold_that_isolates_everything_is_said(name: str) -> None:
    pruned = prune(name, view(), 30, {"tau": 1.0})
    (warning,) = pruned.warnings
    assert "No kept example has a neighbour" in warning
    assert warning not in pruned.notes
    assert prune(name, view(), 30).warnings == ()
    by_confidence = np.argsort(-pruned.reasons["confidence"], kind="stable")
    if name == "prune4rel_balanced":
        labels = view().labels
        for label in range(view().classes):
            mine = pruned.order[labels[pruned.order] == label]
            assert_array_equal(mine, by_confidence[labels[by_confidence] == label][: len(mine)])
    else:
        assert_array_equal(pruned.order, by_confidence[:30])
    if name == "prune4rel_greedy":
        # Nobody adds to another, so the surest are the optimum.
        assert pruned.extras["guaranteed"] == pytest.approx(1)


@every_variant
def test_a_threshold_is_chosen_and_said(name: str) -> None:
    pruned = prune(name, view(), 30)
    unit = view().given("embeddings")
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    similarity = (1 + unit @ unit.T) / 2
    neighbours = (similarity >= pruned.extras["tau"]).sum(axis=1) - 1
    assert (neighbours >= 8).mean() >= 0.5
    assert f"tau {pruned.extras['tau']:.4f} was chosen: half" in pruned.notes[0]
    assert_array_equal(pruned.order, prune(name, view(), 30, {"tau": pruned.extras["tau"]}).order)


def test_no_threshold_has_enough_neighbours() -> None:
    apart = replace(view(8), embeddings=np.eye(8, dtype=np.float32) - np.float32(0.2))
    pruned = prune("prune4rel", apart, 8, {"similarity": "cosine"})
    assert pruned.extras["tau"] == 0
    assert "not even there" in pruned.notes[0]


@every_method
def test_long_work_can_be_stopped_at_its_beginning(name: str) -> None:
    def stop(step: int, steps: int) -> None:
        assert (step, steps) == (0, 600)
        raise Cancelled

    with pytest.raises(Cancelled):
        prune(name, view(800), 600, with_fixed_tau(name), stop)


@pytest.mark.parametrize("name", [*PRUNE4REL, "k_center", "ssp", "ssp in batches"])
def test_long_work_can_be_stopped_on_its_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "ssp in batches":
        monkeypatch.setattr(ssp, "_MANY", 100)
    method = name.partition(" ")[0]

    def stop(step: int, steps: int) -> None:
        assert 0 <= step <= steps
        if 0 < step < steps:
            raise Cancelled

    with pytest.raises(Cancelled):
        prune(method, view(800), 600, with_fixed_tau(method), stop)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, COUNT), st.sampled_from(sorted(set(NAMES) - SEEDED)))
def test_the_order_of_the_examples_does_not_matter(seed: int, n: int, name: str) -> None:
    one = view(seed=seed)
    shuffled = np.random.default_rng(seed).permutation(COUNT)
    changes = {
        need: getattr(one, need)[..., shuffled]
        if need in BY_EPOCH
        else getattr(one, need)[shuffled]
        for need in NEEDS[name]
    }
    other = replace(one, labels=one.labels[shuffled], **changes)
    params = with_fixed_tau(name)
    assert_array_equal(
        shuffled[prune(name, other, n, params).order], prune(name, one, n, params).order
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 12))
def test_balanced_takes_equal_shares(seed: int, n: int, classes: int) -> None:
    """No label has two more than another of which something is left."""
    rng = np.random.default_rng(seed)
    labels = np.minimum(rng.geometric(0.4, 60) - 1, classes - 1).astype(np.int64)
    one = PruningView(
        labels, classes, embeddings=rng.standard_normal((60, 3)).astype(np.float32),
        logits=rng.standard_normal((60, classes)).astype(np.float32),
    )  # fmt: skip
    order = prune("prune4rel_balanced", one, n).order
    taken, there = (np.bincount(some, minlength=classes) for some in (labels[order], labels))
    left = taken < there
    assert taken.sum() == n
    if left.any():
        assert taken.max() - taken[left].min() <= 1


def test_classes_that_run_out_are_named() -> None:
    labels = np.repeat([0, 1, 2], [3, 30, 27])
    rng = np.random.default_rng(0)
    one = PruningView(
        labels, 3, embeddings=rng.standard_normal((60, 3)).astype(np.float32),
        logits=rng.standard_normal((60, 3)).astype(np.float32),
    )  # fmt: skip
    for names, said in (((), "0 (3)"), (("ox", "cat", "dog"), "ox (3)")):
        notes = prune("prune4rel_balanced", replace(one, names=names), 40).notes
        assert f"Too few examples for an equal share have the labels {said}: all" in notes[-1]


def test_uniform_depends_on_the_seed_alone() -> None:
    orders = [prune("uniform", replace(view(), seed=seed), 60).order for seed in (1, 1, 2)]
    assert_array_equal(orders[0], orders[1])
    assert set(orders[0]) != set(orders[2])


def test_small_loss_sorts_by_loss() -> None:
    losses = view().given("losses")
    assert_array_equal(prune("small_loss", view(), 50).order, np.argsort(losses)[:50])


def test_margin_is_that_of_torch() -> None:
    probability = torch.from_numpy(view().given("plain_logits")).double().softmax(dim=1)
    top = probability.topk(2, dim=1).values
    pruned = prune("margin", view(), 50)
    assert_array_equal(pruned.order, (top[:, 0] - top[:, 1]).argsort()[:50])
    assert_allclose(-pruned.gain, (top[:, 0] - top[:, 1])[pruned.order])


def test_k_center_is_the_plain_loop() -> None:
    points = view().given("plain_embeddings").astype(np.float64)
    order = [int(np.linalg.norm(points - points.mean(axis=0), axis=1).argmin())]
    while len(order) < 40:
        distance = np.linalg.norm(points[:, None] - points[order], axis=2).min(axis=1)
        order.append(int(distance.argmax()))
    pruned = prune("k_center", view(), 40)
    assert_array_equal(pruned.order, order)
    distance = np.linalg.norm(points[:, None] - points[order], axis=2).min(axis=1)
    assert_allclose(pruned.reasons["distance"], distance, atol=1e-4)


def test_forgetting_counts_events() -> None:
    correct = np.array(
        [[1, 1, 0, 0, 1], [0, 1, 0, 1, 0], [1, 1, 0, 1, 1], [0, 1, 0, 0, 1]], dtype=np.bool_
    )
    one = PruningView(np.zeros(5, dtype=np.int64), 1, correct=correct)
    pruned = prune("forgetting", one, 5)
    assert_array_equal(pruned.gain, [2, 1, 1, 0, 0])
    assert pruned.order[0] == 0
    pruned = prune("forgetting", one, 5, {"never_learned": "most"})
    assert pruned.order[:2].tolist() == [2, 0]
    assert set(pruned.order[2:4].tolist()) == {3, 4}
    assert pruned.order[4] == 1
    assert_array_equal(pruned.gain, [4, 2, 1, 1, 0])
    assert_array_equal(pruned.reasons["forgotten"], [2, 0, 0, 1, 1])
    assert_array_equal(pruned.reasons["learned"], [1, 1, 0, 1, 1])
    with pytest.raises(NotReady, match="two epochs"):
        prune("forgetting", replace(one, correct=correct[:1]), 2)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60))
def test_forgetting_takes_the_same_share_of_each_label(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.minimum(rng.geometric(0.4, 60) - 1, 5).astype(np.int64)
    one = PruningView(labels, 6, seed=seed, correct=rng.random((5, 60)) < 0.5)
    pruned = prune("forgetting", one, n)
    taken, there = (np.bincount(some, minlength=6) for some in (labels[pruned.order], labels))
    assert (np.abs(taken - there * n / 60) < 1.5).all()
    events = (one.given("correct")[:-1] & ~one.given("correct")[1:]).sum(axis=0)
    left = np.setdiff1d(np.arange(60), pruned.order)
    for label in np.unique(labels):
        kept = events[pruned.order[labels[pruned.order] == label]]
        dropped = events[left[labels[left] == label]]
        assert not len(kept) or not len(dropped) or kept.min() >= dropped.max()
    over_all = prune("forgetting", one, n, {"per_class": False})
    assert over_all.gain.sum() >= pruned.gain.sum()


def test_grand_averages_over_warm_ups() -> None:
    norms = view().given("gradient_norms")
    pruned = prune("grand", view(), 50)
    assert_array_equal(pruned.order, np.argsort(-norms.astype(np.float64).mean(axis=0))[:50])
    assert pruned.notes == ()
    single = prune("grand", replace(view(), gradient_norms=norms[:1]), 50)
    assert single.notes == ("One warm-up only; 10 were published.",)


@pytest.mark.parametrize("prefer", ["near", "far"])
def test_ssp_is_the_cosine_to_centers_of_scikit_learn(prefer: str) -> None:
    rows = view().given("self_supervised").astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    means = KMeans(5, n_init=3, random_state=0).fit(rows.astype(np.float32)).cluster_centers_
    cosine = (rows @ (means / np.linalg.norm(means, axis=1, keepdims=True)).T).max(axis=1)
    pruned = prune("ssp", view(), 50, {"prototypes": 5, "prefer": prefer})
    assert_array_equal(pruned.order, np.argsort(-cosine if prefer == "near" else cosine)[:50])


def test_moderate_keeps_the_middle_of_the_distances() -> None:
    one = view()
    rows = one.given("plain_embeddings").astype(np.float64)
    distance = np.empty(COUNT)
    for position in range(COUNT):
        members = one.given("plain_embeddings")[one.labels == one.labels[position]].astype(
            np.float64
        )
        middle = np.median(members, axis=0)
        distance[position] = np.linalg.norm(rows[position] - middle)
    for n in (40, 60):
        low = (COUNT - n) // 2
        expected = np.argsort(distance)[low : low + n]
        assert set(prune("moderate", one, n).order) == set(expected)


def test_the_table_of_thresholds_counts_neighbours_in_doubling_bins() -> None:
    # Three examples in one direction, two in another at a right angle, one alone against both.
    rows = np.array([[1, 0, 0]] * 3 + [[0, 1, 0]] * 2 + [[0, 0, 1]], dtype=np.float32)
    histogram = neighbour_histogram(rows, "cosine")
    table = NeighbourTable.of(histogram, tau=0.5)
    assert table.least.tolist() == [0, 1, 2, 4]
    # From 0.001 on only one's own direction is near: two, one or no neighbours; at 0 all are.
    assert table.thresholds.tolist() == [0.999, 0.5, 0.0]
    assert table.medians.tolist() == [2, 2, 5]
    np.testing.assert_allclose(table.shares[0], [1 / 6, 2 / 6, 3 / 6, 0])
    np.testing.assert_array_equal(table.shares[0], table.shares[1])
    assert table.shares[2].tolist() == [0, 0, 0, 1]
