from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from models.catalog.params import NoParams
from models.catalog.params.strategies import ExpectedValueParams, MQNetParams
from models.errors import ModelError
from models.protocols import PoolView, Ranking
from models.ranking import mqnet
from models.ranking.candidates import Candidates
from models.ranking.mqnet import (
    CLAMP,
    InputNormalisation,
    MQNet,
    Normalisation,
    Prior,
    meta_inputs,
    ranking_loss,
    train_mqnet,
)
from models.ranking.pool_scores import PoolScores
from models.strategies import expected_value, p_plus_i
from models.strategies import mqnet as strategy
from tests.models.open_set import said

PARAMS = MQNetParams()
PUBLISHED = MQNetParams(prior=0, balance=0)

finite = st.floats(-1e6, 1e6, width=32)
pairs_of_scores = arrays(np.float32, st.tuples(st.integers(2, 30), st.just(2)), elements=finite)


def random_network(seed: int, scale: float) -> MQNet:
    """Any weights at all, negative ones and saturating ones among them."""
    network = MQNet()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(scale * torch.randn(parameter.shape, generator=generator))
    return network


def scores_of(raw: NDArray[np.float32]) -> PoolScores:
    return PoolScores(
        np.arange(len(raw)), np.zeros((len(raw), 2), np.float32), raw[:, 0], raw[:, 1]
    )


def candidates_of(
    scores: PoolScores, mqnet: MQNet | None = None, query_had_ood: bool = True
) -> Candidates:
    nothing = np.empty((0, 2), dtype=np.float32)
    view = PoolView(scores.logits, nothing, nothing, nothing, said([]), 2, seed=0)
    return Candidates(scores, view, mqnet, query_had_ood)


def ranked(
    scores: PoolScores,
    n: int,
    network: MQNet | None,
    query_had_ood: bool = True,
    params: MQNetParams = PUBLISHED,
) -> Ranking:
    return strategy.rank(candidates_of(scores, network, query_had_ood), n, params)


@settings(deadline=None, max_examples=200)
@given(
    raw=pairs_of_scores,
    seed=st.integers(0, 2**31),
    scale=st.sampled_from([1e-3, 0.1, 1.0, 10.0, 1e3]),
)
def test_strict_dominance_never_loses(raw: NDArray[np.float32], seed: int, scale: float) -> None:
    scores = scores_of(raw)
    z = meta_inputs(
        scores.purity,
        scores.informativeness,
        InputNormalisation.fit(scores.purity, scores.informativeness),
    )
    ranking = ranked(scores, len(raw), random_network(seed, scale), True)
    place = np.empty(len(raw), dtype=int)
    place[ranking.order] = np.arange(len(raw))
    dominates = (z[:, None] > z[None]).all(axis=2)
    assert not (dominates & (place[:, None] > place[None])).any()
    weakly = (z[:, None] >= z[None]).all(axis=2)
    lower = ranking.meta_scores[:, None] < ranking.meta_scores[None]
    assert not (weakly & lower).any()
    # What may be of the same classes: balance does not reorder it.
    balanced = ranked(scores, len(raw), random_network(seed, scale), True, PARAMS)
    place[balanced.order] = np.arange(len(raw))
    ahead = ranking.meta_scores[:, None] > ranking.meta_scores[None] + 1e-6
    assert not (ahead & (place[:, None] > place[None])).any()


@settings(deadline=None, max_examples=50)
@given(
    inputs=arrays(np.float32, (20, 2), elements=st.floats(2**-14, 2**14, width=32)),
    seed=st.integers(0, 2**31),
)
def test_scores_equal_the_forward_pass(inputs: NDArray[np.float32], seed: int) -> None:
    network = random_network(seed, 1.0)
    with torch.no_grad():
        expected = network(torch.from_numpy(inputs)).numpy()
    assert_allclose(network.scores(inputs), expected, atol=1e-5)


