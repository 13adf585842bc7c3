from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from models.catalog import specs
from models.errors import Cancelled, ModelError
from models.protocols import Float32Array, Indices, LinearHead, Outputs, Progress, Ranking
from models.ranking.candidates import Prices
from models.ranking.mqnet import MQNet
from models.ranking.pool_scores import PoolScores, is_unclear
from models.rounds import meta_training
from models.rounds.meta_training import meta_train
from models.rounds.query import QuerySettings, Scored, infer, score_pool, select
from tests.models.open_set import said

SETTINGS = QuerySettings(strategy="mqnet", strategy_params={"epochs": 20})


class FakeModel:
    """Fixed outputs for a pool of 400: three classes, and OOD in the last third."""

    classes = 3
    notes: tuple[str, ...] = ()

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.labels: Indices = np.where(np.arange(400) < 260, np.arange(400) % 3, -1)
        centers = 2 * rng.standard_normal((4, 8))
        self.embeddings = (centers[self.labels] + rng.standard_normal((400, 8))).astype(np.float32)
        self.weight = rng.standard_normal((8, 3)).astype(np.float32)
        self.logits = self.embeddings @ self.weight
        self.passes: list[Indices] = []

    def infer(self, indices: Indices, *, progress: Progress | None = None) -> Outputs:
        self.passes.append(indices)
        if progress is not None:
            progress(len(indices), len(indices))
        return Outputs(self.logits[indices], self.embeddings[indices])

    def linear_head(self) -> LinearHead:
        return LinearHead(self.weight, np.zeros(3, dtype=np.float32))

    def perturbed_logits(
        self, indices: Indices, *, temperature: float, epsilon: float
    ) -> Float32Array:
        raise AssertionError((indices, temperature, epsilon))

    def pixels(self, indices: Indices) -> NDArray[np.uint8]:
        raise AssertionError(indices)

    def save(self, path: Path) -> None:
        raise AssertionError(path)


@pytest.fixture
def model() -> FakeModel:
    return FakeModel()


LABELED = np.arange(0, 400, 4)
UNLABELED = np.setdiff1d(np.arange(400), LABELED)


def scored(model: FakeModel, settings: QuerySettings = SETTINGS, seed: int = 0) -> Scored:
    return score_pool(model, UNLABELED, LABELED, said(model.labels[LABELED]), settings, seed=seed)


def test_a_round_takes_one_pass_over_each_example(model: FakeModel) -> None:
    scores = scored(model).scores
    assert_array_equal(np.sort(np.concatenate(model.passes)), np.arange(400))
    assert_array_equal(scores.indices, UNLABELED)
    assert_array_equal(scores.logits, model.logits[UNLABELED])


@pytest.mark.parametrize("strategy", [spec.name for spec in specs() if spec.kind == "strategy"])
def test_every_strategy_goes_round(model: FakeModel, strategy: str) -> None:
    settings = QuerySettings(strategy=strategy)
    first = select(scored(model, settings), UNLABELED, 40, settings, mqnet=None, had_ood=True)
    assert len(first.order) == 40
    assert set(first.order) <= set(UNLABELED)
    again = scored(model, settings, seed=1)
    network, had_ood, notes = meta_train(
        again.scores, first.order, said(model.labels[first.order]), settings, seed=0, previous=None
    )
    assert (network is not None) == (strategy == "mqnet")
    assert notes == ()
    rest = np.setdiff1d(UNLABELED, first.order)
    second = select(again, rest, 40, settings, mqnet=network, had_ood=had_ood)
    assert not set(second.order) & set(first.order)
    assert second.meta_scores.shape == rest.shape


def test_mqnet_asks_for_more_in_distribution_than_the_pool_holds(model: FakeModel) -> None:
    every = scored(model)
    first = select(every, UNLABELED, 60, SETTINGS, mqnet=None, had_ood=True)
    network, had_ood, _ = meta_train(
        every.scores,
        first.order,
        said(model.labels[first.order]),
        QuerySettings(strategy="mqnet"),
        seed=0,
        previous=None,
    )
    rest = np.setdiff1d(UNLABELED, first.order)
    second = select(every, rest, 60, SETTINGS, mqnet=network, had_ood=had_ood)
    assert (model.labels[second.order] >= 0).mean() > (model.labels[rest] >= 0).mean() + 0.05


def test_scores_are_normalised_over_the_candidates(model: FakeModel) -> None:
    every, some = scored(model), UNLABELED[50:90]
    scores = every.scores
    ranking = select(every, some, 5, QuerySettings(strategy="p_plus_i"), mqnet=None, had_ood=True)
    raw = np.stack([scores.purity[50:90], scores.informativeness[50:90]], axis=1).astype(float)
    expected = np.exp((raw - raw.mean(axis=0)) / raw.std(axis=0)).sum(axis=1)
    assert_allclose(ranking.meta_scores, expected, rtol=1e-4)


