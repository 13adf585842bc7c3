"""The surface that is kept of a strategy says what the strategy did."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.artifacts.pool_map import read_head, read_map, read_surface
from models.catalog import Spec
from models.protocols import Surface
from models.rounds.surface import about, drawn, purity_weight
from tests.models.test_strategies import STRATEGIES, pool, rank

BALANCED = ("expected_value", "mqnet")
DECIDE = {
    "mqnet": "phi",
    "p_plus_i": "sum",
    "p_times_i": "product",
    "most_likely": "purity",
    "expected_value": "expected_value",
}


@pytest.mark.parametrize("spec", STRATEGIES, ids=lambda spec: spec.name)
def test_surface_is_the_meta_score_where_it_says_so(spec: Spec) -> None:
    params = {"balance": 0} if spec.name in BALANCED else {}
    scores = pool()
    ranking = rank(spec, scores, 7, **params)
    if ranking.surface is None:
        assert spec.name not in DECIDE
        return
    assert ranking.surface.name == DECIDE[spec.name]
    assert ranking.surface.exact
    values = ranking.surface.value(scores.purity, scores.informativeness)
    assert_allclose(values, ranking.meta_scores, rtol=1e-5)
    shown = drawn(ranking.surface, scores, 7)
    # The boundary is the value of the last query taken.
    assert_allclose(shown["level"], ranking.meta_scores[ranking.order[-1]], rtol=1e-5)


@pytest.mark.parametrize("name", BALANCED)
def test_balanced_classes_make_the_surface_inexact(name: str) -> None:
    spec = next(spec for spec in STRATEGIES if spec.name == name)
    ranking = rank(spec, pool(), 7, balance=1)
    assert ranking.surface is not None
    assert not ranking.surface.exact


def test_file_keeps_the_surface_beside_the_scores(tmp_path: Path) -> None:
    spec = next(spec for spec in STRATEGIES if spec.name == "mqnet")
    scores = pool()
    ranking = rank(spec, scores, 7)
    path = tmp_path / "scores.parquet"
    scores.to_parquet(path, about(ranking.surface, scores, 7))
    found = read_surface(path)
    assert found is not None
    assert found == json.loads(json.dumps(found))
    purity, informativeness = np.array(found["purity"]), np.array(found["informativeness"])
    assert (np.diff(purity) > 0).all()
    ends = scores.purity.min(), scores.purity.max()
    assert_allclose((purity[0], purity[-1]), ends, rtol=1e-5)
    column, row = 5, 9
    assert ranking.surface is not None
    expected = ranking.surface.value(
        purity[column : column + 1].astype(np.float64),
        informativeness[row : row + 1].astype(np.float64),
    )
    assert_allclose(found["values"][row][column], expected[0], rtol=1e-4)
    head = read_head(path)
    assert head is not None
    assert head == (50, *read_map(path).spans())
    scores.to_parquet(path)
    assert read_surface(path) is None


def test_equal_scores_have_a_surface_all_the_same() -> None:
    spec = next(spec for spec in STRATEGIES if spec.name == "p_plus_i")
    same = pool().take(np.zeros(6, dtype=np.int64))
    ranking = rank(spec, same, 2)
    assert ranking.surface is not None
    shown = drawn(ranking.surface, same, 2)
    assert shown["purity"][0] < shown["purity"][-1]
    assert np.isfinite(shown["values"]).all()
    assert drawn(ranking.surface, same, 0)["level"] is None


@pytest.mark.parametrize(("purity", "informativeness"), [(3.0, 1.0), (1.0, 3.0), (1.0, 0.0)])
def test_weight_of_purity_is_its_share_of_the_slope(purity: float, informativeness: float) -> None:
    scores = pool()
    spreads = scores.purity.std(), scores.informativeness.std()
    slopes = purity / spreads[0], informativeness / spreads[1]
    plane = Surface("phi", lambda p, i: np.tanh(0.1 * (slopes[0] * p + slopes[1] * i)))
    weight = purity_weight(plane, scores, 20)
    assert weight == pytest.approx(purity / (purity + informativeness), abs=1e-3)


def test_weight_of_purity_is_that_of_the_border_and_none_where_nothing_counts() -> None:
    both = np.linspace(-1, 1, 100, dtype=np.float32)
    scores = replace(pool(100), purity=both, informativeness=both)
    # Below the middle informativeness counts threefold.
    bent = Surface("phi", lambda p, i: p + np.where(i > 0, i, 3 * i))
    assert purity_weight(bent, scores, 20) == pytest.approx(0.5)
    assert purity_weight(bent, scores, 90) == pytest.approx(0.25)
    assert purity_weight(bent, scores, 0) is None
    assert purity_weight(None, scores, 20) is None
    assert purity_weight(Surface("phi", lambda p, i: 0 * p * i), scores, 20) is None