@settings(deadline=None)
@given(raw=pairs_of_scores)
def test_meta_inputs_equal_the_definition(raw: NDArray[np.float32]) -> None:
    normalisation = InputNormalisation.fit(raw[:, 0], raw[:, 1])
    result = meta_inputs(raw[:, 0], raw[:, 1], normalisation)
    for column in range(2):
        values = [float(value) for value in raw[:, column]]
        mean = sum(values) / len(values)
        std = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
        for value, got in zip(values, result[:, column], strict=True):
            z = 0.0 if min(values) == max(values) else (value - mean) / std
            assert_allclose(got, np.exp(max(-10.0, min(10.0, z))), rtol=1e-3)


def test_equal_scores_have_no_deviation() -> None:
    same = np.full(7, 0.1, dtype=np.float32)
    assert Normalisation.fit(same).std == 0
    assert_array_equal(Normalisation.fit(same).apply(np.array([0.1, 5.0])), [0, 0])
    assert_array_equal(Normalisation.fit(np.empty(0)).apply(np.empty(0)), np.empty(0))


def test_outliers_are_clamped() -> None:
    normalisation = InputNormalisation(Normalisation(0, 1), Normalisation(0, 1))
    result = meta_inputs(np.array([1e30, -1e30]), np.array([0.0, 11.0]), normalisation)
    assert_allclose(result, np.exp([[CLAMP, 0], [-CLAMP, CLAMP]]), rtol=1e-6)


@settings(deadline=None)
@given(
    values=arrays(np.float64, (4, 12), elements=st.floats(0, 1)),
    margin=st.sampled_from([0.0, 0.1, 0.5]),
)
def test_ranking_loss_equals_the_definition(values: NDArray[np.float64], margin: float) -> None:
    expected = []
    for phi_i, phi_j, loss_i, loss_j in values.T:
        if loss_i > loss_j:
            expected.append(max(0.0, margin - (phi_i - phi_j)))
        elif loss_i < loss_j:
            expected.append(max(0.0, margin + (phi_i - phi_j)))
        else:
            expected.append(0.0)
    phi_i, phi_j, loss_i, loss_j = torch.from_numpy(values)
    got = ranking_loss(phi_i, phi_j, loss_i, loss_j, margin)
    assert_allclose(got.numpy(), expected, atol=1e-12)


@settings(deadline=None)
@given(phi=arrays(np.float32, (2, 9), elements=st.floats(0, 1, width=32)), tie=st.floats(0, 100))
def test_ties_give_neither_loss_nor_gradient(phi: NDArray[np.float32], tie: float) -> None:
    scores = torch.from_numpy(phi).requires_grad_()
    losses = torch.full((9,), tie)
    total = ranking_loss(scores[0], scores[1], losses, losses, 0.1).sum()
    total.backward()  # type: ignore[no-untyped-call]
    assert total.item() == 0
    assert scores.grad is not None
    assert (scores.grad == 0).all()