def test_meta_training_uses_the_statistics_of_the_whole_round(
    model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = scored(model).scores
    seen: list[NDArray[np.floating]] = []

    def capture(inputs: NDArray[np.float32], losses: NDArray[np.float64], **_: object) -> MQNet:
        seen.extend([inputs, losses])
        return MQNet()

    monkeypatch.setattr(meta_training, "train_mqnet", capture)
    asked = UNLABELED[[200, 3, 250, 290]]
    meta_train(scores, asked, said(model.labels[asked]), SETTINGS, seed=0, previous=None)
    places = np.searchsorted(UNLABELED, asked)
    raw = np.stack([scores.purity, scores.informativeness], axis=1).astype(float)
    z = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    assert_allclose(seen[0], np.exp(z[places]), rtol=1e-4)
    for got, index in zip(seen[1], asked, strict=True):
        weights = np.exp(model.logits[index].astype(float))
        label = model.labels[index]
        assert_allclose(got, 0 if label < 0 else -np.log(weights[label] / weights.sum()))


@pytest.mark.parametrize(
    ("labels", "had_ood", "note"),
    [
        ([], True, "Fewer than two answers"),
        ([0], True, "Fewer than two answers"),
        ([-1, -1, -1], True, "All answers have one loss"),
    ],
)
def test_answers_that_teach_nothing_keep_the_network(
    model: FakeModel, labels: list[int], had_ood: bool, note: str
) -> None:
    previous, asked = MQNet(), UNLABELED[: len(labels)]
    result = meta_train(
        scored(model).scores,
        asked,
        said(labels),
        SETTINGS,
        seed=0,
        previous=previous,
    )
    assert result[0] is previous
    assert result[1] is had_ood
    assert result[2] == (f"{note}: MQ-Net stays as it was.",)


def test_notes_agree_that_there_is_no_network_yet(model: FakeModel) -> None:
    every, asked = scored(model), UNLABELED[:3]
    ood = said([-1] * 3)
    network, had_ood, notes = meta_train(every.scores, asked, ood, SETTINGS, seed=0, previous=None)
    ranking = select(every, UNLABELED[3:], 10, SETTINGS, mqnet=network, had_ood=had_ood)
    assert (*notes, *ranking.notes) == (
        "All answers have one loss: nothing for MQ-Net to learn from.",
        "MQ-Net has not been trained yet: ranked by expected value.",
    )


def test_only_in_distribution_answers_switch_purity_off(model: FakeModel) -> None:
    every = scored(model)
    scores, asked = every.scores, UNLABELED[:30]
    settings = replace(SETTINGS, strategy_params={"prior": 0})
    network, had_ood, _ = meta_train(
        scores, asked, said(model.labels[asked]), settings, seed=0, previous=None
    )
    assert not had_ood
    ranking = select(every, UNLABELED[30:], 10, settings, mqnet=network, had_ood=had_ood)
    best = np.sort(scores.informativeness[30:])[::-1][:10]
    assert_array_equal(scores.informativeness[np.searchsorted(UNLABELED, ranking.order)], best)
    assert ranking.notes


def test_a_few_answers_leave_the_order_near_expected_value(model: FakeModel) -> None:
    """Dear OOD verdicts are in it: the prior asks for purer examples then."""
    every = scored(model)
    known = replace(every.scores, inside=every.scores.purity)
    asked = UNLABELED[[3, 40, 120, 200]]
    rest = np.setdiff1d(UNLABELED, asked)
    settings = replace(SETTINGS, strategy_params={"balance": 0})
    purity = dict(zip(UNLABELED.tolist(), every.scores.purity.tolist(), strict=True))
    pure = []
    for prices in (Prices(1, 1), Prices(1, 10)):
        network, _, _ = meta_train(
            known, asked, said([0, 1, -1, 1]), settings, seed=0, prices=prices
        )
        asks = select(every, rest, 60, settings, mqnet=network, had_ood=True, prices=prices)
        expected = select(
            every, rest, 60, QuerySettings("expected_value", {"balance": 0}),
            mqnet=None, had_ood=True, prices=prices,
        )  # fmt: skip
        assert len(np.intersect1d(asks.order, expected.order)) > 40
        pure.append(np.mean([purity[index] for index in asks.order.tolist()]))
    assert pure[1] > pure[0]


def test_answers_from_before_the_scores_are_left_out_with_a_note(model: FakeModel) -> None:
    asked = np.concatenate([LABELED[:5], UNLABELED[180:220]])
    network, _, notes = meta_train(
        scored(model).scores, asked, said(model.labels[asked]), SETTINGS, seed=0, previous=None
    )
    assert network is not None
    assert notes == ("5 answers had no scores of this round and did not train MQ-Net.",)


def test_new_examples_wait_for_scores(model: FakeModel) -> None:
    every, first = scored(model), np.arange(100)
    known = Scored(every.scores.take(first), every.view.take(first))
    ranking = select(known, UNLABELED, 500, SETTINGS, mqnet=None, had_ood=True)
    assert_array_equal(np.sort(ranking.order), UNLABELED[:100])
    assert np.isnan(ranking.meta_scores[100:]).all()
    assert ranking.notes[0] == "200 new examples wait for the next round's scores."
    nothing = select(known, LABELED[5:6], 3, SETTINGS, mqnet=None, had_ood=True)
    assert len(nothing.order) == 0


def test_no_candidates_give_no_queries(model: FakeModel) -> None:
    ranking = select(scored(model), UNLABELED[:0], 10, SETTINGS, mqnet=None, had_ood=True)
    assert isinstance(ranking, Ranking)
    assert len(ranking.order) == 0


def test_what_is_said_of_the_verdicts_may_be_known(model: FakeModel) -> None:
    labels = said(model.labels[LABELED])
    whole = scored(model)
    known = infer(model, LABELED)
    model.passes.clear()
    seen: list[int] = []
    again = score_pool(
        model, UNLABELED, LABELED, labels, SETTINGS, seed=0, verdicts=known,
        progress=lambda _, steps: seen.append(steps),
    )  # fmt: skip
    assert_array_equal(np.concatenate(model.passes), UNLABELED)
    assert set(seen) == {len(UNLABELED)}
    assert_array_equal(again.scores.purity, whole.scores.purity)


def test_parquet_keeps_everything(model: FakeModel, tmp_path: Path) -> None:
    scores = scored(model).scores
    assert scores.purity_is_probability
    for late in (None, np.linspace(0, 1, len(scores), dtype=np.float32)):
        path = tmp_path / "scores.parquet"
        replace(scores, meta_scores=late, inside=late).to_parquet(path)
        read = PoolScores.from_parquet(path)
        for name in ("indices", "logits", "purity", "informativeness"):
            assert_array_equal(getattr(read, name), getattr(scores, name))
            assert getattr(read, name).dtype == getattr(scores, name).dtype
        assert (read.meta_scores is None, read.inside is None) == (late is None, late is None)
        assert (read.purity_by, read.purity_is_probability) == ("probe", True)
    taken = read.take(np.array([1]))
    assert late is not None
    for kept in (taken.meta_scores, taken.inside):
        assert kept is not None
        assert_array_equal(kept, late[1:2])
    assert [found.name for found in tmp_path.iterdir()] == ["scores.parquet"]
    replace(scores, purity_is_probability=False).to_parquet(path)
    assert not PoolScores.from_parquet(path).purity_is_probability


@pytest.mark.parametrize(("purity", "is_known"), [("probe", True), ("clip", False), ("knn", True)])
def test_files_of_earlier_versions_are_read_by_what_was_meant(
    model: FakeModel, tmp_path: Path, purity: str, is_known: bool
) -> None:
    scores = scored(model).scores
    path = tmp_path / "scores.parquet"
    inside = np.linspace(0, 1, len(scores), dtype=np.float32)
    replace(scores, inside=inside, purity_by=purity).to_parquet(path)
    assert not is_unclear(path)
    table = pq.read_table(path)
    about = {
        name: value
        for name, value in (table.schema.metadata or {}).items()
        if name != b"karat.purity_is_probability"
    }
    pq.write_table(table.replace_schema_metadata(about), path)
    assert is_unclear(path) is not is_known
    read = PoolScores.from_parquet(path)
    # What an earlier version has read off likeness to names alone was no probability.
    assert (read.inside is not None) == is_known
    assert read.purity_is_probability == (purity == "probe")


def test_a_file_without_scores_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scores.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(ModelError, match="holds no pool scores"):
        PoolScores.from_parquet(tmp_path / "scores.parquet")


@pytest.mark.parametrize("output", ["logits", "embeddings"])
def test_a_broken_model_names_the_examples(model: FakeModel, output: str) -> None:
    getattr(model, output)[[5, 6], 1] = np.nan
    with pytest.raises(ModelError, match=r"for 2 of 300 examples \(pool index 5, 6\)"):
        scored(model)


def test_cancelling_stops_the_scoring(model: FakeModel) -> None:
    def cancel(step: int, steps: int) -> None:
        raise Cancelled(step, steps)

    with pytest.raises(Cancelled):
        score_pool(
            model,
            UNLABELED,
            LABELED,
            said(model.labels[LABELED]),
            SETTINGS,
            seed=0,
            progress=cancel,
        )


@pytest.mark.parametrize(
    ("unlabeled", "labels", "fault"),
    [
        (UNLABELED[::-1], [0] * 100, "increasing order"),
        (UNLABELED, [0] * 99, "99 labels for 100 examples"),
        (UNLABELED, [3] * 100, r"from 3 to 3, expected 0\.\.2"),
    ],
)
def test_bad_arguments_are_named(
    model: FakeModel, unlabeled: Indices, labels: list[int], fault: str
) -> None:
    with pytest.raises(ModelError, match=fault):
        score_pool(model, unlabeled, LABELED, said(labels), SETTINGS, seed=0)