def _answers(
    count: int, *, weight_on_purity: float
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    rng = np.random.default_rng(5)
    z = rng.standard_normal((count, 2))
    inputs = np.exp(z).astype(np.float32)
    return inputs, np.maximum(0, z @ [weight_on_purity, 1 - weight_on_purity] + 1)


@pytest.mark.parametrize("all_pairs", [False, True])
@pytest.mark.parametrize("weight_on_purity", [0.0, 0.5, 1.0])
def test_training_learns_which_input_matters(all_pairs: bool, weight_on_purity: float) -> None:
    inputs, losses = _answers(300, weight_on_purity=weight_on_purity)
    params = MQNetParams(all_pairs=all_pairs)
    scores = train_mqnet(inputs, losses, params=params, seed=0).scores(inputs)
    ordered = losses[:, None] > losses[None]
    agree = (scores[:, None] > scores[None])[ordered].mean()
    assert agree > 0.85


def test_all_pairs_step_down_the_double_loop() -> None:
    """One step of SGD on the printed sum, scaled from all ordered pairs to those of a batch."""
    inputs, losses = _answers(10, weight_on_purity=0.5)
    losses[3:6] = 0
    params = MQNetParams(all_pairs=True, epochs=1, batch_pairs=64, learning_rate=0.1, margin=0.3)
    torch.manual_seed(0)
    warm = MQNet()
    found = train_mqnet(inputs, losses, params=params, seed=0, warm=warm)

    phi = warm(torch.from_numpy(inputs))
    terms = [
        torch.relu(0.3 - (phi[i] - phi[j])) if losses[i] > losses[j]
        else torch.relu(0.3 - (phi[j] - phi[i])) if losses[i] < losses[j]
        else torch.zeros(())
        for i in range(10) for j in range(10) if i != j
    ]  # fmt: skip
    torch.stack(terms).sum().mul(5 / 90).backward()  # type: ignore[no-untyped-call]
    for before, after in zip(warm.parameters(), found.parameters(), strict=True):
        assert before.grad is not None
        gradient = before.grad + params.weight_decay * before.detach()
        assert gradient.abs().max() > 1e-3
        expected = before.detach() - 0.1 * gradient
        if before.ndim == 2:
            # Weights that the step takes below zero are kept alive.
            expected = expected.clamp(min=1e-4)
        torch.testing.assert_close(after.detach(), expected)


def test_all_pairs_of_many_answers_are_the_double_loop() -> None:
    """More answers than are looked at in one block."""
    rng = np.random.default_rng(0)
    phi, losses = rng.random(1030), np.maximum(0, rng.integers(-3, 9, 1030)).astype(float)
    total = 0.0
    for phi_i, loss_i in zip(phi.tolist(), losses.tolist(), strict=True):
        for phi_j, loss_j in zip(phi.tolist(), losses.tolist(), strict=True):
            if loss_i != loss_j:
                lead = phi_i - phi_j if loss_i > loss_j else phi_j - phi_i
                total += max(0.0, 0.1 - lead)
    found = mqnet._mean_over_all_pairs(torch.from_numpy(phi), torch.from_numpy(losses), 0.1)
    assert float(found) == pytest.approx(total / (1030 * 1029), rel=1e-9)


@pytest.mark.parametrize("count", [2, 3, 5, 129])
@pytest.mark.parametrize("all_pairs", [False, True])
def test_any_number_of_answers_trains(count: int, all_pairs: bool) -> None:
    inputs, losses = _answers(count, weight_on_purity=0.5)
    network = train_mqnet(inputs, losses, params=MQNetParams(all_pairs=all_pairs), seed=0)
    assert all(torch.isfinite(value).all() for value in network.parameters())


def test_saturated_inputs_still_train() -> None:
    inputs = np.exp(np.array([[10, -10], [-10, 10]] * 20, dtype=np.float32))
    network = train_mqnet(inputs, np.array([1.0, 0.0] * 20), params=PARAMS, seed=0)
    assert np.isfinite(network.scores(inputs)).all()


def test_no_weight_dies() -> None:
    inputs, losses = _answers(200, weight_on_purity=0.0)
    network = train_mqnet(inputs, losses, params=MQNetParams(learning_rate=0.5), seed=0)
    assert (network.weight1 > 0).all()
    assert (network.weight2 > 0).all()


def test_training_follows_its_seed_and_leaves_the_warm_start_alone() -> None:
    inputs, losses = _answers(80, weight_on_purity=0.3)

    def state(seed: int, warm: MQNet | None = None) -> bytes:
        short = MQNetParams(epochs=3)
        network = train_mqnet(inputs, losses, params=short, seed=seed, warm=warm)
        return b"".join(value.numpy().tobytes() for value in network.state_dict().values())

    warm = random_network(0, 0.1)
    before = warm.scores(inputs)
    outside = torch.get_rng_state()
    assert state(1) == state(1) != state(2)
    assert state(1, warm) != state(1)
    assert_array_equal(warm.scores(inputs), before)
    assert_array_equal(torch.get_rng_state().numpy(), outside.numpy())


def test_saving_keeps_every_score(tmp_path: Path) -> None:
    inputs, _ = _answers(40, weight_on_purity=0.5)
    network = random_network(3, 1.0)
    network.save(tmp_path / "w.safetensors")
    assert_array_equal(
        MQNet.load(tmp_path / "w.safetensors").scores(inputs), network.scores(inputs)
    )
    assert [path.name for path in tmp_path.iterdir()] == ["w.safetensors"]


@pytest.mark.parametrize("skyline", [True, False])
def test_a_saved_network_can_be_drawn(tmp_path: Path, skyline: bool) -> None:
    """The file alone gives Phi over raw scores, as they were when it was trained."""
    raw = np.random.default_rng(0).standard_normal((90, 2)) * [3, 0.1] + [7, -2]
    normalisation = InputNormalisation.fit(raw[:, 0], raw[:, 1])
    inputs = meta_inputs(raw[:, 0], raw[:, 1], normalisation)
    losses = np.maximum(0, raw[:, 0] - 7)
    network = train_mqnet(
        inputs,
        losses,
        params=MQNetParams(epochs=5, skyline=skyline),
        seed=0,
        normalisation=normalisation,
    )
    network.save(tmp_path / "w.safetensors")
    read = MQNet.load(tmp_path / "w.safetensors")
    assert read.skyline is skyline
    assert read.normalisation == normalisation
    assert read.normalisation is not None
    grid = meta_inputs(raw[:, 0], raw[:, 1], read.normalisation)
    assert_array_equal(read.scores(grid), network.scores(inputs))


def test_without_the_skyline_a_score_may_fall_where_both_inputs_rise() -> None:
    rng = np.random.default_rng(5)
    inputs = np.exp(rng.standard_normal((300, 2))).astype(np.float32)
    losses = np.maximum(0, 3 - inputs.sum(axis=1))
    better, worse = np.array([[4, 4], [0.2, 0.2]], dtype=np.float32)

    def scores(skyline: bool) -> NDArray[np.float32]:
        params = MQNetParams(skyline=skyline, learning_rate=0.1)
        return train_mqnet(inputs, losses, params=params, seed=0).scores(np.stack([better, worse]))

    kept, free = scores(True), scores(False)
    assert kept[0] >= kept[1]
    assert free[0] < free[1]


def _prior(count: int = 120) -> Prior:
    """A pool that is thought to rank by purity alone."""
    inputs = np.exp(np.random.default_rng(6).standard_normal((count, 2))).astype(np.float32)
    return Prior(inputs, inputs[:, 0].astype(np.float64))


def _agreement(network: MQNet, inputs: NDArray[np.float32], values: NDArray[np.floating]) -> float:
    scores = network.scores(inputs)
    ordered = values[:, None] > values[None]
    return float((scores[:, None] > scores[None])[ordered].mean())


def test_answers_move_phi_from_its_prior_as_far_as_they_weigh() -> None:
    """Answers of which only the informative ones taught, where purity was thought to count."""
    prior = _prior()
    inputs, losses = _answers(300, weight_on_purity=0.0)
    found = [
        train_mqnet(inputs, losses, params=MQNetParams(prior=weight), seed=0, prior=prior)
        for weight in (1e6, 300, 1)
    ]
    by_prior = [_agreement(network, prior.inputs, prior.values) for network in found]
    by_answers = [_agreement(network, inputs, losses) for network in found]
    assert by_prior[0] > 0.9
    assert by_answers[2] > 0.7
    assert by_prior[0] > by_prior[1] > by_prior[2]
    assert by_answers[0] < by_answers[1] < by_answers[2]


@pytest.mark.parametrize("params", [{"batch_pairs": 1}, {"batch_pairs": 1024}, {"momentum": 0.9}])
def test_phi_starts_as_its_prior_however_answers_are_learned_from(params: dict[str, float]) -> None:
    prior, (inputs, losses) = _prior(), _answers(10, weight_on_purity=0.0)
    found = train_mqnet(inputs, losses, params=MQNetParams(**params), seed=0, prior=prior)
    assert _agreement(found, prior.inputs, prior.values) > 0.8


def test_weights_without_a_prior_are_no_warm_start_with_one(tmp_path: Path) -> None:
    inputs, losses = _answers(60, weight_on_purity=0.5)
    prior, params = _prior(), MQNetParams(epochs=2)
    fresh = train_mqnet(inputs, losses, params=params, seed=0, prior=prior)
    old = random_network(1, 1.0)
    warm = train_mqnet(inputs, losses, params=params, seed=0, prior=prior, warm=old)
    assert_array_equal(warm.scores(inputs), fresh.scores(inputs))
    fresh.save(tmp_path / "w.safetensors")
    again = MQNet.load(tmp_path / "w.safetensors")
    gone_on = train_mqnet(inputs, losses, params=params, seed=1, prior=prior, warm=again)
    assert (gone_on.scores(inputs) != fresh.scores(inputs)).any()
    assert _agreement(gone_on, prior.inputs, prior.values) > 0.8


def test_weights_of_another_kind_are_no_warm_start() -> None:
    inputs, losses = _answers(60, weight_on_purity=0.5)
    params = MQNetParams(skyline=False, epochs=2)
    fresh = train_mqnet(inputs, losses, params=params, seed=0)
    warm = train_mqnet(inputs, losses, params=params, seed=0, warm=random_network(1, 1.0))
    assert_array_equal(warm.scores(inputs), fresh.scores(inputs))


def test_loading_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        MQNet.load(tmp_path / "none.safetensors")
    (tmp_path / "text").write_text("no tensors")
    with pytest.raises(ModelError, match="not a readable safetensors file"):
        MQNet.load(tmp_path / "text")


RAW = np.array([[0, 3], [3, 0], [2, 2], [2, 2]], dtype=np.float32)


def test_saturated_ties_break_by_sum_then_position() -> None:
    constant = random_network(0, 0.0)
    ranking = ranked(scores_of(RAW), 4, constant, True)
    plain = p_plus_i.rank(candidates_of(scores_of(RAW)), 4, NoParams())
    assert len(set(ranking.meta_scores.tolist())) == 1
    assert_array_equal(ranking.order, plain.order)
    assert list(ranking.order).index(2) < list(ranking.order).index(3)


def test_first_round_ranks_by_expected_value() -> None:
    ranking = ranked(scores_of(RAW), 4, None, True, PARAMS)
    params = ExpectedValueParams(balance=PARAMS.balance)
    plain = expected_value.rank(candidates_of(scores_of(RAW)), 4, params)
    assert ranking.notes == (strategy.PRIOR_NOTE, *plain.notes)
    assert_array_equal(ranking.order, plain.order)


def test_classes_that_are_behind_come_first_where_phi_is_equal() -> None:
    logits = np.array([[9, 0], [9, 0], [9, 0], [0, 9]], np.float32)
    scores = replace(scores_of(RAW), logits=logits, purity_is_probability=True)
    candidates = candidates_of(scores, random_network(0, 0.0))
    nothing = np.zeros((4, 2), dtype=np.float32)
    view = PoolView(scores.logits, nothing, nothing, nothing, said([0, 0, 0, 1]), 2, seed=0)
    ranking = strategy.rank(replace(candidates, view=view), 2, PARAMS)
    assert ranking.order[0] == 3


def test_without_any_prior_the_first_round_adds_the_inputs() -> None:
    ranking = ranked(scores_of(RAW), 2, None, True)
    assert ranking.notes == (strategy.UNTRAINED_NOTE,)
    z = np.exp((RAW - RAW.mean(axis=0)) / RAW.std(axis=0)).sum(axis=1)
    assert_allclose(ranking.meta_scores, z, rtol=1e-5)


@pytest.mark.parametrize("network", [None, MQNet()])
def test_without_ood_informativeness_ranks_alone(network: MQNet | None) -> None:
    ranking = ranked(scores_of(RAW), 4, network, False)
    assert_array_equal(ranking.order, [0, 2, 3, 1])
    assert ranking.notes == (strategy.NO_OOD_NOTE,)
